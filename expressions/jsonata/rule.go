package jsonata

import (
	"context"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// RuleContext is the variable, $ctx, with which the expression of a rule's var reads the
// run's context from inside a body.
const RuleContext = "ctx"

// CompileVar compiles the expression of a rule's var: as Compile, and $ctx is the
// run's context.
func CompileVar(ctx context.Context, source string) (*Expression, error) {
	e, err := Compile(ctx, source)
	if err != nil {
		return nil, err
	}
	e.rule = true
	return e, nil
}

// EvalAt is Eval with root in place of the scope's context.
func (e *Expression) EvalAt(ctx context.Context, scope *expressions.Scope, root value.Value) (value.Value, error) {
	ev := evaluation{Context: ctx, scope: scope, budget: expressions.EvalBudget}
	if ev.cause = ctx.Err(); ev.cause != nil {
		return nil, ev.failure()
	}
	if e.path != nil {
		value, ok := followNames(root, e.path)
		if _, isMap := value.(map[string]any); ok && !isMap { // a map may be the live context
			return value, nil
		}
	}
	return e.run(&ev, root, &bindings{})
}
