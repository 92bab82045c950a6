package expressions

import (
	"context"

	"github.com/recolabs/gnata"
)

// JSONata is a compiled expression, safe for concurrent use.
type JSONata struct {
	source string
	engine *gnata.Expression
	tokens []token

	path       []string // when it is nothing else
	references []Reference
	tree       *Tree
}

// CompileJSONata compiles an expression. The error is a *SyntaxError, or the cause of
// ctx's end: an ended context compiles nothing.
func CompileJSONata(ctx context.Context, source string) (*JSONata, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return compile(source, checkNames)
}

// compile compiles source; check looks at the names that it uses.
func compile(source string, check func([]token) *SyntaxError) (e *JSONata, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The parsers are other people's; a fault of theirs must not be ours.
			e, err = nil, &SyntaxError{Message: "the expression cannot be read", Hint: "write it in a simpler way"}
		}
	}()
	tokens, fault := readTokens(source)
	if fault == nil {
		fault = check(tokens)
	}
	if fault != nil {
		return nil, fault
	}
	rewritten := engineSource(tokens)
	engine, failure := gnata.Compile(rewritten)
	if failure != nil {
		return nil, locate(source, tokens, failure)
	}
	if deeper := withRecursion(tokens, rewritten); deeper != nil {
		engine = deeper
	}
	return &JSONata{source: source, engine: engine, tokens: tokens, path: pathOf(tokens), references: referencesOf(tokens), tree: treeOf(tokens)}, nil
}

// Source is the expression as it was compiled.
func (e *JSONata) Source() string { return e.source }

// Eval evaluates over the scope. Nothing (undefined) is nil. The error is an
// *EvalError; when ctx ended it, errors.Is finds the cause.
func (e *JSONata) Eval(ctx context.Context, scope *Scope) (Value, error) {
	return e.evalOver(ctx, scope, scope.context)
}

// evalOver evaluates with root in place of the scope's context.
func (e *JSONata) evalOver(ctx context.Context, scope *Scope, root Value) (Value, error) {
	ev := evaluation{Context: ctx, scope: scope, budget: EvalBudget}
	if ev.cause = ctx.Err(); ev.cause != nil {
		return nil, ev.failure()
	}
	if e.path != nil {
		if value, ok := follow(root, e.path); ok {
			return value, nil
		}
	}
	value, err := e.engine.EvalWithCustomFuncs(&ev, root, libraryEnv)
	return e.finish(&ev, value, err)
}

// finish makes a Value or an EvalError of what the engine came back with.
func (e *JSONata) finish(ev *evaluation, value any, err error) (Value, error) {
	if failure := ev.failure(); failure != nil {
		return nil, failure
	}
	if err != nil {
		return nil, e.evalError(err)
	}
	c := checker{live: ev.scope.context, ev: ev}
	if value, err = c.value(value, 0); err == nil {
		return value, nil
	}
	if failure := ev.failure(); failure != nil {
		return nil, failure
	}
	return nil, e.evalError(err)
}
