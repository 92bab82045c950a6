package flow

import (
	"context"

	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// formShape returns the shape of what a user fills in.
func formShape(n *graph.Ask) shape.Shape {
	if n.Form == nil {
		return shape.Object(nil, false)
	}
	return shape.OfSchema(n.Form.JSON())
}

// question reports what is wrong with the message of an ask: it must be a text.
func (c *checker) question(ctx context.Context, node int, n *graph.Ask) {
	for number, use := range c.uses[node] {
		if use.call == n && use.at == inMessage {
			c.expression(ctx, node, number, use.expr, needed, func(env *shape.Env) { env.Wanted = shape.String() })
		}
	}
}
