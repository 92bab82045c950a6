package names

import (
	"fmt"
	"strings"
	"testing"
)

// A rename is refused while a file that may import the name is no YAML, or was not read because there are too many.
func TestRenameBesideUnknownFiles(t *testing.T) {
	const graph = "version: \"1.0\"\nserver: {name: s, version: 1.0.0}\ntools:\n  - name: t\n    nodes: [{id: a, type: entry, next: e}]\n"
	many := map[string]string{"g.yaml": graph}
	for i := range mostFiles {
		many[fmt.Sprintf("x%d.yaml", i)] = "other: yaml"
	}
	for name, c := range map[string]struct {
		files   map[string]string
		refused bool
	}{
		"importer":  {map[string]string{"g.yaml": graph, "x.yaml": "imports: {g: ./g.yaml}\ntools: ["}, true},
		"unrelated": {map[string]string{"g.yaml": graph, "x.yaml": "{{ g.yaml }}: ["}, false},
		"too many":  {many, true},
	} {
		files := Files{
			Read: func(path string) ([]byte, bool) { text, ok := c.files[path]; return []byte(text), ok },
			List: func(string) []string { return sortedKeys(c.files) },
		}
		_, err := Read(Gather("g.yaml", files)).Rename(Name{Kind: Tool, File: "g.yaml", Name: "t"}, "z")
		if refused := err != nil && strings.Contains(err.Error(), "are unknown"); refused != c.refused || !refused && err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
