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

// compileExpr compiles an expression and checks what it refers to; nil when it
// does not compile.
func (c *compiler) compileExpr(text config.Text) *Expr {
	compiled, err := expressions.CompileJSONata(text.Value)
	if err != nil {
		c.addSyntax(text, err)
		return nil
	}
	for _, ref := range compiled.References() {
		c.checkReference(text, ref)
	}
	return &Expr{JSONata: compiled, Text: text}
}

func (c *compiler) addSyntax(text config.Text, err error) {
	var syntax *expressions.SyntaxError
	if !errors.As(err, &syntax) {
		syntax = &expressions.SyntaxError{Message: err.Error()}
	}
	c.found.Add(text.At(syntax.Offset), "expression-syntax",
		"the expression does not compile: "+syntax.Message, syntax.Hint)
}
