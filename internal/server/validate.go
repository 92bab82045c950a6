package server

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// validated validates the arguments and the value of a tool that does not do so itself.
func validated(t *tool, run Run) Run {
	return func(ctx context.Context, args value.Value, watch Watch) (value.Value, error) {
		args, err := t.arguments(ctx, args)
		if err != nil {
			return nil, err
		}
		value, err := run(ctx, args, watch)
		if err != nil || t.output == nil {
			return value, err
		}
		found, err := t.output.Check(ctx, value)
		if err == nil && len(found) > 0 {
			err = fmt.Errorf("%s: the value of tool %q does not fit its outputSchema: %s", t.def.OutputSchema.Pos, t.name, found.Text("result"))
		}
		return value, err
	}
}

// Arguments are the arguments of a tool without a graph, with their defaults. The error names each
// that does not fit the inputSchema.
func Arguments(ctx context.Context, def *config.Tool, args value.Value) (value.Value, error) {
	var found config.Diagnostics
	t := newTool(Tool{Def: def}, &found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	return t.arguments(ctx, args)
}

// arguments are the arguments with their defaults, when they fit the inputSchema.
func (t *tool) arguments(ctx context.Context, args value.Value) (value.Value, error) {
	full, err := t.input.Complete(ctx, args)
	var found schema.Problems
	if err == nil {
		found, err = t.input.Check(ctx, full)
	}
	if err == nil && len(found) > 0 {
		err = errors.New("invalid arguments: " + found.Text("arguments"))
	}
	return full, err
}
