package graphtest

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// Check tells which names of the test file its graph file does not have: a name that
// nothing has is a test that tests nothing. Sorted.
func (s *Suite) Check(p *project.Project) config.Diagnostics {
	var found config.Diagnostics
	every := map[string]bool{} // what a mock of the file may be for
	for _, g := range p.Graphs {
		addCalls(every, g)
	}
	// unknown tells of a name that an owner does not have.
	unknown := func(name config.Text, pos config.Pos, owner, what string, known map[string]bool) {
		if name.Value == "" || known[name.Value] {
			return
		}
		names := make([]string, 0, len(known))
		for n := range known {
			names = append(names, n)
		}
		found.Add(pos, "unknown-test-name", fmt.Sprintf("%s has no %s %q", owner, what, name.Value), nearest(name.Value, names))
	}
	for _, m := range s.Mocks {
		unknown(m.Name, m.Name.Pos, s.Graph, callable, every)
	}
	graphs := map[string]*graph.Graph{}
	tools := map[string]bool{}
	for _, g := range p.Graphs {
		graphs[g.Tool.Name.Value] = g
		tools[g.Tool.Name.Value] = true
	}
	for _, c := range s.Cases {
		g := graphs[c.Tool.Value]
		if g == nil {
			unknown(c.Tool, c.Tool.Pos, s.Graph, "tool", tools)
			continue
		}
		owner := fmt.Sprintf("tool %q", c.Tool.Value)
		calls, nodes := map[string]bool{}, map[string]bool{ellipsis: true}
		addCalls(calls, g)
		for _, n := range g.Nodes {
			nodes[n.ID()] = true
		}
		for _, m := range c.Mocks {
			unknown(m.Name, m.Name.Pos, owner, callable, calls)
		}
		e := &c.Expect
		for i, id := range e.Path {
			unknown(config.Text{Value: id}, e.at("path", i), owner, "node", nodes)
		}
		for _, n := range e.Nodes {
			unknown(n.Node, n.Node.Pos, owner, "node", nodes)
		}
		for _, id := range e.Nothing {
			unknown(id, id.Pos, owner, "node", nodes)
		}
		for _, n := range e.Executions {
			unknown(n.Node, n.Node.Pos, owner, "node", nodes)
		}
		for _, call := range e.Calls {
			unknown(config.Text{Value: call.Node}, call.Pos, owner, "node", nodes)
		}
	}
	found.Sort()
	return found
}

// callable is what a mock is for.
const callable = "mcp node or server.tool"

// addCalls adds the names by which the calls of a graph can be mocked.
func addCalls(names map[string]bool, g *graph.Graph) {
	for _, n := range g.Nodes {
		if call, ok := n.(*graph.MCP); ok {
			names[call.ID()] = true
			names[call.Server+"."+call.Tool] = true
		}
	}
}

func nearest(name string, known []string) string {
	if near := wording.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write a name that the graph file has"
}
