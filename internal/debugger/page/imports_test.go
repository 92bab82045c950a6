package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page shows the text of the graph file: what is in an import has no line of it, and its file instead.
func TestImportsHaveNoLinesOfTheFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const lib = "server: {name: lib, version: 1.0.0}\ncolour: x-ray\ntools: [{name: a, nodes: [{id: in, type: entry, next: t}, {id: t, type: transform, transform: {expr: '1 + 1'}, next: out}, {id: out, type: exit}]}]\n"
	if err := os.WriteFile("lib.yaml", []byte(strings.Replace(lib, "colour", "x-colour", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := openFile(t, "server: {name: g, version: 1.0.0}\nimports: {lib: lib.yaml}\ntools:\n  - name: go\n    nodes: [{id: in, type: entry, next: call}, {id: call, type: graph, tool: lib.a, next: out}, {id: out, type: exit}]\n", nil)
	found := good[projectJSON](c, "GET", "/api/project", "")
	if len(found.Tools) != 2 || found.Tools[0].File != "" || filepath.Base(found.Tools[1].File) != "lib.yaml" {
		t.Errorf("tools: %+v", found.Tools)
	}
	type drawn struct {
		Nodes []struct{ Line, Column int }
	}
	for tool, shown := range map[string]bool{"go": true, "lib.a": false} {
		for _, node := range good[drawn](c, "GET", "/api/graphs/"+tool, "").Nodes {
			if (node.Line > 0) != shown || (node.Column > 0) != shown {
				t.Errorf("%s: %+v", tool, node)
			}
		}
	}
}
