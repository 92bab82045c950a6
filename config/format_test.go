package config_test

import (
	"testing"

	"toolgraph/config"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	url, node := config.NewText("a: b"), config.NewObject()
	node.Set("id", "fetch").Set("type", "mcp").
		Set("args", config.NewObject().Set("url", url).Set("count", float64(3)).Set("x", config.NewExpression("$.a.b[0]"))).
		Set("next", "exit")
	first, small := config.NewText("one"), config.NewText("1")
	root := config.NewObject().Set("version", "1.0").
		Set("tools", config.NewList(config.NewObject().Set("name", "t").Set("nodes", config.NewList(node)))).
		Set("list", config.NewList(config.NewObject().Set("a", first).Set("b", true))).
		Set("map", config.NewObject().Set("k", small)).
		Set("none", (*config.Data)(nil))
	got, err := config.Format("new.yaml", root, map[*config.Data]string{
		root: "A file.\n\nTwo lines.", url: "TODO: the\ttab and \x1b[31mred", node: "a node", first: "the first", small: "small",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `# A file.
#
# Two lines.
version: "1.0"
tools:
  - name: t
    nodes:
      # a node
      - id: fetch
        type: mcp
        args:
          # TODO: the tab and \x1b[31mred
          url: "a: b"
          count: 3
          x: {expr: "$.a.b[0]"}
        next: exit
list:
  # the first
  - a: one
    b: true
map:
  # small
  k: "1"
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
