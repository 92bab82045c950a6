package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
	"toolgraph/tests/toolresult"
)

// adoptedTools are the tools of three servers of a host, by server: as many as the filesystem, memory and git servers of npm have.
var adoptedTools = map[string]int{"files": 14, "memory": 9, "git": 28}

// adoptedResults are results of tools in all forms that the protocol has. NAME is the name of the tool.
var adoptedResults = []string{
	`{"content":[{"type":"text","text":"NAME says <this> & \"that\" \u2028 é 漢 🙂"}]}`,
	`{"content":[{"type":"text","text":"{\"of\": \"NAME\", \"list\": [1, null, []]}"}]}`,
	`{"content":[{"type":"text","text":"1.10"}]}`,
	`{"content":[{"type":"text","text":"null"}]}`,
	`{"content":[{"type":"text","text":""}]}`,
	`{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`,
	`{"content":[{"type":"text","text":"in other words"}],"structuredContent":{"of":"NAME","none":null,"list":[[1],[]],"large":123456789012345678901234567890,"exact":0.10}}`,
	`{"content":[],"structuredContent":{"type":"image","data":"aGk=","mimeType":"image/png","more":{"<":"&"}}}`,
	`{"content":[{"type":"text","text":"7"}],"structuredContent":null}`,
	`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`,
	`{"content":[{"type":"audio","data":"aGk=","mimeType":"audio/wav","annotations":{"audience":["user"],"priority":0.5}}]}`,
	`{"content":[{"type":"resource_link","uri":"doc:NAME","name":"NAME","title":"T","description":"D","mimeType":"text/plain","size":5}]}`,
	`{"content":[{"type":"resource","resource":{"uri":"doc:NAME","mimeType":"text/plain","text":"embedded"}}]}`,
	`{"content":[{"type":"resource","resource":{"uri":"doc:NAME","blob":"aGk="},"_meta":{"own":1}}]}`,
	`{"content":[{"type":"text","text":"a picture"},{"type":"image","data":"aGk=","mimeType":"image/png","_meta":{"own":{"of":"NAME"}}},{"type":"resource_link","uri":"doc:NAME","name":"a link"}]}`,
	`{"content":[{"type":"text","text":"one","annotations":{"priority":1}},{"type":"text","text":"{\"two\":2}"},{"type":"text","text":"3"}]}`,
	`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"width":1}}`,
	`{"content":[]}`,
	`{"content":[{"type":"hologram","planes":[1,2]}]}`,
	`{"content":[{"type":"text","text":"NAME failed: no such file"}],"isError":true}`,
	`{"content":[{"type":"text","text":"slow down"}],"structuredContent":{"status":429},"isError":true,"_meta":{"vendor.example/trace":"NAME"}}`,
	`{"content":[{"type":"text","text":"see the picture"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"isError":true}`,
	`{"content":[],"isError":true}`,
	`{"content":[{"type":"text","text":"with notes"}],"_meta":{"vendor.example/took":12,"vendor.example/list":[{"a":null}]}}`,
}

// adoptedHost is a host whose three servers are adopted.
type adoptedHost struct {
	t       *testing.T
	env     []string            // of its programs
	servers map[string][]string // the command of each server
	results map[string]string   // by server.tool
	diary   string              // of all servers
	report  struct {
		Tools struct{ Before, After, TokensBefore, TokensAfter int }
	}
	entry []string // the command of the one entry
}

func newAdoptedHost(t *testing.T) *adoptedHost {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the home directory is that of HOME")
	}
	dir := t.TempDir()
	h := &adoptedHost{
		t: t, servers: map[string][]string{}, results: map[string]string{}, diary: filepath.Join(dir, "diary"),
		env: []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, ".config"), "XDG_STATE_HOME=" + filepath.Join(dir, "state")},
	}
	configured, n := map[string]any{}, 0
	for _, server := range slices.Sorted(maps.Keys(adoptedTools)) {
		results, definitions := map[string]json.RawMessage{}, map[string]any{}
		for i := range adoptedTools[server] {
			name := fmt.Sprintf("%s_tool_%d", server, i+1)
			result := strings.ReplaceAll(adoptedResults[n%len(adoptedResults)], "NAME", name)
			h.results[server+"."+name] = result
			results[name], definitions[name] = json.RawMessage(result), adoptedDefinition(name)
			n++
		}
		answers, listed := filepath.Join(dir, server+".answers"), filepath.Join(dir, server+".list")
		writeJSON(t, answers, results)
		writeJSON(t, listed, definitions)
		h.servers[server] = []string{testbin.Build(t, "toolgraph/tests/fakeserver"), "answers=" + answers, "rugpull=" + listed, "diary=" + h.diary}
		configured[server] = map[string]any{"command": h.servers[server][0], "args": h.servers[server][1:]}
	}
	file := filepath.Join(dir, ".cursor", "mcp.json")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	writeJSON(t, file, map[string]any{"mcpServers": configured})
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "adopt", "cursor", "--yes", "--json")
	cmd.Env = append(os.Environ(), h.env...)
	said, err := cmd.Output()
	if err != nil || json.Unmarshal(said, &h.report) != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var now struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	src, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(src, &now) != nil || len(now.MCPServers) != 1 {
		t.Fatalf("%v: %s", err, src)
	}
	for _, one := range now.MCPServers {
		h.entry = append([]string{one.Command}, one.Args...)
		if len(one.Env) > 0 { // the names of the test's directories look like keys
			t.Errorf("the entry has the variables %v", one.Env)
		}
	}
	return h
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	src, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(path, src, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// adoptedDefinition is a tool that reads, described at about the length that tools of published servers have.
func adoptedDefinition(name string) map[string]any {
	properties := map[string]any{"n": map[string]any{"type": "integer"}}
	for i := range 5 {
		properties[fmt.Sprintf("option_%d", i+1)] = map[string]any{"type": "string", "description": strings.Repeat("What this option means. ", 5)}
	}
	return map[string]any{
		"name": name, "title": "The tool " + name, "description": strings.Repeat("Does what its name says, and more. ", 15),
		"inputSchema": map[string]any{"type": "object", "properties": properties, "required": []string{"n"}},
		"annotations": map[string]any{"readOnlyHint": true},
	}
}

// session starts a program as the host would.
func (h *adoptedHost) session(words ...string) *session {
	h.t.Helper()
	s := startProgram(h.t, h.env, words...)
	s.handshake()
	return s
}

// called are the calls that servers have got since the last time.
func (h *adoptedHost) called() string {
	h.t.Helper()
	src, err := os.ReadFile(h.diary)
	if err != nil || os.Remove(h.diary) != nil {
		h.t.Fatal(err)
	}
	var calls []string
	for line := range strings.Lines(string(src)) {
		if call, is := strings.CutPrefix(strings.TrimSpace(line), "called "); is {
			calls = append(calls, call)
		}
	}
	slices.Sort(calls)
	return strings.Join(calls, "\n")
}

// resultOf calls a tool.
func resultOf(t *testing.T, s *session, tool, args string) toolresult.Result {
	t.Helper()
	answer := s.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	result, err := toolresult.Parse(answer.Result)
	if err != nil {
		t.Fatalf("%s: %v %+v", tool, err, answer.Error)
	}
	return result
}

// Every tool of three adopted servers is called at its server, by expose, and in a plan through the one entry of the host. By
// expose the result is that of the server, whole; a plan has its value, and images, audio and links are content for its client;
// a failure is one, in the server's words. The servers get the same calls.
func TestAdoptedToolsThreeWays(t *testing.T) {
	t.Parallel()
	h := newAdoptedHost(t)
	if len(h.results) != 51 {
		t.Fatalf("there are %d tools", len(h.results))
	}
	exposing := h.env[1][len("XDG_CONFIG_HOME="):] + "/expose.yaml"
	const graph = "server: {name: all, version: 1.0.0}\nmcpServers: {files: {registry: true}, git: {registry: true}, memory: {registry: true}}\nexpose: [\"files.*\", \"git.*\", \"memory.*\"]\n"
	if err := os.WriteFile(exposing, []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	straight := map[string]*session{}
	for server, words := range h.servers {
		straight[server] = h.session(words...)
	}
	expose, plan := h.session(h.entry[0], "-g", exposing), h.session(h.entry...)
	for i, of := range slices.Sorted(maps.Keys(h.results)) {
		server, tool, _ := strings.Cut(of, ".")
		args := fmt.Sprintf(`{"n":%d,"option_1":"é\"<"}`, i)
		want := resultOf(t, straight[server], tool, args)
		calls := h.called()
		if got := resultOf(t, expose, server+"__"+tool, args); !reflect.DeepEqual(got, want) {
			t.Errorf("expose %s:\n%s\nwant\n%s", of, got, want)
		}
		if got := h.called(); got != calls {
			t.Errorf("expose %s calls %s, want %s", of, got, calls)
		}
		steps := fmt.Sprintf(`{"steps":[{"id":"a","call":%q,"args":%s}],"return":`, of, args)
		whole := resultOf(t, plan, "run_plan", steps+`"a"}`)
		if said := want.Differs(whole, resultOf(t, plan, "run_plan", steps+`"{\"value\": a}"}`)); said != "" {
			t.Errorf("%s: %s", of, said)
		}
		if want.Failed() && !strings.Contains(whole.Text(), fmt.Sprintf("server %q, tool %q:", server, tool)) {
			t.Errorf("the failure of %s in a plan is %s", of, whole)
		}
		if got := h.called(); got != calls+"\n"+calls {
			t.Errorf("two plans of %s call %s, want %s twice", of, got, calls)
		}
	}
}

// The host's model starts with two tools in place of 51, and with less than a tenth of their definitions; adopt has said so.
func TestAdoptedToolsTakeFewTokens(t *testing.T) {
	t.Parallel()
	h := newAdoptedHost(t)
	tokens := func(s *session) (n int) {
		for cursor := `{}`; cursor != ""; {
			var page struct {
				Tools      []json.RawMessage
				NextCursor string
			}
			if err := json.Unmarshal(s.request("tools/list", cursor).Result, &page); err != nil {
				t.Fatal(err)
			}
			for _, tool := range page.Tools {
				n += len(tool) / 4
			}
			if cursor = ""; page.NextCursor != "" {
				cursor = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
			}
		}
		return n
	}
	before := 0
	for _, words := range h.servers {
		before += tokens(h.session(words...))
	}
	after := tokens(h.session(h.entry...))
	if said := h.report.Tools; said.Before != 51 || said.After != 2 || after > 1500 || before < 15*after {
		t.Errorf("%+v; tools/list has about %d tokens before, %d after", said, before, after)
	}
	near := func(said, is int) bool { return said-is < is/20 && is-said < is/20 }
	if said := h.report.Tools; !near(said.TokensBefore, before) || !near(said.TokensAfter, after) {
		t.Errorf("adopt says %+v; tools/list has about %d tokens before, %d after", said, before, after)
	}
}
