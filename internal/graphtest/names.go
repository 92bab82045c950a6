package graphtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// Check reports the names in the test file that its graph file does not have: a case with such
// a name tests nothing. Sorted.
func (s *Suite) Check(p *project.Project) config.Diagnostics {
	var found config.Diagnostics
	calls := map[string]bool{} // that a mock of the file may answer
	tools := map[string]bool{}
	graphs := map[string]*graph.Graph{}
	for _, g := range p.Graphs {
		addCalls(calls, g)
		graphs[g.Tool.Name.Value] = g
		tools[g.Tool.Name.Value] = true
	}
	unknown := func(name string, pos config.Pos, owner, what string, known map[string]bool) {
		if name != "" && !known[name] {
			hint := wording.DidYouMean(name, slices.Sorted(maps.Keys(known)))
			found.Add(pos, "unknown-test-name", fmt.Sprintf("%s has no %s %q", owner, what, name), cmp.Or(hint, "write a name that the graph file has"))
		}
	}
	for _, m := range s.Mocks {
		unknown(m.Name.Value, m.Name.Pos, s.Graph, callable, calls)
	}
	for _, c := range s.Cases {
		g := graphs[c.Tool.Value]
		if g == nil {
			unknown(c.Tool.Value, c.Tool.Pos, s.Graph, "tool", tools)
			continue
		}
		owner := fmt.Sprintf("tool %q", c.Tool.Value)
		calls, nodes := map[string]bool{}, map[string]bool{ellipsis: true}
		addCalls(calls, g)
		for _, n := range g.Nodes {
			nodes[n.ID()] = true
		}
		for _, m := range c.Mocks {
			unknown(m.Name.Value, m.Name.Pos, owner, callable, calls)
		}
		for _, id := range c.Expect.nodes() {
			unknown(id.Value, id.Pos, owner, "node", nodes)
		}
	}
	found.Sort()
	return found
}

// nodes returns the ids of nodes in the expectation, with their places.
func (e *Expect) nodes() []config.Text {
	all := slices.Clone(e.Nothing)
	for i, id := range e.Path {
		all = append(all, config.Text{Value: id, Pos: e.at("path", i)})
	}
	for _, n := range e.Nodes {
		all = append(all, n.Node)
	}
	for _, n := range e.Executions {
		all = append(all, n.Node)
	}
	for _, call := range e.Calls {
		all = append(all, config.Text{Value: call.Node, Pos: call.Pos})
	}
	return all
}

// callable is what the name of a mock means.
const callable = "mcp node or server.tool"

// addCalls adds the names that mocks of the calls of a graph can have.
func addCalls(names map[string]bool, g *graph.Graph) {
	for _, n := range g.Nodes {
		if call, ok := n.(*graph.MCP); ok {
			names[call.ID()] = true
			names[call.Server+"."+call.Tool] = true
		}
	}
}
