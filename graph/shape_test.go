package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolgraph/config"
)

// drawGraph is a tool of up to eight nodes with any edges: switches go anywhere.
func drawGraph(t *rapid.T) *config.File {
	n := rapid.IntRange(0, 6).Draw(t, "inner")
	id := func(label string) string {
		i := rapid.IntRange(0, n).Draw(t, label)
		if i == n {
			return "exit"
		}
		return fmt.Sprintf("n%d", i)
	}
	nodes := []*config.Node{entryNode("entry", id("first")), exitNode("exit")}
	for i := range n {
		name := fmt.Sprintf("n%d", i)
		if rapid.Bool().Draw(t, "is switch") {
			nodes = append(nodes, switchNode(name, id("default"), when(over(">", "entry.n", 1), id("condition"))))
		} else {
			nodes = append(nodes, transformNode(name, "1", id("next")))
		}
	}
	return newFile(nodes...)
}

// closure returns by brute force which nodes lead to which.
func closure(tool *config.Tool) map[string]map[string]bool {
	leads := map[string]map[string]bool{}
	for _, n := range tool.Nodes {
		leads[n.ID.Value] = map[string]bool{n.ID.Value: true}
		if n.Next.Value != "" {
			leads[n.ID.Value][n.Next.Value] = true
		}
		for _, c := range n.Conditions {
			leads[n.ID.Value][c.Next.Value] = true
		}
	}
	for k := range leads {
		for i := range leads {
			for j := range leads {
				if leads[i][k] && leads[k][j] {
					leads[i][j] = true
				}
			}
		}
	}
	return leads
}

func TestShapeIsWhatBruteForceSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawGraph(t)
		leads := closure(f.Tools[0])
		want := map[string]bool{}
		trapped := false
		for i, n := range f.Tools[0].Nodes {
			id := n.ID.Value
			if leads[id]["exit"] {
				continue
			}
			trapped = true
			// One finding for each set that is closed: at its first node.
			closed, first := true, true
			for j, m := range f.Tools[0].Nodes {
				if leads[id][m.ID.Value] {
					closed = closed && leads[m.ID.Value][id]
					first = first && j >= i
				}
			}
			if closed && first {
				want["no-way-to-exit "+n.Pos.String()] = true
			}
		}
		for _, n := range f.Tools[0].Nodes {
			if !leads["entry"][n.ID.Value] && (!trapped || n.Type != config.ExitNode) {
				want["unreachable-node "+n.Pos.String()] = true
			}
		}
		_, found, _ := Build(t.Context(), f)
		for _, d := range otherThanSwitchToExit(found) {
			key := d.Code + " " + d.Pos.String()
			if !want[key] {
				t.Fatalf("unexpected: %v", d)
			}
			delete(want, key)
			// A finding covers the nodes behind its node, which it names.
			_, behind, _ := strings.Cut(d.Message, "those behind it: ")
			for _, n := range f.Tools[0].Nodes {
				if !slices.Contains(strings.Split(behind, ", "), n.ID.Value) {
					continue
				}
				from := slices.IndexFunc(f.Tools[0].Nodes, func(n *config.Node) bool { return n.Pos == d.Pos })
				if key := d.Code + " " + n.Pos.String(); !want[key] || !leads[f.Tools[0].Nodes[from].ID.Value][n.ID.Value] {
					t.Fatalf("%s is not behind it: %v", n.ID.Value, d)
				}
				delete(want, d.Code+" "+n.Pos.String())
			}
		}
		if len(want) > 0 {
			t.Fatalf("not found: %v", want)
		}
	})
}

// What Build lets through can be walked: nothing is nil, and drawing never fails.
func TestBuiltGraphsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		graphs, _, _ := Build(t.Context(), drawGraph(t))
		for _, g := range graphs {
			for _, e := range g.Edges() {
				if g.Node(e.From) == nil || g.Node(e.To) == nil {
					t.Fatalf("edge %+v", e)
				}
			}
			for _, node := range g.Nodes {
				if g.Node(node.ID()) != node {
					t.Fatalf("node %q is not found", node.ID())
				}
			}
			if Mermaid(g) == "" || DOT(g) == "" || JSON(g) == "" {
				t.Fatal("an empty drawing")
			}
		}
	})
}
