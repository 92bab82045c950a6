package graph

import (
	"slices"
	"testing"
	"time"

	"toolgraph/config"
)

// hashed is a graph with something of every kind in it.
func hashed() *config.File {
	return newFile(
		entryNode("entry", "list"),
		mcpNode("list", "files", "list", "pick", data(object{"path", expression("entry.path"), "n", 1, "l", []any{1, "1"}})),
		switchNode("pick", "count", when(over(">", "entry.n", 1), "exit"), when(over("<", "entry.n", 0), "count")),
		transformNode("count", "$count(list)", "exit"),
		exitNode("exit"),
	)
}

func hashOf(t *testing.T, f *config.File) string {
	t.Helper()
	return mustBuild(t, f)[0].Hash
}

func TestHashIsStable(t *testing.T) {
	const want = "666eca63a19e9d0a872469b29858649b857857255f0e757e2575a71aaff731fb"
	if got := hashOf(t, hashed()); got != want {
		t.Errorf("hash %s, want %s: journals name graphs by their hash, so change the version in hash when the form must change", got, want)
	}
}

func TestHashIgnoresFormatting(t *testing.T) {
	want := hashOf(t, hashed())
	edits := map[string]func(f *config.File){
		"places":       func(f *config.File) { f.Tools[0].Nodes[1].Pos = at(1000) },
		"descriptions": func(f *config.File) { f.Tools[0].Description = word("counts"); f.Server.Name = word("x") },
		"order of nodes": func(f *config.File) {
			slices.Reverse(f.Tools[0].Nodes)
		},
		"order of keys": func(f *config.File) {
			args := f.Tools[0].Nodes[1].Args
			slices.Reverse(args.Keys)
			slices.Reverse(args.Items)
		},
		"space around an expression": func(f *config.File) { f.Tools[0].Nodes[3].Expr.Value = "\n  $count(list)\n" },
		"form of a default": func(f *config.File) {
			pick := f.Tools[0].Nodes[2]
			pick.Next = config.Text{}
			pick.Conditions = append(pick.Conditions, when(nil, "count"))
		},
		"other tools": func(f *config.File) {
			f.Tools = append(f.Tools, newTool("other", entryNode("entry", "exit"), exitNode("exit")))
		},
	}
	for name, edit := range edits {
		f := hashed()
		edit(f)
		if hashOf(t, f) != want {
			t.Errorf("%s changed the hash", name)
		}
	}
}

func TestHashSeesMeaning(t *testing.T) {
	edits := map[string]func(f *config.File, nodes []*config.Node){
		"tool name":  func(f *config.File, _ []*config.Node) { f.Tools[0].Name.Value = "tool2" },
		"limit":      func(f *config.File, _ []*config.Node) { f.Limits.MaxNodeExecutions = 9 },
		"time limit": func(f *config.File, _ []*config.Node) { f.Limits.MaxExecutionTime = time.Second },
		"id": func(_ *config.File, n []*config.Node) {
			n[3].ID.Value, n[2].Next.Value, n[2].Conditions[1].Next.Value = "c", "c", "c"
		},
		"next":           func(_ *config.File, n []*config.Node) { n[1].Next.Value = "count" },
		"default":        func(_ *config.File, n []*config.Node) { n[2].Next.Value = "exit" },
		"condition next": func(_ *config.File, n []*config.Node) { n[2].Conditions[0].Next.Value = "count" },
		"rule":           func(_ *config.File, n []*config.Node) { n[2].Conditions[0].Rule = over(">", "entry.n", 2) },
		"rule order":     func(_ *config.File, n []*config.Node) { slices.Reverse(n[2].Conditions) },
		"one rule fewer": func(_ *config.File, n []*config.Node) { n[2].Conditions = n[2].Conditions[:1] },
		"expression":     func(_ *config.File, n []*config.Node) { n[3].Expr.Value = "$sum(list)" },
		"server":         func(_ *config.File, n []*config.Node) { n[1].Server.Value = "search" },
		"upstream tool":  func(_ *config.File, n []*config.Node) { n[1].Tool.Value = "ls" },
		"argument":       func(_ *config.File, n []*config.Node) { n[1].Args.Items[1].Scalar = 2.0 },
		"argument name":  func(_ *config.File, n []*config.Node) { n[1].Args.Keys[1].Value = "m" },
		"argument type":  func(_ *config.File, n []*config.Node) { n[1].Args.Items[1].Scalar = "1" },
		"array order":    func(_ *config.File, n []*config.Node) { slices.Reverse(n[1].Args.Items[2].Items) },
		"literal": func(_ *config.File, n []*config.Node) {
			n[1].Args.Items[0] = data("entry.path")
		},
		"no args": func(_ *config.File, n []*config.Node) { n[1].Args = nil },
		"node type": func(_ *config.File, n []*config.Node) {
			n[3].Type, n[3].Server, n[3].Tool = config.MCPNode, word("files"), word("x")
		},
	}
	seen := map[string]string{hashOf(t, hashed()): "the original"}
	for name, edit := range edits {
		f := hashed()
		edit(f, f.Tools[0].Nodes)
		h := hashOf(t, f)
		if other, ok := seen[h]; ok {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}
