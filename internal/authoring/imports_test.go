package authoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tools of imports are listed, explained and called, and changed in their own files only; a finding
// in one is reported with its file, and changes nothing of the graph file.
func TestToolsOfImports(t *testing.T) {
	k := kit(t, strings.Replace(graphFile, "tools:\n", "imports: {lib: lib.yaml}\ntools:\n", 1))
	lib := filepath.Join(filepath.Dir(k.opts.Graph), "lib.yaml")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(lib, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = "server: {name: lib, version: 1.0.0}\ntools:\n  - name: a\n    nodes: [{id: in, type: entry, next: out}, {id: out, type: exit}]\n"
	write(good)
	before, err := os.ReadFile(k.opts.Graph)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ operation, args, want string }{
		{"listGraphTools", `{}`, `"lib.a"`},
		{"explainGraphTool", `{"toolName": "lib.a"}`, `"id":"in"`},
		{"getGraphTool", `{"toolName": "lib.a"}`, `tool "lib.a" is defined in ` + lib},
		{"deleteGraphTool", `{"toolName": "lib.a"}`, `tool "lib.a" is defined in ` + lib},
		{"updateGraphTool", `{"toolName": "lib.a", "tool": {"name": "lib.a", "description": "d", "nodes": []}}`, `tool "lib.a" is defined in ` + lib},
		{"addGraphTool", `{"tool": {"name": "lib.b", "description": "d", "nodes": [{"id": "in", "type": "entry", "next": "out"}, {"id": "out", "type": "exit"}]}}`, `has a name that belongs to import \"lib\"`},
	} {
		if got := k.answerTo(t, c.operation, c.args); !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), strings.ReplaceAll(c.want, `\"`, `"`)) {
			t.Errorf("%s %s: %s\nwant %s", c.operation, c.args, got, c.want)
		}
	}
	write(strings.Replace(good, "next: out", "next: nowhere", 1))
	got := k.answerTo(t, "updateGraphTool", `{"toolName": "a", "tool": {"name": "a", "description": "d", "nodes": [{"id": "in", "type": "entry", "next": "out"}, {"id": "out", "type": "exit"}]}}`)
	if !strings.Contains(got, lib+", line 4") || !strings.Contains(got, "nowhere") {
		t.Errorf("an error in the import: %s", got)
	}
	if after, err := os.ReadFile(k.opts.Graph); err != nil || string(after) != string(before) {
		t.Errorf("%v; the graph file is now\n%s", err, after)
	}
}
