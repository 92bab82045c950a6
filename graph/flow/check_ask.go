package flow

import (
	"context"
	"fmt"

	"toolgraph/config"
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
		if use.call != n || use.at != inMessage {
			continue
		}
		before := len(c.found)
		c.expression(ctx, node, number, use.expr, needed, func(env *shape.Env) { env.Required = "a message is required" })
		given, _ := c.valueOf(ctx, node, number, use.expr)
		conflict, never := given.Conflict(shape.Union(shape.String(), shape.Nothing()))
		if !never || len(c.found) > before {
			continue
		}
		c.found = append(c.found, config.Diagnostic{
			Pos: use.expr.Text.At(0), Severity: c.certainly(), Code: "message-not-text",
			Message: fmt.Sprintf("message of node %q is %s, expected text", n.ID(), conflict.Found), Hint: "make a text of it with $string, or with & between texts",
		})
	}
}
