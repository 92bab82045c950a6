package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/tests/testbin"
)

// toolkitTools are the tools, those of other toolkits of this kind first.
var toolkitTools = []string{
	"getGraphServer", "listGraphTools", "getGraphTool", "listMcpServers", "listMcpServerTools", "getMcpServerTool",
	"addGraphTool", "proposeTool", "suggestTools", "updateGraphTool", "deleteGraphTool", "runGraphTool", "testMcpTool", "testJSONata", "testJSONLogic",
	"checkGraphTool", "explainGraphTool", "testGraphTool", "listRuns", "readRun",
}

const countTool = `{"name": "count_notes", "description": "How many notes there are.",
	"inputSchema": {"type": "object", "properties": {"directory": {"type": "string"}}, "required": ["directory"]},
	"outputSchema": {"type": "object", "properties": {"count": {"type": "number"}}},
	"nodes": [{"id": "entry", "type": "entry", "next": "list"},
		{"id": "list", "type": "mcp", "server": "files", "tool": "list_directory", "args": {"path": {"expr": "$.entry.directory"}}, "next": "count"},
		{"id": "count", "type": "transform", "transform": {"expr": "{\n  \"count\": $count($.list.entries)\n}"}, "next": "exit"},
		{"id": "exit", "type": "exit"}]}`

const countYAML = `  - name: count_notes
    description: How many notes there are.
    inputSchema:
      type: object
      properties:
        directory: {type: string}
      required: [directory]
    outputSchema:
      type: object
      properties:
        count: {type: number}
    nodes:
      - id: entry
        type: entry
        next: list
      - id: list
        type: mcp
        server: files
        tool: list_directory
        args:
          path: {expr: $.entry.directory}
        next: count
      - id: count
        type: transform
        transform:
          expr: |-
            {
              "count": $count($.list.entries)
            }
        next: exit
      - id: exit
        type: exit
`

// agent is a client of another make that talks to a toolkit.
type agent struct {
	t *testing.T
	c *client.Client
}

func newAgent(t *testing.T, args ...string) agent {
	t.Helper()
	c := client.NewClient(transport.NewStdio(testbin.Build(t, "toolgraph"), nil, append([]string{"toolkit"}, args...)...))
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // it ends a child that is well
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return agent{t, c}
}

// call calls a tool with arguments in JSON and demands that want is in its value.
func (a agent) call(tool, args, want string) {
	a.t.Helper()
	var given map[string]any
	mustUnmarshal(a.t, []byte(args), &given)
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = tool, given
	result, err := a.c.CallTool(context.Background(), call)
	if err != nil || result.IsError {
		a.t.Fatalf("%s: %v, %+v", tool, err, result)
	}
	got, err := json.Marshal(result.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	if err := containsJSON(got, []byte(want)); err != nil {
		a.t.Fatalf("%s: %v\nin %s", tool, err, got)
	}
}

// raw is the whole answer to a call, as JSON.
func (a agent) raw(tool, args string) string {
	a.t.Helper()
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = tool, json.RawMessage(args)
	result, err := a.c.CallTool(context.Background(), call)
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	got, err := json.Marshal(result)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(got)
}

// The conversation in which a graph tool is made: from looking around to deleting it.
func TestToolkitConversation(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	a := newAgent(t, "-g", path, "--allow-write", "--allow-run", "--state", t.TempDir())
	list, err := a.c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := slices.Sorted(slices.Values(toolkitTools)); !slices.Equal(names, want) {
		t.Fatalf("the tools are %v, want %v", names, want)
	}

	a.call("getGraphServer", `{}`, `{"name": "notes", "version": "1.0.0", "title": "notes"}`)
	a.call("listGraphTools", `{}`, `{"items": [{"name": "first", "description": "Gives what it gets."}]}`)
	a.call("listMcpServers", `{}`, `{"items": [{"name": "files", "title": "Demo files", "version": "1.0.0", "instructions": "Read-only access to the files of one directory."}]}`)
	a.call("listMcpServerTools", `{"serverName": "files"}`, `{"items": [{"name": "list_directory", "server": "files"}, {"name": "find_files"}, {"name": "read_file"}]}`)
	a.call("getMcpServerTool", `{"serverName": "files", "toolName": "list_directory"}`, `{"name": "list_directory", "inputSchema": {"required": ["path"]}, "outputSchema": {"type": "object"}}`)
	a.call("testMcpTool", `{"server": "files", "tool": "list_directory", "args": {"path": {"expr": "$.entry.directory"}}, "context": {"entry": {"directory": "notes"}}}`,
		`{"output": {"entries": [{"name": "garden.md"}, {"name": "travel.md"}]}, "evaluatedArgs": {"path": "notes"}}`)
	a.call("testJSONata", `{"expression": "{\"count\": $count($.list.entries)}", "context": {"list": {"entries": [1, 2]}}}`, `{"result": {"count": 2}, "reads": ["list.entries"]}`)
	a.call("testJSONLogic", `{"expression": {">": [{"var": "count.count"}, 1]}, "context": {"count": {"count": 2}}}`, `{"result": true}`)
	a.call("runGraphTool", `{"toolDefinition": `+countTool+`, "arguments": {"directory": "notes"}, "logging": true}`,
		`{"result": {"count": 2}, "executionHistory": [{"nodeId": "entry"}, {"nodeId": "list"}, {"nodeId": "count", "nodeType": "transform", "executionIndex": 2}, {"nodeId": "exit", "output": {"count": 2}}]}`)
	fileIs(t, path, toolkitGraph)
	a.call("checkGraphTool", `{"toolDefinition": `+countTool+`}`, `{"valid": true, "diagnostics": []}`)

	a.call("addGraphTool", `{"tool": `+countTool+`}`, `{"success": true}`)
	fileIs(t, path, toolkitGraph+countYAML)
	a.call("runGraphTool", `{"toolName": "count_notes", "arguments": {"directory": "notes"}}`, `{"result": {"count": 2}}`)
	a.call("getGraphTool", `{"toolName": "count_notes"}`, countTool)
	a.call("explainGraphTool", `{"toolName": "count_notes"}`, `{"calls": [{"server": "files", "tool": "list_directory", "readOnly": true}]}`)
	a.call("testGraphTool", `{"toolName": "count_notes", "tests": [{"args": {"directory": "x"}, "mocks": {"list": {"result": {"entries": []}}}, "expect": {"value": {"count": 0}}}]}`, `{"passed": 1, "failed": 0}`)

	update := strings.Replace(countTool, "How many notes there are.", "Counts notes.", 1)
	a.call("updateGraphTool", `{"toolName": "count_notes", "tool": `+update+`}`, `{"success": true}`)
	fileIs(t, path, toolkitGraph+strings.Replace(countYAML, "How many notes there are.", "Counts notes.", 1))
	a.call("readRun", `{}`, `{"tool": "count_notes", "status": "finished", "arguments": {"value": {"directory": "notes"}}, "history": [{"nodeId": "entry"}, {"nodeId": "list"}, {"output": {"value": {"count": 2}}}, {"nodeId": "exit"}]}`)
	a.call("deleteGraphTool", `{"toolName": "count_notes"}`, `{"success": true}`)
	fileIs(t, path, toolkitGraph)
	a.call("listGraphTools", `{}`, `{"items": [{"name": "first"}]}`)
}

func fileIs(t testing.TB, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatalf("the file is\n%s\nwant\n%s", got, want)
	}
}

// What is not allowed is refused with the remedy, and changes nothing.
func TestToolkitRefuses(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	s := startToolkit(t, path)
	for tool, c := range map[string]struct{ args, flag string }{
		"addGraphTool":    {`{"tool": ` + countTool + `}`, "--allow-write"},
		"updateGraphTool": {`{"toolName": "first", "tool": ` + countTool + `}`, "--allow-write"},
		"deleteGraphTool": {`{"toolName": "first"}`, "--allow-write"},
		"runGraphTool":    {`{"toolName": "first", "arguments": {}}`, "--allow-run"},
		"testMcpTool":     {`{"server": "files", "tool": "list_directory", "args": {"path": "."}}`, "--allow-run"},
	} {
		r := s.call(tool, oneLine(t, c.args))
		if !r.IsError || !strings.Contains(r.text(t), "add "+c.flag) {
			t.Errorf("%s: %s", tool, r.text(t))
		}
	}
	fileIs(t, path, toolkitGraph)
	for _, tool := range []string{"listMcpServers", "listGraphTools"} {
		if r := s.call(tool, `{}`); r.IsError {
			t.Errorf("%s: %s", tool, r.text(t))
		}
	}
}

// A wrong call is answered so that the agent can correct it.
func TestToolkitMistakes(t *testing.T) {
	t.Parallel()
	s := startToolkit(t, toolkitFolder(t, toolkitGraph), allowAll...)
	for _, c := range []struct{ tool, args, want string }{
		{"getGraphTool", `{}`, "toolName"},
		{"getGraphTool", `{"toolName": "frist"}`, `tool "frist" not found; did you mean "first"?`},
		{"deleteGraphTool", `{"toolName": "x"}`, `tool "x" not found; listGraphTools`},
		{"updateGraphTool", `{"toolName": "x", "tool": {"name": "x"}}`, `tool "x" not found`},
		{"addGraphTool", `{"tool": {"name": "first"}}`, `tool "first" already exists`},
		{"runGraphTool", `{"toolName": "x", "arguments": {}}`, `tool "x" not found`},
		{"runGraphTool", `{"arguments": {}}`, "neither toolName nor toolDefinition"},
		{"runGraphTool", `{"toolName": "first", "toolDefinition": {"name": "x"}, "arguments": {}}`, "toolName and toolDefinition are both given"},
		{"runGraphTool", `{"toolDefinition": {}, "arguments": {}}`, "the tool has no name"},
		{"runGraphTool", `{"toolDefinition": ` + countTool + `, "arguments": {"directory": 1}}`, "directory: expected a string"},
		{"listMcpServerTools", `{"serverName": "file"}`, `server "file" not found; did you mean "files"?`},
		{"getMcpServerTool", `{"serverName": "files", "toolName": "list_dir"}`, `tool "list_dir" of server "files" not found`},
		{"readRun", `{}`, "no run of this graph file is recorded yet"},
		{"readRun", `{"runId": "nope"}`, `run "nope" not found; listRuns lists the recorded runs`},
		{"testGraphTool", `{"toolName": "first"}`, "give tests as an argument"},
		{"testGraphTool", `{"toolName": "first", "tests": [{"expcet": {}}]}`, `did you mean "expect"?`},
	} {
		r := s.call(c.tool, oneLine(t, c.args))
		if !r.IsError || !strings.Contains(r.text(t), c.want) {
			t.Errorf("%s %s: %s, want %s", c.tool, c.args, r.text(t), c.want)
		}
	}
	for _, c := range []struct{ tool, args, want string }{
		{"testMcpTool", `{"server": "fils", "tool": "t", "args": {}}`, `{"output": null}`},
		{"testMcpTool", `{"server": "files", "tool": "list_directory", "args": {"path": {"expr": "$.entry.directory +"}}, "context": {}}`, `{"output": null}`},
		{"testMcpTool", `{"server": "files", "tool": "list_directory", "args": {"path": "missing"}}`, `{"output": null, "error": {"details": {"code": "tool-error"}}}`},
		{"testJSONata", `{"expression": "{\"result\": $.value + }", "context": {"value": 5}}`, `{"result": null, "error": {"details": {"code": "syntax", "offset": 21}}}`},
		{"testJSONata", `{"expression": "1 + \"a\""}`, `{"result": null, "error": {"details": {"code": "T2002"}}}`},
		{"testJSONLogic", `{"expression": {"nope": 1}, "context": {}}`, `{"result": null, "error": {"details": {"code": "rule"}}}`},
		{"testJSONata", `{"expression": "a.b", "context": {"a": 1}}`, `{"result": null}`},
	} {
		r := s.call(c.tool, oneLine(t, c.args))
		if r.IsError || containsJSON(r.Structured, []byte(c.want)) != nil || !bytes.Contains(r.Structured, []byte(`"message":"`)) && !bytes.Contains(r.Structured, []byte(`"note":"`)) {
			t.Errorf("%s %s: %s, want %s", c.tool, c.args, r.text(t), c.want)
		}
	}
}

// Once a server has listed its tools, the check knows their outputs, and the explanation
// shows what nodes read and write.
func TestToolkitKnowsServers(t *testing.T) {
	t.Parallel()
	s := startToolkit(t, toolkitFolder(t, toolkitGraph), allowAll...)
	wrong := oneLine(t, strings.Replace(countTool, "$count($.list.entries)", "$.list.entires[0].size", 1))
	s.mustCall(t, "checkGraphTool", `{"toolDefinition": `+wrong+`}`, `{"valid": true, "diagnostics": []}`)
	s.mustCall(t, "listMcpServerTools", `{}`, `{}`)
	s.mustCall(t, "checkGraphTool", `{"toolDefinition": `+wrong+`}`,
		`{"diagnostics": [{"code": "impossible-path", "severity": "warning", "tool": "count_notes", "node": "count", "path": "nodes[2].transform.expr", "source": "\"count\": $.list.entires[0].size"}]}`)
	s.mustCall(t, "explainGraphTool", `{"toolDefinition": `+oneLine(t, countTool)+`}`,
		`{"name": "count_notes", "nodes": [{"id": "entry", "next": [{"to": "list"}]}, {"id": "list", "does": "calls list_directory of server files", "reads": [{"path": "entry.directory", "in": "$.entry.directory"}]}, {"id": "count", "reads": [{"path": "list.entries"}], "writes": "{count: integer}"}, {"id": "exit"}], "result": "{count: integer}"}`)
	s.mustCall(t, "addGraphTool", `{"tool": `+wrong+`}`, `{"success": true, "warnings": [{"code": "impossible-path"}]}`)
}
