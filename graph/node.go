package graph

import "toolgraph/config"

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
