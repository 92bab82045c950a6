package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolgraph/tests/testbin"
)

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// small is a tool of this name that gives this constant.
func small(name string, constant int) string {
	return fmt.Sprintf(`{"name": %q, "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "t"}, `+
		`{"id": "t", "type": "transform", "transform": {"expr": "%d"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`, name, constant)
}

// Every operation is on the file as it is then: what an editor has written meanwhile is
// never lost, and runs see it.
func TestToolkitSeesEdits(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	s := startToolkit(t, path, allowAll...)
	s.mustCall(t, "addGraphTool", `{"tool": `+small("one", 1)+`}`, `{"success": true}`)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(src), "Gives what it gets.", "By hand.   # and a comment", 1)
	writeFile(t, path, strings.Replace(edited, `expr: "1"`, `expr: "10"`, 1))
	s.mustCall(t, "runGraphTool", `{"toolName": "one", "arguments": {}}`, `{"result": 10}`)
	s.mustCall(t, "addGraphTool", `{"tool": `+small("two", 2)+`}`, `{"success": true}`)
	after, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(after), "By hand.   # and a comment") || !strings.Contains(string(after), `expr: "10"`) {
		t.Errorf("the edit is gone: %v\n%s", err, after)
	}
}

// Agents that save at the same time do not lose each other's tools.
func TestToolkitSavesAtOnce(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	s := startToolkit(t, path, allowAll...)
	var all sync.WaitGroup
	for i := range 20 {
		_, answer := s.sendCall("addGraphTool", `{"tool": `+small(fmt.Sprintf("t%d", i), i)+`}`)
		all.Go(func() {
			if r := s.result(s.await(answer)); r.IsError {
				t.Errorf("tool %d: %s", i, r.text(t))
			}
		})
	}
	all.Wait()
	s.mustCall(t, "runGraphTool", `{"toolName": "t19", "arguments": {}}`, `{"result": 19}`)
	if got := s.call("listGraphTools", `{}`).text(t); strings.Count(got, `"name"`) != 21 {
		t.Errorf("the tools are %s", got)
	}
}

// A file with a mistake can be looked at, and mended; a link to it stays one.
func TestToolkitMendsAFile(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(toolkitGraph, "next: exit", "next: nowhere", 1)
	real := toolkitFolder(t, broken)
	path := filepath.Join(filepath.Dir(real), "link.yaml")
	if err := os.Symlink(real, path); err != nil {
		t.Skip(err)
	}
	s := startToolkit(t, path, allowAll...)
	s.mustCall(t, "listGraphTools", `{}`, `{"items": [{"name": "first"}]}`)
	s.mustCall(t, "checkGraphTool", `{}`, `{"valid": false}`)
	if r := s.call("addGraphTool", `{"tool": `+small("one", 1)+`}`); !r.IsError || !strings.Contains(r.text(t), "nowhere") {
		t.Errorf("got %s", r.text(t))
	}
	fileIs(t, real, broken)
	s.mustCall(t, "updateGraphTool", `{"toolName": "first", "tool": `+small("first", 7)+`}`, `{"success": true}`)
	s.mustCall(t, "runGraphTool", `{"toolName": "first", "arguments": {}}`, `{"result": 7}`)
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
}

const olderGraph = `server: {name: older, version: 1.0.0}
servers:
  files: {command: toolgraph, args: [demo-server, .], cwd: .}
tools:
  - name: old   # of old
    description: Lists.
nodes:
  - {id: in, type: entry, tool: old, next: list}
  # the call
  - {id: list, type: mcp_tool, server: files, tool: list_directory, args: {path: $.in.path}, next: out}
  - {id: out, type: exit, tool: old}
`

// Beside tools of an older form, new ones are written in the current one, with the same
// answers as elsewhere.
func TestToolkitOlderFile(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, olderGraph)
	s := startToolkit(t, path, allowAll...)
	s.mustCall(t, "getGraphTool", `{"toolName": "old"}`, `{"nodes": [{"id": "in"}, {"id": "list", "type": "mcp", "args": {"path": {"expr": "$.in.path"}}}, {"id": "out"}]}`)
	s.mustCall(t, "addGraphTool", `{"tool": `+small("one", 1)+`}`, `{"success": true}`)
	s.mustCall(t, "runGraphTool", `{"toolName": "old", "arguments": {"path": "notes"}}`, `{"executionHistory": [{}, {"output": {"entries": [{}, {}]}}, {}]}`)
	dollar := `{"name": "dollar", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "list"},` +
		`{"id": "list", "type": "mcp", "server": "files", "tool": "list_directory", "args": {"path": "$5"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`
	if r := s.call("addGraphTool", `{"tool": `+dollar+`}`); !r.IsError || !strings.Contains(r.text(t), "toolgraph upgrade") {
		t.Errorf("a literal that would be an expression: %s", r.text(t))
	}
	s.mustCall(t, "updateGraphTool", `{"toolName": "old", "tool": `+small("old", 3)+`}`, `{"success": true}`)
	s.mustCall(t, "runGraphTool", `{"toolName": "old", "arguments": {}}`, `{"result": 3}`)
	if src, err := os.ReadFile(path); err != nil || !strings.Contains(string(src), "# of old") {
		t.Errorf("%v\n%s", err, src)
	}
}

// Servers may come from a second file, and are known without their secrets. Answers
// of servers and runs are redacted too.
func TestToolkitSecrets(t *testing.T) {
	t.Parallel()
	fake := testbin.Build(t, "toolgraph/tests/fakeserver")
	path := toolkitFolder(t, strings.Replace(toolkitGraph, "  files:", `  web: {url: "https://me:hunter22hunter@127.0.0.1:1/mcp?key=sk-in-the-url", headers: {Authorization: "Bearer ${TOOLKIT_TOKEN}", X-Api-Key: literal-key-77}}`+"\n  files:", 1))
	more := filepath.Join(filepath.Dir(path), "mcp.json")
	writeFile(t, more, fmt.Sprintf(`{"mcpServers": {"fake": {"command": %q, "env": {"API_KEY": "${TOOLKIT_TOKEN}", "SECOND_TOKEN": "literal-env-88"}}}}`, fake))
	s := startCommand(t, []string{"TOOLKIT_TOKEN=tok-very-secret"}, "toolkit", "-g", path, "-m", more, "--allow-run", "--allow-write", "--no-history")
	s.handshake()
	said := ""
	for tool, args := range map[string]string{
		"listMcpServers": `{}`, "getGraphServer": `{}`, "listMcpServerTools": `{}`, "checkGraphTool": `{}`,
		"testMcpTool":      `{"server": "fake", "tool": "echo", "args": {"a": "tok-very-secret", "b": "literal-env-88"}}`,
		"runGraphTool":     `{"toolName": "first", "arguments": {"x": "tok-very-secret"}, "logging": true}`,
		"testJSONata":      `{"expression": "$uppercase(a) & a", "context": {"a": "literal-key-77"}}`,
		"addGraphTool":     `{"tool": {"name": "tok-very-secret"}}`,
		"explainGraphTool": `{"toolName": "literal-key-77"}`,
	} {
		r := s.call(tool, args)
		said += tool + ": " + r.text(t) + string(r.Structured) + "\n"
	}
	for _, secret := range []string{"tok-very-secret", "literal-env-88", "literal-key-77", "hunter22hunter", "sk-in-the-url"} {
		if i := strings.Index(said+s.stderr.String(), secret); i >= 0 {
			t.Errorf("%s is shown: …%s", secret, said[max(0, i-300):min(len(said), i+50)])
		}
	}
	for _, want := range []string{`"name":"web"`, `"name":"fake"`, `"headers":["Authorization","X-Api-Key"]`, `"env":["API_KEY","SECOND_TOKEN"]`, `"server":"web"`} {
		if !strings.Contains(said, want) {
			t.Errorf("%s is not in %s", want, said)
		}
	}
}

// A variable that is not set keeps nothing from being looked at, checked and saved.
func TestToolkitUnsetVariable(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, strings.Replace(toolkitGraph, "  files:", `  web: {url: "https://127.0.0.1:1/mcp", headers: {A: "${TOOLKIT_UNSET}"}}`+"\n  files:", 1))
	s := startToolkit(t, path, allowAll...)
	s.mustCall(t, "checkGraphTool", `{}`, `{"valid": true}`)
	s.mustCall(t, "addGraphTool", `{"tool": `+small("one", 1)+`}`, `{"success": true}`)
	s.mustCall(t, "listMcpServers", `{}`, `{"items": [{"name": "web"}, {"name": "files"}]}`)
	if r := s.call("runGraphTool", `{"toolName": "one", "arguments": {}}`); !r.IsError || !strings.Contains(r.text(t), "TOOLKIT_UNSET") {
		t.Errorf("got %s", r.text(t))
	}
}

// Large outputs are truncated, with a mark; the result is whole.
func TestToolkitLargeOutputs(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	s := startToolkit(t, path, allowAll...)
	tool := `{"name": "large", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "t"}, ` +
		`{"id": "t", "type": "transform", "transform": {"expr": "$join([1..50000].$string(), \",\")"}, "next": "n"}, ` +
		`{"id": "n", "type": "transform", "transform": {"expr": "$length(t)"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`
	r := s.mustCall(t, "runGraphTool", `{"toolDefinition": `+tool+`, "arguments": {}}`,
		`{"result": 288893, "executionHistory": [{}, {"nodeId": "t", "output": {"bytes": 288895}}, {"output": 288893}, {}], "note": "outputs truncated: 1 (expressions saw them whole); readRun shows more of this run"}`)
	if len(r.Structured) > 1500 {
		t.Errorf("it is %d bytes", len(r.Structured))
	}
	s.mustCall(t, "readRun", `{"runId": "last"}`, `{"history": [{}, {"output": {"bytes": 288895}}, {"output": {"value": 288893}}, {}]}`)
	s.mustCall(t, "readRun", `{"from": 1, "limit": 2}`, `{"history": [{"nodeId": "t"}, {"nodeId": "n"}], "next": 3}`)
	s.mustCall(t, "listRuns", `{"toolName": "large"}`, `{"items": [{"tool": "large", "status": "finished", "steps": 4}]}`)

	loop := `{"name": "loop", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "t"}, ` +
		`{"id": "t", "type": "transform", "transform": {"expr": "$executionCount(\"t\")"}, "next": "more"}, ` +
		`{"id": "more", "type": "switch", "conditions": [{"rule": {">": [{"var": "t"}, 5000]}, "next": "last"}], "next": "t"}, ` +
		`{"id": "last", "type": "transform", "transform": {"expr": "t"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`
	r = s.mustCall(t, "runGraphTool", `{"toolDefinition": `+loop+`, "arguments": {}, "logging": true}`, `{"result": null, "error": {"details": {"code": "limit"}}}`)
	if !strings.Contains(string(r.Structured), `"maxNodeExecutions`) && !strings.Contains(string(r.Structured), "1000") {
		t.Errorf("got %.300s", r.Structured)
	}
}

// A run that fails reports how far it came.
func TestToolkitFailedRun(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	s := startToolkit(t, path, allowAll...)
	tool := strings.Replace(goodTool, `{"expr": "entry"}`, `{"expr": "entry.path + 1"}`, 1)
	r := s.mustCall(t, "runGraphTool", oneLine(t, `{"toolDefinition": `+tool+`, "arguments": {"path": "notes"}, "logging": true}`),
		`{"result": null, "error": {"details": {"code": "expression", "nodeId": "shape", "path": ["entry", "pick", "shape"]}}}`)
	for _, want := range []string{`"level":"error"`, `"caret":"entry.path + 1`, `"detail":"T2001"`} {
		if !strings.Contains(string(r.Structured), want) {
			t.Errorf("%s is not in %s", want, r.Structured)
		}
	}
}

// mustCall calls a tool, which must succeed with want in its value.
func (s *session) mustCall(t testing.TB, tool, args, want string) toolResult {
	t.Helper()
	r := s.call(tool, args)
	if r.IsError {
		t.Fatalf("%s: %s", tool, r.text(t))
	}
	if err := containsJSON(r.Structured, []byte(want)); err != nil {
		t.Fatalf("%s: %v\nin %.2000s", tool, err, r.Structured)
	}
	return r
}
