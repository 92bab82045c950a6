package graphtest

import (
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
)

// naming reads the names of nodes in a test of a tool: read is a node of the tool itself,
// facts.weather a branch of it, and todos_of_file:read a node of another tool, or of this one,
// wherever its graph runs. An id that has such a name goes first.
type naming struct {
	tool string
	ids  map[string]bool // of the tool's own nodes
}

func namingOf(g *graph.Graph) naming {
	n := naming{tool: g.Tool.Name.Value, ids: map[string]bool{}}
	for _, node := range g.Nodes {
		n.ids[node.ID()] = true
	}
	return n
}

// means reports whether a name is that of an execution. graph is the tool whose graph its frame
// runs, empty for the run's own; node is the id of its node, and called its Name.
func (n naming) means(name, graph, node, called string) bool {
	if n.ids[name] {
		return graph == "" && name == node && name == called
	}
	tool, own, qualified := strings.Cut(name, ":")
	return name == called || qualified && graph == "" && tool == n.tool && own == called
}

func (n naming) isOfCall(name string, c *execution.Call) bool {
	return n.means(name, c.Graph, c.Node, c.Name())
}

func (n naming) isOfRecord(name string, r *execution.Record) bool {
	return n.means(name, r.Tool, r.NodeID, r.Name())
}

// namesIn returns every name that a node of the graph, or of one that it calls, can have; calls are
// those that a mock can have: of nodes that make calls or ask, and of the tools that are called.
func namesIn(g *graph.Graph) (all, calls map[string]bool) {
	all, calls = map[string]bool{}, map[string]bool{}
	for _, of := range g.Reached() {
		add := func(names map[string]bool, id string) {
			names[of.Tool.Name.Value+":"+id] = true
			if of == g {
				names[id] = true
			}
		}
		if steps := of.Steps(); steps != nil {
			steps.EachStep(func(s *graph.Step) { add(all, s.Node.ID()) })
		}
		for _, node := range of.Nodes {
			add(all, node.ID())
			if node.Type() == config.AskNode {
				add(calls, node.ID())
			}
		}
		for _, node := range of.CallNodes() {
			add(all, node.ID()) // a branch is no node of the list
			add(calls, node.ID())
			if call, ok := node.(*graph.MCP); ok {
				calls[call.Server+"."+call.Tool] = true
			}
		}
	}
	return all, calls
}

// StandsFor returns the nodes of a graph, and of those that it calls, that the mock is for.
func (m *Mock) StandsFor(g *graph.Graph) []graph.Node {
	var nodes []graph.Node
	n := namingOf(g)
	for _, of := range g.Reached() {
		frame, prefix := "", ""
		if of != g {
			frame, prefix = of.Tool.Name.Value, of.Tool.Name.Value+":"
		}
		for _, node := range of.CallNodes() {
			call, isCall := node.(*graph.MCP)
			if n.means(m.Name.Value, frame, node.ID(), prefix+node.ID()) || isCall && m.Name.Value == call.Server+"."+call.Tool {
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}

// isItem reports whether a record is of one item of a forEach or of a step, or of one turn of a step: it has
// the name of the whole execution.
func isItem(r *execution.Record) bool {
	last := r.Part[strings.LastIndexByte(r.Part, '.')+1:]
	return last != "" && last[0] >= '0' && last[0] <= '9' || strings.Contains(last, "@")
}
