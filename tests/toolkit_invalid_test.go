package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// invalidTools are definitions that must not be saved, each as a
// part of a good one, its replacement, and words of the refusal.
var invalidTools = []struct{ name, part, instead, refusal string }{
	// The graph.
	{"no entry", `{"id": "entry", "type": "entry", "next": "pick"},`, ``, "has no entry node"},
	{"two entries", `{"id": "exit", "type": "exit"}`, `{"id": "exit", "type": "exit"}, {"id": "in", "type": "entry", "next": "pick"}`, "is a second entry"},
	{"no exit", `, {"id": "exit", "type": "exit"}`, ``, "has no exit node"},
	{"two exits", `{"id": "exit", "type": "exit"}`, `{"id": "exit", "type": "exit"}, {"id": "out", "type": "exit"}`, "is a second exit"},
	{"an edge to nowhere", `"next": "pick"}`, `"next": "pik"}`, `did you mean "pick"?`},
	{"a condition to nowhere", `"next": "list"}]`, `"next": "lst"}]`, `did you mean "list"?`},
	{"a default to nowhere", `"next": "list"}], "next": "shape"`, `"next": "list"}], "next": "shpe"`, `did you mean "shape"?`},
	{"a server that is not there", `"server": "files"`, `"server": "file"`, `did you mean "files"?`},
	{"an exit that is never reached", `"transform": {"expr": "entry"}, "next": "exit"`, `"transform": {"expr": "entry"}, "next": "shape"`, "exit"},
	{"an edge back to the entry", `"transform": {"expr": "entry"}, "next": "exit"`, `"transform": {"expr": "entry"}, "next": "entry"`, "entry"},
	{"a duplicate id", `"id": "shape"`, `"id": "list"`, `duplicate node "list"`},
	{"a node that leads to itself alone", `"args": {"path": {"expr": "entry.path"}}, "next": "shape"`, `"args": {"path": {"expr": "entry.path"}}, "next": "list"`, "exit"},
	// What nodes are made of.
	{"a type that there is not", `"type": "mcp"`, `"type": "mcp-tool"`, "expected entry, mcp, graph, parallel, ask, transform, switch or exit"},
	{"a node without a type", `"type": "mcp", `, ``, "type"},
	{"a node without an id", `"id": "shape", `, ``, "id"},
	{"an id that is no text", `"id": "shape"`, `"id": 7`, "id"},
	{"an entry without next", `"type": "entry", "next": "pick"`, `"type": "entry"`, "next"},
	{"a call without next", `{"path": {"expr": "entry.path"}}, "next": "shape"`, `{"path": {"expr": "entry.path"}}`, "next"},
	{"a call without server", `"server": "files", `, ``, "has no server"},
	{"a call without tool", `"tool": "list_directory", `, ``, "has no tool"},
	{"args that are a list", `"args": {"path": {"expr": "entry.path"}}`, `"args": ["x"]`, "args"},
	{"a transform without an expression", `"transform": {"expr": "entry"}, `, ``, "has no expression"},
	{"a transform that is text", `"transform": {"expr": "entry"}`, `"transform": "entry"`, "transform: {expr"},
	{"an expression that is no text", `"transform": {"expr": "entry"}`, `"transform": {"expr": {"a": 1}}`, "expected text"},
	{"a switch without a default", `, "next": "list"}], "next": "shape"`, `, "next": "list"}]`, "default"},
	{"a condition without next", `"x"]}, "next": "list"}`, `"x"]}}`, "next"},
	{"conditions that are no list", `[{"rule": {"==": [{"var": "entry.path"}, "x"]}, "next": "list"}]`, `"list"`, "list"},
	{"a key that there is not", `"type": "mcp", `, `"type": "mcp", "sever": "files", `, "sever"},
	{"a next on the exit", `"type": "exit"`, `"type": "exit", "next": "list"`, "next"},
	// The tool.
	{"no name", `"name": "made", `, ``, "name"},
	{"a name with a space", `"made"`, `"made up"`, "name"},
	{"nodes that are no list", `"nodes": [`, `"nodes": {"a": [`, "nodes"},
	{"no nodes", `"nodes": [`, `"nodes": [], "x-nodes": [`, "nodes"},
	{"an inputSchema that is text", `"inputSchema": {"type": "object"}`, `"inputSchema": "object"`, "inputSchema"},
	{"an inputSchema of another type", `"inputSchema": {"type": "object"}`, `"inputSchema": {"type": "string"}`, "object"},
	{"an inputSchema with a type that there is not", `"inputSchema": {"type": "object"}`, `"inputSchema": {"type": "object", "properties": {"a": {"type": "strin"}}}`, "strin"},
	{"an outputSchema that is a list", `"inputSchema": {"type": "object"}`, `"inputSchema": {"type": "object"}, "outputSchema": ["object"]`, "outputSchema"},
	// The expressions.
	{"broken JSONata in a transform", `{"expr": "entry"}`, `{"expr": "{ \"value\": $.entry.value + }"}`, "nodes[3].transform.expr"},
	{"broken JSONata in args", `{"expr": "entry.path"}`, `{"expr": "$.entry.value +"}`, "nodes[2].args.path.expr"},
	{"broken JSONata in a rule", `{"var": "entry.path"}`, `{"var": "$.entry.value +"}`, "nodes[1].conditions[0].rule"},
	{"an expression that is not alone", `{"expr": "entry.path"}`, `{"expr": "entry.path", "default": "."}`, `"default" next to expr`},
	{"a function that there is not", `{"expr": "entry"}`, `{"expr": "$sumn(entry)"}`, "unknown function $sumn"},
	{"a node that there is not", `{"expr": "entry"}`, `{"expr": "$.lst.entries"}`, `lst`},
	{"an operator that there is not", `{"==": [`, `{"=": [`, "="},
	{"two operators in a rule", `"x"]}, "next"`, `"x"], "!": [1]}, "next"`, "operator"},
}

const goodTool = `{"name": "made", "description": "d", "inputSchema": {"type": "object"}, "nodes": [` +
	`{"id": "entry", "type": "entry", "next": "pick"}, ` +
	`{"id": "pick", "type": "switch", "conditions": [{"rule": {"==": [{"var": "entry.path"}, "x"]}, "next": "list"}], "next": "shape"}, ` +
	`{"id": "list", "type": "mcp", "server": "files", "tool": "list_directory", "args": {"path": {"expr": "entry.path"}}, "next": "shape"}, ` +
	`{"id": "shape", "type": "transform", "transform": {"expr": "entry"}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`

// No invalid graph is saved, run or called valid, whichever way it comes; the file is not
// even touched, and the refusal says what to repair.
func TestToolkitInvalidGraphs(t *testing.T) {
	t.Parallel()
	path := toolkitFolder(t, toolkitGraph)
	s := startToolkit(t, path, allowAll...)
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	for _, c := range invalidTools {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(goodTool, c.part) != 1 {
				t.Fatalf("%q stands %d times in the tool", c.part, strings.Count(goodTool, c.part))
			}
			bad := strings.Replace(goodTool, c.part, c.instead, 1)
			if strings.Contains(c.instead, `{"a": [`) {
				bad = strings.TrimSuffix(bad, "]}") + "]}}"
			}
			for tool, args := range map[string]string{
				"addGraphTool":    `{"tool": %s}`,
				"updateGraphTool": `{"toolName": "first", "tool": %s}`,
				"runGraphTool":    `{"toolDefinition": %s, "arguments": {"path": "notes"}}`,
			} {
				r := s.call(tool, fmt.Sprintf(args, bad))
				if !r.IsError || !strings.Contains(r.text(t), c.refusal) {
					t.Errorf("%s: %s\nwant words on %s", tool, r.text(t), c.refusal)
				}
			}
			r := s.call("checkGraphTool", fmt.Sprintf(`{"toolDefinition": %s}`, bad))
			if !r.IsError && containsJSON(r.Structured, []byte(`{"valid": false}`)) != nil {
				t.Errorf("it is called valid: %s", r.text(t))
			}
			fileIs(t, path, toolkitGraph)
			if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(old) {
				t.Errorf("the file was touched: %v %v", info.ModTime(), err)
			}
		})
	}
	if r := s.call("addGraphTool", `{"tool": `+goodTool+`}`); r.IsError {
		t.Errorf("the good one: %s", r.text(t))
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) > 3 { // the graph, its notes and perhaps the state
		t.Errorf("files were left behind: %v %v", left, err)
	}
}
