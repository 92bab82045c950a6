package flow

import (
	"toolgraph/config"
	"toolgraph/graph"
)

// Check is what goes wrong in a graph, or may, as far as it can be told without running
// it, sorted. Upstreams may be nil. It is an error only where a run is certain to fail.
func Check(g *graph.Graph, up Upstreams) config.Diagnostics {
	c := &checker{follower: newFollower(g, up), faulty: make([]bool, len(g.Nodes))}
	for i, node := range g.Nodes {
		if c.reached(i) {
			c.checkNode(i, node)
		}
	}
	for i, node := range g.Nodes {
		if _, isExit := node.(*graph.Exit); isExit && c.reached(i) {
			c.output(i)
		}
	}
	c.found.Sort()
	return c.found
}

// checker collects findings.
type checker struct {
	*follower
	found  config.Diagnostics
	faulty []bool // nodes with a finding in an expression: what follows of it is not told
}

func (c *checker) checkNode(i int, node graph.Node) {
	switch node := node.(type) {
	case *graph.Transform:
		c.expression(i, 0, node.Expr, needed)
	case *graph.MCP:
		c.args(i, node)
	case *graph.Switch:
		for number, condition := range node.Conditions {
			c.rule(i, number, condition.Rule)
		}
		c.conditions(i, node)
		c.loops(i, node)
	case *graph.Entry, *graph.Exit:
	}
}

// certainly is the severity of what makes a run fail by what is known of outputs.
func (c *checker) certainly() config.Severity {
	if c.learned {
		return config.Warning
	}
	return config.Error
}
