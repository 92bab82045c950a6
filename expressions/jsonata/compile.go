package jsonata

import (
	"context"

	"toolgraph/expressions/value"
)

// Expression is a compiled expression, safe for concurrent use.
type Expression struct {
	limits    *value.Limits
	functions map[string]*builtin // those that Options add; nil for none

	source string
	root   *node
	rule   bool // it is part of a rule: $ctx is the run's context
	tree   *Tree
	path   []string // the names of a path over the context, when it is nothing else

	references, contextReferences []Reference
	variables                     []Variable
}

// Compile compiles an expression of at most 16 KiB, in time linear in its length. At most one Options is
// given. The error is a *SyntaxError, or the cause of ctx when ctx has ended. Safe for concurrent use.
func Compile(ctx context.Context, source string, options ...Options) (*Expression, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	return compile(source, &o, checkNames)
}

// compile compiles source; check checks the names that it uses.
func compile(source string, o *Options, check func([]token, map[string]*builtin) *SyntaxError) (*Expression, error) {
	functions := o.builtins()
	tokens, fault := readTokens(source)
	if fault == nil {
		fault = check(tokens, functions)
	}
	if fault != nil {
		return nil, fault
	}
	tree, fault := parseTokens(source, tokens)
	var root *node
	if fault == nil {
		root, fault = buildNode(tree)
	}
	if fault != nil {
		return nil, located(source, tokens, fault)
	}
	e := &Expression{limits: o.limits(), functions: functions, source: source, root: root, tree: tree, path: contextPath(root)}
	e.references, e.contextReferences = referencesOf(tree)
	e.variables = variablesOf(tree, tokens, functions)
	return e, nil
}

// Source returns the text that was compiled.
func (e *Expression) Source() string { return e.source }

// Eval evaluates the expression over the context of the scope. No value (undefined) is nil. The error is
// an *Error; when ctx ended the evaluation, errors.Is finds the cause. The value may share parts with the
// context, which is never changed; neither must the value be.
func (e *Expression) Eval(ctx context.Context, scope *Scope) (value.Value, error) {
	return e.EvalAt(ctx, scope, scope.Context)
}

// Holds evaluates the expression and reports whether its value is true as $boolean has it; no value
// is false. Errors are those of Eval.
func (e *Expression) Holds(ctx context.Context, scope *Scope) (bool, error) {
	v, err := e.Eval(ctx, scope)
	if err != nil {
		return false, err
	}
	ev := evaluation{Meter: value.MakeMeter(ctx, e.limits), scope: scope}
	ev.machine.evaluation = &ev
	holds := ev.machine.truth(v)
	if failure := ev.failure(); failure != nil {
		return false, failure
	}
	return holds, nil
}

// run evaluates with the variables given; most is how many bytes of JSON the result may have.
func (e *Expression) run(ev *evaluation, root value.Value, variables *bindings, most int) (value.Value, error) {
	ev.machine = machine{evaluation: ev, root: root, rule: e.rule, functions: e.functions, stack: ev.machine.stack}
	input := root
	if items, ok := root.([]any); ok {
		// An array is one input; its items are not several.
		input = &list{items: []any{items}, sequence: true, outer: true}
	}
	value, err := ev.machine.eval(e.root, input, variables)
	if failure := ev.failure(); failure != nil {
		return nil, failure
	}
	if err != nil {
		return nil, evalError(err)
	}
	c := checker{live: ev.scope.Context, meter: &ev.Meter, most: most}
	if value, err = c.value(value, 0); err == nil {
		return value, nil
	}
	if failure := ev.failure(); failure != nil {
		return nil, failure
	}
	return nil, evalError(err)
}

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

// EvalAt is Eval with root, any value, in place of the scope's context. A nil scope has no variables and
// no history.
func (e *Expression) EvalAt(ctx context.Context, scope *Scope, root value.Value) (value.Value, error) {
	return e.evalAt(ctx, nil, scope, root, value.MaxBytes)
}

// EvalWithin is EvalAt as a part of the work of a meter: all such parts share the time and the memory
// that one evaluation may take.
func (e *Expression) EvalWithin(outer *value.Meter, scope *Scope, root value.Value) (value.Value, error) {
	return e.evalAt(outer.Context(), outer, scope, root, value.MaxBytes)
}

// EvalShared is EvalAt for a caller that bounds what it makes of the value: the parts of the value
// fit into memory once, but the value may hold them so often that nothing could hold it as JSON.
func (e *Expression) EvalShared(ctx context.Context, scope *Scope, root value.Value) (value.Value, error) {
	return e.evalAt(ctx, nil, scope, root, anyLength)
}

// evalAt evaluates as a part of the work of outer, unless that is nil.
func (e *Expression) evalAt(ctx context.Context, outer *value.Meter, scope *Scope, root value.Value, most int) (value.Value, error) {
	if e.path != nil && ctx.Err() == nil {
		value, ok := followNames(root, e.path)
		if _, isMap := value.(map[string]any); ok && !isMap { // a map may be the live context
			return value, nil
		}
	}
	if scope == nil {
		scope = NewScope(nil, nil)
	}
	ev := evaluations.Get().(*evaluation)
	ev.Meter, ev.scope = value.MakeMeter(ctx, e.limits), scope
	if outer != nil {
		ev.Meter = value.Within(outer, e.limits)
	}
	if ctx.Err() != nil {
		_ = ev.Look()
		return nil, ev.failure()
	}
	v, err := e.run(ev, root, &ev.top, most)
	ev.end()
	return v, err
}
