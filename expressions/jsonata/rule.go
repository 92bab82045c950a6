package jsonata

import (
	"context"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// RuleContext is the variable by which the expression of a rule's var reaches the run's
// context from inside a body: $ctx.
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
		if value, ok := follow(root, e.path); ok {
			return value, nil
		}
	}
	return e.run(&ev, root, &bindings{})
}

// ContextReferences are the paths of names behind each $ctx; none when the expression
// has a variable $ctx of its own.
func (e *Expression) ContextReferences() []Reference {
	var out []Reference
	for i := range e.tokens {
		if e.tokens[i].kind != tokenVariable || e.tokens[i].value != RuleContext {
			continue
		}
		if i+1 < len(e.tokens) && e.tokens[i+1].is(":=") || isParameter(e.tokens, i) {
			return nil
		}
		if r := referenceBehind(e.tokens[i+1:]); r.Path != nil {
			out = append(out, r)
		}
	}
	return out
}

// referenceBehind is the path of names that the tokens begin with.
func referenceBehind(tokens []token) Reference {
	var r Reference
	for i := 0; i+1 < len(tokens) && tokens[i].is(".") && tokens[i+1].kind == tokenName; i += 2 {
		if r.Path == nil {
			r.Offset = tokens[i+1].start
		}
		r.Path = append(r.Path, tokens[i+1].value)
	}
	return r
}
