package graph

import (
	"slices"

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

// Node is one of *Entry, *MCP, *Transform, *Switch, *Exit. A linter names the type switch
// that forgets one.
//
//sumtype:decl
type Node interface {
	ID() string
	Type() config.NodeType
	Pos() config.Pos
	Successors() []string // ids, in file order, without repetitions; not to be changed
	core() *base
}

type base struct {
	id         string
	pos        config.Pos
	index      int // in Graph.Nodes
	successors []string
}

func (b *base) ID() string           { return b.id }
func (b *base) Pos() config.Pos      { return b.pos }
func (b *base) Successors() []string { return b.successors }
func (b *base) core() *base          { return b }

// Entry receives the tool's arguments.
type Entry struct {
	base
	Next Node
}

// Type is config.EntryNode.
func (*Entry) Type() config.NodeType { return config.EntryNode }

// MCP calls a tool of an upstream server.
type MCP struct {
	base
	Server, Tool string
	Args         *Args
	OnCrash      config.OnCrash // no part of the graph's hash: it may be written after a crash
	Next         Node

	toolPos config.Pos
}

// Type is config.MCPNode.
func (*MCP) Type() config.NodeType { return config.MCPNode }

// Transform yields the value of an expression.
type Transform struct {
	base
	Expr *Expr
	Next Node
}

// Type is config.TransformNode.
func (*Transform) Type() config.NodeType { return config.TransformNode }

// Switch goes to the first condition that holds, else to Default. A condition
// that always holds is the Default, so every Condition has a rule and Default is
// never nil.
type Switch struct {
	base
	Conditions []Condition
	Default    Node
}

// Type is config.SwitchNode.
func (*Switch) Type() config.NodeType { return config.SwitchNode }

// Condition is one way out of a switch.
type Condition struct {
	Rule *Rule
	Next Node
}

// Exit ends the run with the output of the node executed before it.
type Exit struct{ base }

// Type is config.ExitNode.
func (*Exit) Type() config.NodeType { return config.ExitNode }

// EdgeKind tells why a run takes an edge.
type EdgeKind string

// The kinds of edges.
const (
	NextEdge      EdgeKind = "next"      // always
	ConditionEdge EdgeKind = "condition" // its rule holds, and no rule before it
	DefaultEdge   EdgeKind = "default"   // no rule of the switch holds
)

// Edge is one way from a node to another.
type Edge struct {
	From, To string
	Label    string // short text of the rule, "default", or empty
	Kind     EdgeKind
}

// Edges are all edges in file order; a switch's in the order they are tried, its
// default last.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	for _, node := range g.Nodes {
		from := node.ID()
		switch n := node.(type) {
		case *Entry:
			edges = append(edges, Edge{From: from, To: n.Next.ID(), Kind: NextEdge})
		case *MCP:
			edges = append(edges, Edge{From: from, To: n.Next.ID(), Kind: NextEdge})
		case *Transform:
			edges = append(edges, Edge{From: from, To: n.Next.ID(), Kind: NextEdge})
		case *Switch:
			for _, c := range n.Conditions {
				edges = append(edges, Edge{From: from, To: c.Next.ID(), Label: ruleLabel(c.Rule.Data), Kind: ConditionEdge})
			}
			edges = append(edges, Edge{From: from, To: n.Default.ID(), Label: "default", Kind: DefaultEdge})
		case *Exit:
		}
	}
	return edges
}

// targets are the nodes that a node leads to, with repetitions; ways out that lead
// nowhere are left out.
func targets(node Node) []Node {
	var all []Node
	switch n := node.(type) {
	case *Entry:
		all = []Node{n.Next}
	case *MCP:
		all = []Node{n.Next}
	case *Transform:
		all = []Node{n.Next}
	case *Switch:
		for _, c := range n.Conditions {
			all = append(all, c.Next)
		}
		all = append(all, n.Default)
	case *Exit:
	}
	return slices.DeleteFunc(all, func(n Node) bool { return n == nil })
}

func successors(node Node) []string {
	var ids []string
	seen := map[string]bool{}
	for _, t := range targets(node) {
		if !seen[t.ID()] {
			seen[t.ID()] = true
			ids = append(ids, t.ID())
		}
	}
	return ids
}
