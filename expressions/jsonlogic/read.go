package jsonlogic

import (
	"slices"

	"toolgraph/expressions/jsonata"
)

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
}

// Reads are the places where the rule reads, in no particular order. The caller
// must not change the slice.
func (r *Rule) Reads() []Read { return r.places }

// place records where a var reads.
func (c *ruleCompiler) place(n *varNode) {
	c.places = append(c.places, Read{
		Var: slices.Clone(c.path), Expression: n.expr, Body: c.bodies > 0 && !n.path.outer,
	})
}
