package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// exposing serves tools of the stand-in server itself.
const exposing = `server: {name: one, version: 1.0.0}
mcpServers: {up: {command: $FAKE}, other: {command: $FAKE}}
`

// listedTools is what tools/list answers, by name.
func listedTools(t *testing.T, s *session) map[string]json.RawMessage {
	t.Helper()
	var out struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(s.request("tools/list", `{}`).Result, &out); err != nil {
		t.Fatal(err)
	}
	byName := map[string]json.RawMessage{}
	for _, tool := range out.Tools {
		var named struct{ Name string }
		if err := json.Unmarshal(tool, &named); err != nil {
			t.Fatal(err)
		}
		byName[named.Name] = tool
	}
	return byName
}

// Tools of servers are listed beside those of the file, as their servers define them; what they answer is passed on whole.
func TestExposedToolsArePassedOn(t *testing.T) {
	t.Parallel()
	s := start(t, exposing+`expose: ["up.*", other.echo]`)
	tools := listedTools(t, s)
	if tools["other__echo"] == nil || tools["other__fail"] != nil || tools["up__echo"] == nil {
		t.Fatalf("%s", tools)
	}
	for _, want := range []string{`"title":"Big tool"`, `"unevaluatedProperties":false`, `"x-order":[3,1,2]`, `"x-custom":{"remaining":true}`} {
		if !strings.Contains(string(tools["up__bigtool"]), want) {
			t.Errorf("%s lacks %s", tools["up__bigtool"], want)
		}
	}
	for name, want := range map[string]struct{ args, result string }{
		"up__echo":           {`{"a": [1, "x"]}`, `"content":[{"text":"{\"a\":[1,\"x\"]}","type":"text"}],"structuredContent":{"a":[1,"x"]},"_meta"`},
		"up__image":          {`{}`, `"content":[{"type":"text","text":"a picture"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"_meta"`},
		"up__links":          {`{"text": "file:///x"}`, `{"resource":{"text":"embedded","uri":"file:///x"},"type":"resource"}],"_meta"`},
		"up__nothing":        {`{}`, `"content":[],"_meta"`},
		"up__fail":           {`{"message": "no"}`, `"content":[{"text":"no","type":"text"}],"isError":true,"_meta"`},
		"up__failstructured": {`{"message": "no", "text": "t"}`, `"content":[{"text":"no","type":"text"}],"structuredContent":{"status":429,"wait":"t"},"isError":true,"_meta"`},
		"up__bigtool":        {`{}`, `"isError":true`}, // its inputSchema
	} {
		answer := s.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, want.args))
		if !strings.Contains(string(answer.Result), want.result) {
			t.Errorf("%s answers %s\nwant %s", name, answer.Result, want.result)
		}
	}
	if answer := s.request("tools/call", `{"name":"other__fail","arguments":{}}`); answer.Error == nil {
		t.Errorf("a tool that is not exposed answers %s", answer.Result)
	}
}

// Such a call is a run of one call: recorded, within allow, and replayed.
func TestExposedCallsAreRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, state := filepath.Join(dir, "graph.yaml"), filepath.Join(dir, "state")
	src := strings.ReplaceAll(exposing+"allow: {effects: [read]}\nexpose: [\"up.*\"]\n", "$FAKE", testbin.Build(t, "toolgraph/tests/fakeserver"))
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, nil, "serve", path, "--state", state)
	s.handshake()
	if got := s.call("up__echo", `{}`); !got.IsError || !strings.Contains(got.text(t), "allow") {
		t.Errorf("%+v", got)
	}
	s.end()
	if err := os.WriteFile(path, []byte(strings.Replace(src, "allow: {effects: [read]}\n", "", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	s = startCommand(t, nil, "serve", path, "--state", state)
	s.handshake()
	if got := s.call("up__echo", `{"a":1}`); got.IsError || string(got.Structured) != `{"a":1}` {
		t.Errorf("%+v", got)
	}
	s.end()
	shown, err := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "runs", "show", "last", "--state", state).Output()
	if err != nil || !strings.Contains(string(shown), "up__echo") || !strings.Contains(string(shown), `{"a":1}`) {
		t.Errorf("%s %v", shown, err)
	}
	if said := startProcess(t, nil, "replay", "last", path, "--state", state); !strings.Contains(said, "the replay matches the recorded run: 3 steps, 1 call") {
		t.Error(said)
	}
}

// W10: a name that another tool has, or that hosts refuse, is an error at load; a definition that has changed is refused.
func TestW10ExposedTools(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 61)
	for file, want := range map[string]string{
		"expose: [up.echo]\ntools: [{name: up__echo, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]": `up.echo has the name of another tool for clients, "up__echo"`,
		"expose: [up." + long + "]":                       "at most 64 are allowed; leave it out, or rename the server [name-too-long]",
		"expose: [upp.echo]":                              `did you mean "up"?`,
		"expose: up.echo":                                 "expose of the graph file is text, expected a list",
		"expose: [up.echo]\nallow: {calls: [other.echo]}": `tool "up__echo" may not call up.echo`,
		"plan: true":                                      "plans can call nothing",
		"plan: {calls: [\"up.*\"]}\ntools: [{name: run_plan, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}]": `a tool of plan has the name of tool "run_plan"`,
	} {
		path := filepath.Join(t.TempDir(), "graph.yaml")
		if err := os.WriteFile(path, []byte(exposing+file), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := checkFails(t, path); !strings.Contains(said, want) {
			t.Errorf("%s\n%s\nwant %s", file, said, want)
		}
	}
	l := newLockedGraph(t)
	src, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	l.write(strings.Replace(string(src), "mcpServers:\n", "expose: [\"up.mes*\", up.echo]\nmcpServers:\n", 1))
	l.command(0, "lock", l.path)
	s := l.serve()
	if tools := listedTools(t, s); tools["up__messages_send"] == nil || tools["up__echo"] == nil {
		t.Errorf("%s", tools)
	}
	if got := s.call("up__messages_send", `{"channel_id":"1"}`); got.IsError {
		t.Errorf("%+v", got)
	}
	s.end()
	l.pull(map[string]any{"messages_send": map[string]any{"name": "messages_send", "description": "other", "inputSchema": objectSchema}})
	s = l.serve()
	if got := s.call("up__messages_send", `{"channel_id":"1"}`); !got.IsError || !strings.Contains(got.text(t), "its definition changed since graph.lock.yaml was written") {
		t.Errorf("%+v", got)
	}
	s.end()
}

// checkFails is what toolgraph check says of a file with errors.
func checkFails(t *testing.T, path string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "check", path).CombinedOutput()
	if err == nil {
		t.Errorf("no error in %s", path)
	}
	return string(said)
}
