package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project"
)

// A formatted file has the same graphs by their hashes, and the same findings.
func TestFormat(t *testing.T) {
	c := start(t, nil)
	wide := strings.Replace(strings.Replace(named, "      - {id: read", "\n\n      - {id: read", 1), "next: read\n", "next: read   \n", 1)
	wide = strings.ReplaceAll(wide, "        type: transform\n        transform:\n          expr: |\n            /*", "        type: transform\n        transform:\n              expr: |\n                      /*")
	uri := c.open("graph.yaml", wide)
	var edits []TextEdit
	ask := func() string {
		c.ask("textDocument/formatting", map[string]any{"textDocument": documentID{URI: uri}, "options": map[string]any{"tabSize": 4, "insertSpaces": true}}, &edits)
		return edited(c.texts[uri], slices.Clone(edits))
	}
	meaning := func(text string) string {
		p, err := project.Parse(t.Context(), filepath.Join(c.dir, "graph.yaml"), []byte(text), config.Options{Registries: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		found, err := p.Check(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, f := range found {
			all += f.Code + f.Message
		}
		for _, g := range p.Graphs {
			all += g.Hash
		}
		return all
	}
	got := ask()
	if strings.Contains(got, "\n\n\n") || !strings.Contains(got, "\n          expr: |\n") || !strings.Contains(got, "next: read\n") || strings.Count(got, "#") != strings.Count(wide, "#") {
		t.Errorf("got\n%s", got)
	}
	if meaning(got) != meaning(wide) {
		t.Error("the formatted file means something else")
	}
	c.edit(uri, Range{End: Position{Line: 1000}}, got)
	if ask(); len(edits) > 0 {
		t.Errorf("formatted again: %+v", edits)
	}
	c.edit(uri, Range{End: Position{Line: 1000}}, wide+"tools: [")
	if ask(); len(edits) > 0 {
		t.Errorf("a file that cannot be read: %+v", edits)
	}
}
