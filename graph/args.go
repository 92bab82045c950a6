package graph

import (
	"context"

	"toolgraph/expressions"
)

// Args are the arguments of an mcp node: literals with expressions at any depth.
type Args struct{}

// Eval is the arguments' value: an Object. A key whose expression yields nothing is
// left out; in an array it is null. The error is a *PlacedError.
func (a *Args) Eval(ctx context.Context, scope *expressions.Scope) (expressions.Value, error) {
	return nil, nil
}
