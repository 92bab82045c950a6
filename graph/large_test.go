package graph

import (
	"fmt"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/base/cost"
)

// chain is a graph of n nodes in a row.
func chain(n int) *config.File {
	nodes := []*config.Node{entryNode("entry", "n1")}
	for i := 1; i < n-1; i++ {
		nodes = append(nodes, transformNode(fmt.Sprintf("n%d", i), "entry.n", fmt.Sprintf("n%d", i+1)))
	}
	nodes[n-2].Next.Value = "exit"
	return newFile(append(nodes, exitNode("exit"))...)
}

var highest = WithCaps(Caps{NodesPerTool: 5000, ConditionsPerSwitch: 1000, Tools: 1000})

// What building costs grows with the graph, also where it has to be searched.
func TestLargeGraphsCostLittle(t *testing.T) {
	trapped := func(n int) *config.File {
		f := chain(n)
		f.Tools[0].Nodes[n-2].Next.Value = "n1"
		return f
	}
	broken := func(n int) *config.File {
		f := chain(n)
		for _, node := range f.Tools[0].Nodes {
			node.Next.Value += "x"
		}
		return f
	}
	crossed := func(n int) *config.File { // every switch may go on or to the exit
		nodes := []*config.Node{entryNode("entry", "n1"), exitNode("exit")}
		for i := 1; i < n-1; i++ {
			nodes = append(nodes, switchNode(fmt.Sprintf("n%d", i), "exit", when(over(">", "entry.n", i), fmt.Sprintf("n%d", i+1))))
		}
		nodes[n-1].Conditions[0].Next.Value = "n1"
		return newFile(nodes...)
	}
	lost := func(n int) *config.File { // every expression reads a node that is not there
		f := chain(n)
		for _, node := range f.Tools[0].Nodes[1 : n-1] {
			node.Expr.Value = "m" + node.ID.Value + ".n"
		}
		return f
	}
	for name, file := range map[string]func(n int) *config.File{
		"chain": chain, "trapped": trapped, "broken": broken, "crossed": crossed, "lost": lost,
	} {
		t.Run(name, func(t *testing.T) {
			cost.Linear(t, 1000, func(n int) func() {
				f := file(n)
				return func() { Build(t.Context(), f, highest) }
			})
		})
	}
	mustBuild(t, chain(5000), highest)
	graphs, found, _ := Build(t.Context(), trapped(5000), highest)
	if errs, _ := found.Split(); len(graphs) != 0 || len(errs) != 1 || errs[0].Code != "no-way-to-exit" {
		t.Errorf("findings %v", found)
	}
}

func TestOneFindingPerTrap(t *testing.T) {
	var nodes []*config.Node
	nodes = append(nodes, entryNode("entry", "s"), exitNode("exit"),
		switchNode("s", "exit", when(over(">", "entry.n", 1), "a"), when(over(">", "entry.n", 2), "p")))
	nodes = append(nodes, transformNode("a", "1", "b"), transformNode("b", "1", "c"), transformNode("c", "1", "b"))
	nodes = append(nodes, transformNode("p", "1", "p"))
	wantFindings(t, newFile(nodes...), "error no-way-to-exit g.yaml:50:1", "error no-way-to-exit g.yaml:70:1")
}

func TestCaps(t *testing.T) {
	codes := func(f *config.File, opts ...Option) string {
		_, found, _ := Build(t.Context(), f, opts...)
		s := ""
		for _, d := range otherThanSwitchToExit(found) {
			s += d.Severity.String() + " " + d.Code + ";"
		}
		return s
	}
	for n, want := range map[int]string{400: "", 401: "warning too-many-nodes;", 500: "warning too-many-nodes;", 501: "error too-many-nodes;"} {
		if got := codes(chain(n)); got != want {
			t.Errorf("%d nodes: %q, want %q", n, got, want)
		}
	}
	if got := codes(chain(501), WithCaps(Caps{NodesPerTool: 9999})); got != "" {
		t.Errorf("a raised cap: %q", got)
	}
	if got := codes(chain(5001), WithCaps(Caps{NodesPerTool: 9999})); got != "error too-many-nodes;" {
		t.Errorf("above the highest cap: %q", got)
	}
	f := newFile(entryNode("entry", "exit"), exitNode("exit"))
	for len(f.Tools) < 201 {
		f.Tools = append(f.Tools, newTool("t", entryNode("entry", "exit"), exitNode("exit")))
	}
	if got := codes(f); got != "error too-many-tools;" {
		t.Errorf("201 tools: %q", got)
	}
	conditions := make([]config.Condition, 101)
	for i := range conditions {
		conditions[i] = when(over(">", "entry.n", i), "exit")
	}
	if got := codes(newFile(entryNode("entry", "s"), switchNode("s", "exit", conditions...), exitNode("exit"))); got != "error too-many-conditions;" {
		t.Errorf("101 conditions: %q", got)
	}
}

func BenchmarkBuild5000(b *testing.B) {
	f := chain(5000)
	for b.Loop() {
		_, _, _ = Build(b.Context(), f, highest)
	}
}
