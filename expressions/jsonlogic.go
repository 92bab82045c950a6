package expressions

import (
	"context"
	"errors"
)

// Rule is a compiled JSON Logic rule, safe for concurrent use.
type Rule struct{}

// CompileRule compiles a rule given as plain values (map[string]any, []any, string,
// float64, json.Number, bool, nil). The error is a *RuleError.
func CompileRule(rule any) (*Rule, error) { return &Rule{}, nil }

// Eval is the rule's value; errors as JSONata.Eval.
func (r *Rule) Eval(ctx context.Context, scope *Scope) (Value, error) {
	return nil, errors.New("not built yet")
}

// Holds is Eval's value as JSON Logic's truth: [] is false.
func (r *Rule) Holds(ctx context.Context, scope *Scope) (bool, error) {
	return false, errors.New("not built yet")
}

// Constant reports whether the rule reads nothing, and what it then always is.
func (r *Rule) Constant() (holds, constant bool) { return false, false }

// References are the paths that the rule reads from the context.
func (r *Rule) References() []RuleReference { return nil }

// RuleReference is a Reference inside a rule; Path leads to the var's string.
type RuleReference struct {
	Reference
	Var []any // path from the rule's root to the string
}
