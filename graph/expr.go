package graph

import (
	"context"
	"errors"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// PlacedError is an evaluation that failed, with its place in the graph file.
type PlacedError struct {
	Pos   config.Pos
	Err   error
	Caret string // the expression's line with a caret under the place; may be empty
}

// Error is the message, its code, and the place in the expression.
func (e *PlacedError) Error() string {
	text := e.Err.Error()
	var eval *expressions.EvalError
	if errors.As(e.Err, &eval) && eval.Code != "" {
		text += " [" + eval.Code + "]"
	}
	if e.Caret != "" {
		text += "\n  " + strings.ReplaceAll(e.Caret, "\n", "\n  ")
	}
	return text
}

func (e *PlacedError) Unwrap() error { return e.Err }

// Expr is a compiled expression that knows its place.
type Expr struct {
	*jsonata.Expression
	Text config.Text
}

// Eval evaluates over the scope; the error is a *PlacedError.
func (e *Expr) Eval(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
	v, err := e.Expression.Eval(ctx, scope)
	if err != nil {
		return nil, place(err, e.Text)
	}
	return v, nil
}

func place(err error, text config.Text) error {
	placed := &PlacedError{Pos: text.Pos, Err: err}
	var eval *expressions.EvalError
	if errors.As(err, &eval) && eval.Offset >= 0 {
		placed.Pos, placed.Caret = text.At(eval.Offset), expressions.Caret(text.Value, eval.Offset)
	}
	return placed
}

// compileExpr compiles an expression and checks what it refers to; nil when it
// does not compile, or ctx has ended.
func (c *compiler) compileExpr(ctx context.Context, text config.Text) *Expr {
	compiled, err := jsonata.Compile(ctx, text.Value)
	if ctx.Err() != nil {
		return nil // Build reports it
	}
	if err != nil {
		c.addSyntax(text, err)
		return nil
	}
	c.written = append(c.written, written{text.Value, compiled.References()})
	places := text.Places()
	for _, ref := range compiled.References() {
		c.checkReference(places, ref)
	}
	return &Expr{Expression: compiled, Text: text}
}

func (c *compiler) addSyntax(text config.Text, err error) {
	var syntax *expressions.SyntaxError
	if !errors.As(err, &syntax) {
		syntax = &expressions.SyntaxError{Message: err.Error()}
	}
	c.found.Add(text.At(syntax.Offset), "expression-syntax",
		"the expression does not compile: "+syntax.Message, syntax.Hint)
}
