package graph

import (
	"fmt"
	"slices"

	"toolgraph/config"
)

// linkGraphs gives each call of a tool its graph. Graphs may call themselves and each other.
func linkGraphs(graphs []*Graph) {
	byTool := make(map[string]*Graph, len(graphs))
	for _, g := range graphs {
		if g != nil && byTool[g.Tool.Name.Value] == nil {
			byTool[g.Tool.Name.Value] = g
		}
	}
	for _, g := range graphs {
		if g == nil {
			continue
		}
		for _, n := range g.CallNodes() {
			if sub, ok := n.(*SubGraph); ok {
				sub.Graph = byTool[sub.Tool]
			}
		}
	}
}

// whole returns the graphs that are not nil and call no graph that is, also through others.
func whole(graphs []*Graph) []*Graph {
	left := slices.DeleteFunc(slices.Clone(graphs), func(g *Graph) bool { return g == nil })
	for {
		before := len(left)
		left = slices.DeleteFunc(left, func(g *Graph) bool {
			return slices.ContainsFunc(g.CallNodes(), func(n Node) bool {
				sub, ok := n.(*SubGraph)
				return ok && !slices.Contains(left, sub.Graph)
			})
		})
		if len(left) == before {
			return left
		}
	}
}

// checkHidden warns of hidden tools that no run of another tool can reach.
func checkHidden(f *config.File, found *config.Diagnostics) {
	byName := make(map[string]*config.Tool, len(f.Tools))
	var todo []*config.Tool
	for _, t := range f.Tools {
		byName[t.Name.Value] = t
		if !t.IsInner() {
			todo = append(todo, t)
		}
	}
	reached := map[*config.Tool]bool{}
	for len(todo) > 0 {
		tool := todo[0]
		todo = todo[1:]
		for _, n := range tool.Nodes {
			for _, call := range n.All() {
				if call.Type != config.GraphNode {
					continue
				}
				called := byName[call.Tool.Value]
				if called == nil {
					return // it may be meant for a hidden tool, and is reported
				}
				if called.Hidden && !reached[called] {
					reached[called] = true
					todo = append(todo, called)
				}
			}
		}
	}
	for _, t := range f.Tools {
		if t.IsInner() && !reached[t] && sourceOf(f, t) == f { // an import need not be used in full
			found.Warn(orPos(t.Name.Pos, t.Pos), "unused-hidden", fmt.Sprintf("tool %q is hidden, and no tool that clients see calls it", t.Name.Value),
				"call it with a node of type graph or a step, or remove hidden").Over(t.Name).Fixed(config.RemoveNamed(t.Pos, "hidden"))
		}
	}
}
