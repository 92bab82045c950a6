package flow

import (
	"context"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// Check is what goes wrong in a graph, or may, as far as it can be told without running
// it, sorted. Upstreams may be nil. It is an error only where a run is certain to fail.
// The error is the cause of ctx's end, which is looked for at each node.
func Check(ctx context.Context, g *graph.Graph, up Upstreams) (config.Diagnostics, error) {
	f, err := newFollower(ctx, g, up)
	if err != nil {
		return nil, err
	}
	c := &checker{follower: f, faulty: make([]bool, len(g.Nodes))}
	for i, node := range g.Nodes {
		if c.reached(i) {
			c.checkNode(ctx, i, node)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	for i, node := range g.Nodes {
		if _, isExit := node.(*graph.Exit); isExit && c.reached(i) {
			c.output(i)
		}
	}
	c.found.Sort()
	return c.found, nil
}

// checker collects findings.
type checker struct {
	*follower
	found  config.Diagnostics
	places *config.Places // of the text that was told of last
	faulty []bool         // nodes with a finding in an expression: what follows of it is not told
}

func (c *checker) checkNode(ctx context.Context, i int, node graph.Node) {
	c.historyNulls(i, node)
	switch node := node.(type) {
	case *graph.Transform:
		c.expression(ctx, i, 0, node.Expr, needed, func(env *shape.Env) { env.Wanted = c.wanted(node.Next) })
	case *graph.MCP:
		c.args(ctx, i, node)
	case *graph.Switch:
		for number, condition := range node.Conditions {
			c.rule(ctx, i, number, condition.Rule)
		}
		c.conditions(ctx, i, node)
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
