package authoring

import (
	"strings"
	"testing"
)

// A mistake that a model makes is answered with what to do instead.
func TestMistakesOfModels(t *testing.T) {
	nodes := `[{"id": "entry", "type": "entry", "next": "t"}, {"id": "t", "type": "transform", "transform": {"expr": "{\"n\": 1}"}, "next": "exit"}, {"id": "exit", "type": "exit"}]`
	for _, c := range []struct{ name, args, want string }{
		{"testJSONLogic", `{"expression": "{\">\": [{\"var\": \"a\"}, 1]}"}`, "give the object itself"},
		{"testJSONLogic", `{"expression": "a > 1"}`, `give {"var": "a > 1"}`},
		{"testGraphTool", `{"toolName": "a"}`, "no tests: the file"},
		{"addGraphTool", `{"tool": {"name": "b", "description": "d", "outputSchema": {"type": "object", "properties": {"n": {"type": "string"}}}, "nodes": ` + nodes + `}}`, "runs of it will fail"},
		{"addGraphTool", `{"tool": {"name": "c", "description": "d", "nodes": ` + nodes + `}}`, `"success":true`},
	} {
		if got := kit(t, graphFile).answerTo(t, c.name, c.args); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.name, c.args, got, c.want)
		}
	}
}

// A definition with the older name of a type is saved in the current form: the texts in
// other nodes' args mean what they meant.
func TestOlderTypeInADefinition(t *testing.T) {
	k := kit(t, graphFile)
	definition := `{"name": "b", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "call"}, {"id": "call", "type": "mcp_tool", "server": "fake", "tool": "echo", "args": {"a": "$.entry"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`
	if got := k.answerTo(t, "addGraphTool", `{"tool": `+definition+`}`); !strings.Contains(got, `"success":true`) || strings.Contains(got, "older") || !strings.Contains(got, "literal-expression") {
		t.Error(got)
	}
}

// A definition that does not fit a file of an older form is reported by the check, not only on saving.
func TestCheckInAnOlderFile(t *testing.T) {
	k := kit(t, strings.Replace(graphFile, "mcpServers", "servers", 1))
	got := k.answerTo(t, "checkGraphTool", `{"toolDefinition": {"name": "b", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "call"}, {"id": "call", "type": "mcp", "server": "fake", "tool": "echo", "args": {"a": "$.entry"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}}`)
	if !strings.Contains(got, `"valid":false`) || !strings.Contains(got, "cannot-edit") {
		t.Error(got)
	}
}

// Once a server has listed its tools, a call of an unknown one is found without a run.
func TestUnknownUpstreamTool(t *testing.T) {
	k := kit(t, graphFile)
	check := `{"toolDefinition": {"name": "b", "description": "d", "nodes": [{"id": "entry", "type": "entry", "next": "call"}, {"id": "call", "type": "mcp", "server": "fake", "tool": "fake.echo", "next": "exit"}, {"id": "exit", "type": "exit"}]}}`
	if got := k.answerTo(t, "checkGraphTool", check); strings.Contains(got, "unknown-upstream-tool") {
		t.Errorf("before the server was asked: %s", got)
	}
	k.answerTo(t, "listMcpServerTools", `{}`)
	if got := k.answerTo(t, "checkGraphTool", check); !strings.Contains(got, `"valid":false`) || !strings.Contains(got, "unknown-upstream-tool") {
		t.Error(got)
	}
}
