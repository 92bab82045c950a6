package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

// PlacedError is the error of an evaluation, with its place in the graph file.
type PlacedError struct {
	Pos   config.Pos
	Err   error
	Caret string // the expression's line with a caret under the place; may be empty
}

// Error returns the message, its code, and the place in the expression.
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

// Expr is a compiled expression with its place. Safe for concurrent use.
type Expr struct {
	*jsonata.Expression
	Text config.Text
}

// Eval returns the value of the expression over a scope, nil for no value. The error is a
// *PlacedError.
func (e *Expr) Eval(ctx context.Context, scope *expressions.Scope) (value.Value, error) {
	v, err := e.Expression.Eval(ctx, scope)
	if err != nil {
		return nil, place(err, e.Text)
	}
	return v, nil
}

// Holds reports whether the value of the expression is true as $boolean has it; no value is
// false. The error is a *PlacedError.
func (e *Expr) Holds(ctx context.Context, scope *expressions.Scope) (bool, error) {
	holds, err := e.Expression.Holds(ctx, scope)
	if err != nil {
		return false, place(err, e.Text)
	}
	return holds, nil
}

func place(err error, text config.Text) error {
	placed := &PlacedError{Pos: text.Pos, Err: err}
	var eval *expressions.EvalError
	if errors.As(err, &eval) && eval.Offset >= 0 {
		placed.Pos, placed.Caret = text.At(eval.Offset), expressions.Caret(text.Value, eval.Offset)
	}
	return placed
}

// compileExpr compiles an expression and checks its references; bound are the variables of the
// language that have a value in it. It returns nil when the expression does not compile, or ctx has
// ended.
func (c *compiler) compileExpr(ctx context.Context, text config.Text, bound variables) *Expr {
	compiled, err := jsonata.Compile(ctx, text.Value)
	if ctx.Err() != nil {
		return nil // Build reports it
	}
	if err != nil {
		c.addSyntax(text, err)
		return nil
	}
	places := text.Places()
	if c.block != nil {
		c.readSteps(places, compiled)
		c.checkVariables(places, compiled, bound)
		return &Expr{Expression: compiled, Text: text}
	}
	c.written = append(c.written, written{text.Value, compiled.References()})
	for _, ref := range compiled.References() {
		c.checkReference(places, ref, bound)
	}
	c.checkVariables(places, compiled, bound)
	return &Expr{Expression: compiled, Text: text}
}

func (c *compiler) addSyntax(text config.Text, err error) {
	var syntax *expressions.SyntaxError
	if !errors.As(err, &syntax) {
		syntax = &expressions.SyntaxError{Message: err.Error()}
	}
	d := c.found.Add(text.At(syntax.Offset), "expression-syntax", "the expression does not compile: "+syntax.Message, syntax.Hint)
	if syntax.Fix != nil {
		d.Fixed(Fixes(text, *syntax.Fix)...)
	}
}

// Rule is a compiled rule with its place. Safe for concurrent use.
type Rule struct {
	*jsonlogic.Rule
	Data *config.Data

	path *reference // the rule is a path, and not what Rule says; else nil
}

// Holds reports whether the rule holds. The error is a *PlacedError.
func (r *Rule) Holds(ctx context.Context, scope *expressions.Scope) (bool, error) {
	if r.path != nil {
		return r.path.holds(scope), nil
	}
	holds, err := r.Rule.Holds(ctx, scope)
	if err != nil {
		return false, &PlacedError{Pos: r.Data.Pos, Err: err}
	}
	return holds, nil
}

// compileRule compiles a condition's rule and checks its references. It returns nil when the
// rule does not compile, or ctx has ended.
func (c *compiler) compileRule(ctx context.Context, data *config.Data) *Rule {
	if text, isText := data.Scalar.(string); isText && c.references != nil {
		return c.compilePath(ctx, data, text)
	}
	compiled, err := jsonlogic.Compile(ctx, data.Value())
	if ctx.Err() != nil {
		return nil // Build reports it
	}
	if err != nil {
		c.addRule(data, err)
		return nil
	}
	reads := map[config.Pos][]jsonata.Reference{} // by the place of their string
	for _, ref := range compiled.References() {
		text := data.At(ref.Var...).Text
		reads[text.Pos] = append(reads[text.Pos], ref.Reference)
		if ref.Body && ref.Function == "" {
			c.checkElement(data, ref.Var, text, ref.Reference)
			continue
		}
		c.checkReference(text.Places(), ref.Reference, nil)
	}
	for _, read := range compiled.Reads() {
		if text := data.At(read.Var...).Text; read.Expression != nil && text.IsSet() {
			c.written = append(c.written, written{text.Value, reads[text.Pos]})
			c.checkVariables(text.Places(), read.Expression, nil)
		}
	}
	return &Rule{Rule: compiled, Data: data}
}

func (c *compiler) addRule(data *config.Data, err error) {
	var bad *jsonlogic.Error
	if !errors.As(err, &bad) {
		c.found.Add(data.Pos, "rule-syntax", "the rule does not compile: "+err.Error(), "")
		return
	}
	at := data.At(bad.Path...)
	if bad.Syntax != nil && at.Text.IsSet() {
		c.addSyntax(at.Text, bad.Syntax)
		return
	}
	operator := operatorAt(data, bad.Path)
	c.found.Add(orPos(operator.Pos, at.Pos), "rule-syntax", "the rule does not compile: "+bad.Message+pathPhrase(bad.Path), bad.Hint).
		Meant(operator, bad.Meant)
}

// operatorAt returns the key that a path into a rule ends in; not set when it ends in no key.
func operatorAt(data *config.Data, path []any) config.Text {
	if n := len(path); n > 0 {
		if key, ok := path[n-1].(string); ok {
			for _, k := range data.At(path[:n-1]...).Keys {
				if k.Value == key {
					return k
				}
			}
		}
	}
	return config.Text{}
}

// pathPhrase returns the path to a place deep inside a rule, as " (at and[1].==)".
func pathPhrase(path []any) string {
	if len(path) < 2 {
		return ""
	}
	var b strings.Builder
	for _, step := range path {
		if i, ok := step.(int); ok {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, step)
	}
	return " (at " + b.String() + ")"
}
