package graph

import (
	"toolgraph/config"
	"toolgraph/expressions/schema"
)

// Graph is one tool: checked, compiled, immutable, safe for concurrent use.
type Graph struct {
	Tool   *config.Tool // name, schemas, annotations, places
	Limits config.Limits
	Input  *schema.Schema // of the arguments
	Output *schema.Schema // of the value; nil when the file has none
	Entry  *Entry
	Nodes  []Node // in file order
	Hash   string // stable over formatting and comments: sha256 of the canonical meaning, hex

	byID map[string]Node
}

// Node is the node with this id, or nil.
func (g *Graph) Node(id string) Node { return g.byID[id] }

// Call is one upstream tool that a graph may call.
type Call struct {
	Server, Tool string
	Node         string     // the first node that calls it
	Pos          config.Pos // where that node names the tool
}

// Calls are the upstream tools of the graph's mcp nodes in file order, each once.
func (g *Graph) Calls() []Call {
	type target struct{ server, tool string }
	var calls []Call
	seen := map[target]bool{}
	for _, node := range g.Nodes {
		m, ok := node.(*MCP)
		if !ok || seen[target{m.Server, m.Tool}] {
			continue
		}
		seen[target{m.Server, m.Tool}] = true
		calls = append(calls, Call{Server: m.Server, Tool: m.Tool, Node: m.id, Pos: m.toolPos})
	}
	return calls
}
