package graph

import "toolgraph/config"

// Graph is one tool: checked, compiled, immutable, safe for concurrent use.
type Graph struct {
	Tool   *config.Tool // name, schemas, annotations, places
	Limits config.Limits
	Entry  *Entry
	Nodes  []Node // in file order
	Hash   string // stable over formatting and comments: sha256 of the canonical meaning, hex

	byID map[string]Node
}

// Node is the node with this id, or nil.
func (g *Graph) Node(id string) Node { return g.byID[id] }

// Node is one of *Entry, *MCP, *Transform, *Switch, *Exit.
type Node interface {
	ID() string
	Type() config.NodeType
	Pos() config.Pos
	Successors() []string // ids, in file order, without repetitions
	isNode()
}

type base struct {
	id  string
	pos config.Pos
}

func (b base) ID() string      { return b.id }
func (b base) Pos() config.Pos { return b.pos }
func (b base) isNode()         {}

// Entry receives the tool's arguments.
type Entry struct {
	base
	Next Node
}

// MCP calls a tool of an upstream server.
type MCP struct {
	base
	Server, Tool string
	Args         *Args
	Next         Node
}

// Transform yields the value of an expression.
type Transform struct {
	base
	Expr *Expr
	Next Node
}

// Switch goes to the first condition that holds, else to Default.
type Switch struct {
	base
	Conditions []Condition
	Default    Node
}

// Condition is one way out of a switch.
type Condition struct {
	Rule *Rule // nil: always holds
	Next Node
}

// Exit ends the run with the output of the node executed before it.
type Exit struct{ base }
