package graph

import (
	"context"
	"errors"

	"toolgraph/config"
	"toolgraph/expressions"
)

// PlacedError is an evaluation that failed, with its place in the graph file.
type PlacedError struct {
	Pos config.Pos
	Err error
}

func (e *PlacedError) Error() string { return e.Err.Error() }
func (e *PlacedError) Unwrap() error { return e.Err }

// Expr is a compiled expression that knows its place.
type Expr struct {
	*expressions.JSONata
	Text config.Text
}

// Eval evaluates over the scope; the error is a *PlacedError.
func (e *Expr) Eval(ctx context.Context, scope *expressions.Scope) (expressions.Value, error) {
	v, err := e.JSONata.Eval(ctx, scope)
	if err != nil {
		return nil, place(err, e.Text)
	}
	return v, nil
}

func place(err error, text config.Text) error {
	pos := text.Pos
	var eval *expressions.EvalError
	if errors.As(err, &eval) && eval.Offset >= 0 {
		pos = text.At(eval.Offset)
	}
	return &PlacedError{Pos: pos, Err: err}
}

// Rule is a compiled rule that knows its place.
type Rule struct {
	*expressions.Rule
	Data *config.Data
}

// Holds tells whether the rule holds; the error is a *PlacedError.
func (r *Rule) Holds(ctx context.Context, scope *expressions.Scope) (bool, error) {
	holds, err := r.Rule.Holds(ctx, scope)
	if err != nil {
		return false, &PlacedError{Pos: r.Data.Pos, Err: err}
	}
	return holds, nil
}
