package execution

import (
	"context"
	"fmt"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// visit runs one pure node and returns its record. For mcp nodes see live.call.
func (r *Run) visit(ctx context.Context, node graph.Node) Record {
	start := r.now()
	output, err := r.evaluate(ctx, node)
	return r.record(ctx, node, start, output, err)
}

func (r *Run) evaluate(ctx context.Context, node graph.Node) (output value.Value, err error) {
	defer recovered(&err)
	switch n := node.(type) {
	case *graph.Entry:
		output = r.args
	case *graph.Transform:
		output, err = n.Expr.Eval(ctx, r.scope)
	case *graph.Switch:
		output, err = r.choose(ctx, n)
	case *graph.Exit:
		output, _ = r.state.Previous(1)
	case *graph.MCP: // see live.call
		err = fmt.Errorf("node %q has a type that cannot be visited: %T", node.ID(), node)
	}
	return output, err
}

// choose returns the id of the node that a switch goes to.
func (r *Run) choose(ctx context.Context, n *graph.Switch) (value.Value, error) {
	for _, c := range n.Conditions {
		holds, err := c.Rule.Holds(ctx, r.scope)
		if err != nil {
			return nil, err
		}
		if holds {
			return c.Next.ID(), nil
		}
	}
	return n.Default.ID(), nil
}
