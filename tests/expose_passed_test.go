package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// offered writes what a stand-in server has beside tools.
func offered(t *testing.T, path, lists string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(lists), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

const offersDocs = `{
	"prompts": [{"name":"brief","title":"A brief","arguments":[{"name":"topic","required":true}],"_meta":{"x":1}}],
	"resources": [{"uri":"doc:one","name":"One","annotations":{"priority":0.5}}, {"uri":"doc:both","name":"of docs"}],
	"resourceTemplates": [{"uriTemplate":"page:{number}","name":"Pages"}]
}`

// Prompts, resources and templates of a server are passed on: the lists, what they are, and completions. A URI that two
// servers have is that of the first in the file's order; what is not exposed is not there.
func TestExposedPromptsAndResources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	docs, wiki, diary := filepath.Join(dir, "docs"), filepath.Join(dir, "wiki"), filepath.Join(dir, "diary")
	offered(t, docs, offersDocs)
	offered(t, wiki, `{"prompts": [{"name":"hidden"}], "resources": [{"uri":"doc:both","name":"of wiki"}, {"uri":"doc:wiki","name":"W"}]}`)
	graph := `server: {name: one, version: 1.0.0}
mcpServers: {wiki: {command: $FAKE, args: ["offers=` + wiki + `"]}, docs: {command: $FAKE, args: ["offers=` + docs + `", "diary=` + diary + `"]}, none: {command: $FAKE}}
expose: [{server: docs, prompts: true, resources: true}, {server: wiki, resources: true}, {server: none, prompts: true}]`
	for door, ask := range everyDoor(t, graph) {
		for _, c := range []struct{ method, name, params, want string }{
			{"prompts/list", "", "", `"prompts":[{"name":"docs__brief","title":"A brief","arguments":[{"name":"topic","required":true}],"_meta":{"x":1}}]`},
			{"prompts/get", "docs__brief", `"name":"docs__brief","arguments":{"topic":"a"}`, `"content":{"text":"brief {\"topic\":\"a\"}","type":"text"}`},
			{"prompts/get", "docs__brief", `"name":"docs__brief","arguments":{"topic":"a"}`, `"own":1`},
			{"prompts/get", "docs__brief", `"name":"docs__brief"`, `"code":-32602,"message":"server \"docs\"`},
			{"prompts/get", "docs__brief", `"name":"docs__brief"`, `topic is missing`},
			{"prompts/get", "brief", `"name":"brief"`, `"code":-32602,"message":"unknown prompt`},
			{"prompts/get", "wiki__hidden", `"name":"wiki__hidden"`, `unknown prompt`},
			{"resources/list", "", "", `"resources":[{"uri":"doc:one","name":"One","annotations":{"priority":0.5}},{"uri":"doc:both","name":"of docs"},{"uri":"doc:wiki","name":"W"}]`},
			{"resources/templates/list", "", "", `,{"uriTemplate":"page:{number}","name":"Pages"}]`},
			{"resources/read", "doc:both", `"uri":"doc:both"`, `about doc:both`},
			{"resources/read", "page:7", `"uri":"page:7"`, `about page:7`},
			{"resources/read", "doc:prompt", `"uri":"doc:prompt"`, `about doc:prompt`}, // that the prompt has linked
			{"resources/read", "doc:none", `"uri":"doc:none"`, `only resources that a result of this process has named can be read`},
			{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"docs__brief"},"argument":{"name":"topic","value":"v"}`, `"values":["v!","{\"type\":\"ref/prompt\",\"name\":\"brief\"}"]`},
			{"completion/complete", "", `"ref":{"type":"ref/resource","uri":"page:{number}"},"argument":{"name":"number","value":"7"}`, `"7!"`},
			{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"topic","value":"v"}`, `names no prompt`},
		} {
			if got := ask(c.method, c.name, c.params); !strings.Contains(got, c.want) {
				t.Errorf("%s: %s %s\n%s\nwant %s", door, c.method, c.params, got, c.want)
			}
		}
	}
	if diaryHas(t, diary, "read doc:both") == 0 {
		t.Error("a URI of two servers is not read from the first of expose")
	}
}

// Clients are notified when the lists of prompts or resources of a server change, and not otherwise.
func TestExposedPromptsFollowTheirServer(t *testing.T) {
	t.Parallel()
	docs := filepath.Join(t.TempDir(), "docs")
	offered(t, docs, offersDocs)
	s := start(t, `server: {name: one, version: 1.0.0}
mcpServers: {docs: {command: $FAKE, args: ["offers=`+docs+`"]}}
expose: [docs.notify, {server: docs, prompts: true, resources: true}]`)
	const prompts, resources = "notifications/prompts/list_changed", "notifications/resources/list_changed"
	s.call("docs__notify", `{"method":"`+prompts+`"}`) // without a change
	offered(t, docs, strings.Replace(offersDocs, `"brief"`, `"long"`, 1))
	s.call("docs__notify", `{"method":"`+prompts+`"}`)
	eventually(t, "a notification", func() bool { return s.said(prompts) > 0 })
	if got := s.request("prompts/list", `{}`); !strings.Contains(string(got.Result), `"docs__long"`) {
		t.Errorf("%s", got.Result)
	}
	offered(t, docs, strings.NewReplacer(`"brief"`, `"long"`, `"resources"`, `"x"`).Replace(offersDocs))
	s.call("docs__notify", `{"method":"`+resources+`"}`)
	eventually(t, "a notification", func() bool { return s.said(resources) > 0 })
	if got := s.request("resources/list", `{}`); !strings.Contains(string(got.Result), `"resources":[]`) {
		t.Errorf("%s", got.Result)
	}
	if s.said(prompts) != 1 || s.said(resources) != 1 || s.said(listChanged) != 0 {
		t.Errorf("%d %d %d", s.said(prompts), s.said(resources), s.said(listChanged))
	}
}
