package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const toolkitGraph = `server: {name: notes, version: 1.0.0}
mcpServers:
  files: {command: toolgraph, args: [demo-server, .]}
tools: []
`

// An agent's conversation with the toolkit, through the TypeScript SDK, which checks what
// it is given against the outputSchemas.
func TestToolkitThroughTheTypeScriptSDK(t *testing.T) {
	modules := modules(t, sdkPackage)
	s := newSurroundings(t)
	graph := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(graph, []byte(toolkitGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	node := func(fields ...any) map[string]any {
		n := map[string]any{}
		for i := 0; i < len(fields); i += 2 {
			n[fields[i].(string)] = fields[i+1]
		}
		return n
	}
	tool := map[string]any{
		"name": "count_notes", "description": "d",
		"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"directory": map[string]any{"type": "string"}}},
		"nodes": []any{
			node("id", "entry", "type", "entry", "next", "list"),
			node("id", "list", "type", "mcp", "server", "files", "tool", "list_directory", "args", node("path", node("expr", "entry.directory")), "next", "count"),
			node("id", "count", "type", "transform", "transform", node("expr", `{"count": $count(list.entries)}`), "next", "exit"),
			node("id", "exit", "type", "exit"),
		},
	}
	arguments := map[string]any{"directory": "data/notes"}
	talk := []struct {
		call call
		want string
	}{
		{call{"listMcpServers", map[string]any{}}, `"title":"Demo files"`},
		{call{"listMcpServerTools", map[string]any{}}, `"name":"list_directory"`},
		{call{"getMcpServerTool", map[string]any{"serverName": "files", "toolName": "list_directory"}}, `"outputSchema"`},
		{call{"testMcpTool", map[string]any{"server": "files", "tool": "list_directory", "args": map[string]any{"path": "data/notes"}}}, `"garden.md"`},
		{call{"testJSONata", map[string]any{"expression": "$count(list.entries)", "context": map[string]any{"list": map[string]any{"entries": []int{1, 2}}}}}, `"result":2`},
		{call{"runGraphTool", map[string]any{"toolDefinition": tool, "arguments": arguments}}, `"result":{"count":4}`},
		{call{"addGraphTool", map[string]any{"tool": tool}}, `"success":true`},
		{call{"runGraphTool", map[string]any{"toolName": "count_notes", "arguments": arguments}}, `"result":{"count":4}`},
		{call{"updateGraphTool", map[string]any{"toolName": "count_notes", "tool": tool}}, `"success":true`},
		{call{"listGraphTools", map[string]any{}}, `{"items":[{"name":"count_notes","description":"d"}]}`},
		{call{"deleteGraphTool", map[string]any{"toolName": "count_notes"}}, `"success":true`},
		{call{"listGraphTools", map[string]any{}}, `{"items":[]}`},
	}
	j := job{Command: []string{s.binary, "toolkit", "-g", graph, "--allow-write", "--allow-run", "--no-history"}, Directory: s.examples}
	for _, turn := range talk {
		j.Calls = append(j.Calls, turn.call)
	}
	for i, r := range bySDK(t, modules, s.env, j).Results {
		if r.IsError || !strings.Contains(r.text(), talk[i].want) {
			t.Errorf("%s: %s, want %s", talk[i].call.Tool, r.text(), talk[i].want)
		}
	}
	if src, err := os.ReadFile(graph); err != nil || string(src) != toolkitGraph {
		t.Errorf("the file is %s, %v", src, err)
	}
}
