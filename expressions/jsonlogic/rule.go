package jsonlogic

import (
	"context"
	"slices"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// Rule is a compiled JSON Logic rule, safe for concurrent use.
type Rule struct {
	root       ruleNode
	references []Reference
	places     []Read
	reads      bool
	constant   *bool
}

// Compile compiles a rule given as plain values (map[string]any, []any, string,
// float64, json.Number, bool, nil). The result holds no part of it. The error is an *Error, or
// the cause of ctx's end.
func Compile(ctx context.Context, rule any) (*Rule, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	c := &ruleCompiler{}
	root, err := c.compile(ctx, rule)
	if err != nil {
		return nil, err
	}
	r := &Rule{root: root, references: c.references, places: c.places, reads: c.reads}
	if r.foldConstant(ctx); ctx.Err() != nil {
		return nil, context.Cause(ctx) // whether the rule is constant is unknown then
	}
	return r, nil
}

// foldConstant evaluates a rule that reads no data once. A rule that is too costly for
// that, or that fails, is evaluated at run time.
func (r *Rule) foldConstant(ctx context.Context) {
	if r.reads {
		return
	}
	run := newRuleRun(ctx, jsonata.NewScope(nil, nil), &constantLimits)
	if v, err := r.root.eval(run, nil); err == nil {
		truth := Truth(v)
		r.constant = &truth
	}
}

// Eval returns the rule's value. Errors are those of jsonata.Expression.Eval, and have the
// codes steps, size and depth for a rule that exceeds a limit. A number that JSON does not
// have (0/0) is null.
func (r *Rule) Eval(ctx context.Context, scope *jsonata.Scope) (value.Value, error) {
	run := newRuleRun(ctx, scope, &ruleLimits)
	v, err := r.evalAt(run, nil)
	run.end()
	return v, err
}

// evalAt evaluates over a frame: nil is the run's context.
func (r *Rule) evalAt(run *ruleRun, at *frame) (value.Value, error) {
	v, err := r.root.eval(run, at)
	if err != nil {
		return nil, err
	}
	return run.finish(v)
}

// Holds is Eval's value as JSON Logic's truth: [] is false.
func (r *Rule) Holds(ctx context.Context, scope *jsonata.Scope) (bool, error) {
	run := newRuleRun(ctx, scope, &ruleLimits)
	v, err := r.root.eval(run, nil)
	run.end()
	if err != nil {
		return false, err
	}
	return Truth(v), nil
}

// Constant reports whether the rule reads no data, and whether it then holds.
func (r *Rule) Constant() (holds, constant bool) {
	if r.constant == nil {
		return false, false
	}
	return *r.constant, true
}

// References returns the paths that the rule reads, in no particular order. The caller must
// not change the slice.
func (r *Rule) References() []Reference { return r.references }

// Reference is a Reference inside a rule. Offset counts from the start of the
// string at Var.
type Reference struct {
	jsonata.Reference
	Var []any // path from the rule's root to the string (or number)
	// Body is set inside the body of map, filter, reduce, all, some or none: the
	// path is read from the element and not from the context.
	Body bool
	// Ordered is set for an operand of <, <=, > or >= that has no default.
	Ordered bool
}

// Error is a JSON Logic rule that does not compile. Path leads from the rule's
// root to the place: keys (string) and indexes (int). Syntax is set when the place
// is a var whose JSONata does not compile.
type Error struct {
	Path    []any
	Message string
	Hint    string
	Meant   string // the operator that was probably meant by the last key of Path, or ""
	Syntax  *jsonata.SyntaxError
}

func (e *Error) Error() string { return e.Message }

// Read is a place where a rule reads: the string of a var.
type Read struct {
	// Var is the path from the rule's root to the string (or number).
	Var []any
	// Expression is what is evaluated there; nil where the string is a path that JSON
	// Logic follows itself, as one with an index among its steps.
	Expression *jsonata.Expression
	// Body is set inside the body of map, filter, reduce, all, some or none: the
	// expression is read from the element, and not from the context.
	Body bool
	// Ordered is set for an operand of <, <=, > or >= that has no default.
	Ordered bool
}

// Reads are the places where the rule reads, in no particular order. The caller
// must not change the slice.
func (r *Rule) Reads() []Read { return r.places }

// place records where a var reads.
func (c *ruleCompiler) place(n *varNode) {
	c.places = append(c.places, Read{
		Var: slices.Clone(c.path), Expression: n.expr, Body: c.bodies > 0 && !n.path.outer, Ordered: c.ordered(n),
	})
}

// ordered reports whether a var at the compiler's path is an operand of <, <=, > or >= and has no
// default. The path ends in the operator, the number of the operand, "var", and 0 in brackets.
func (c *ruleCompiler) ordered(n *varNode) bool {
	path := c.path
	if last := len(path) - 1; last > 0 && path[last] == 0 && path[last-1] == "var" {
		path = path[:last]
	}
	if n.fallback != nil || len(path) < 3 || path[len(path)-1] != "var" {
		return false
	}
	switch path[len(path)-3] {
	case "<", "<=", ">", ">=":
		return true
	}
	return false
}

// note records what a var reads.
func (c *ruleCompiler) note(n *varNode) {
	fromElement := c.bodies > 0 && !n.path.outer
	if !fromElement || !n.simple {
		c.reads = true
	}
	c.place(n)
	where, ordered := slices.Clone(c.path), c.ordered(n)
	add := func(r jsonata.Reference) {
		c.references = append(c.references, Reference{Reference: r, Var: where, Body: fromElement, Ordered: ordered})
	}
	switch {
	case n.simple && len(n.path.steps) > 0:
		steps := n.path.steps
		for i, step := range steps {
			if isIndex(step) {
				steps = steps[:i]
				break
			}
		}
		if len(steps) > 0 {
			add(jsonata.Reference{Path: slices.Clone(steps), Offset: n.path.offset})
		}
	case n.expr != nil:
		for _, r := range n.expr.References() {
			add(r)
		}
		fromElement = false
		for _, r := range n.expr.ContextReferences() {
			add(r)
		}
	}
}
