package flow

import (
	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// use is an expression of a node. Those of a switch are in its rules.
type use struct {
	expr *graph.Expr
	at   place
	call graph.Node // whose expression it is: the node, or a branch of it
}

// place is where an expression of a node stands.
type place uint8

const (
	inTransform place = iota
	inMessage
	inItems
	inArgs
	inWhen
	inUntil
	inHandled // the value of onError

	inIf        // of a step
	inKey       // of each
	inEachUntil // the until of each
	inTurnUntil // the until of repeat
)

// variables returns the variables of the language that an expression at the place has; each says
// that its node has a forEach. Package graph reports others.
func (p place) variables(each bool) []string {
	var names []string
	if each && (p == inArgs || p == inWhen || p == inHandled) {
		names = append(names, expressions.VarItem, expressions.VarIndex)
	}
	switch p {
	case inWhen, inHandled:
		names = append(names, expressions.VarFailure, expressions.VarAttempt)
	case inUntil:
		names = append(names, expressions.VarResult)
	case inTransform, inMessage, inItems, inArgs, inIf, inKey, inEachUntil, inTurnUntil:
	}
	return names
}

// usesOf returns the expressions of a node, those of its branches included.
func usesOf(node graph.Node) []use {
	var all []use
	add := func(at place, exprs ...*graph.Expr) {
		for _, e := range exprs {
			if e != nil {
				all = append(all, use{e, at, node})
			}
		}
	}
	switch n := node.(type) {
	case *graph.Transform:
		add(inTransform, n.Expr)
	case *graph.Ask:
		add(inMessage, n.Message.Expressions()...)
	case *graph.Parallel:
		for _, b := range n.Branches {
			all = append(all, usesOf(b.Node)...)
		}
	case *graph.Entry, *graph.MCP, *graph.SubGraph, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	if c := graph.CallingOf(node); c != nil {
		if c.ForEach != nil {
			add(inItems, c.ForEach.Items)
		}
		add(inArgs, c.Args.Expressions()...)
	}
	if m, isMCP := node.(*graph.MCP); isMCP && m.Retry != nil {
		add(inWhen, m.Retry.When)
		add(inUntil, m.Retry.Until)
	}
	if o := graph.OnErrorOf(node); o != nil && o.Value != nil {
		add(inHandled, o.Value.Expressions()...)
	}
	return all
}

// callsOf returns the calls that a node makes, each with its place in the file: the node itself, or
// the branches.
func callsOf(g *graph.Graph, i int) (calls []graph.Node, defined []*config.Node) {
	own := g.Tool.Nodes[i]
	switch n := g.Nodes[i].(type) {
	case *graph.MCP, *graph.SubGraph:
		return []graph.Node{n}, []*config.Node{own}
	case *graph.Parallel:
		for _, b := range n.Branches {
			calls = append(calls, b.Node)
		}
		return calls, own.Branches
	case *graph.Entry, *graph.Ask, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return nil, nil
}

// definitionOf returns how the file defines a node or a branch.
func definitionOf(g *graph.Graph, i int, node graph.Node) *config.Node {
	calls, defined := callsOf(g, i)
	for k, call := range calls {
		if call == node {
			return defined[k]
		}
	}
	return g.Tool.Nodes[i]
}
