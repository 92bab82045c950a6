package jsonlogic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// varNode reads a path or an expression from the element inside a body, and from
// the run's context outside or where it says $ctx.
type varNode struct {
	path     rulePath
	simple   bool // the string is only a path
	source   string
	expr     *jsonata.Expression // nil where a path alone decides
	fallback ruleNode            // the default, or nil
}

func compileVar(ctx context.Context, c *ruleCompiler, _ string, args operands) (ruleNode, error) {
	var fallback ruleNode
	if len(args.values) == 2 {
		n, err := c.operand(ctx, args, 1)
		if err != nil {
			return nil, err
		}
		fallback = n
	}
	if len(args.values) == 0 {
		return c.readVar(ctx, "", fallback)
	}
	return c.varPath(ctx, args, 0, fallback)
}

// varPath compiles the path of a var: a string, a number, null, or a choice between those.
// A string built at run time is rejected, because it would turn data into code.
func (c *ruleCompiler) varPath(ctx context.Context, args operands, i int, fallback ruleNode) (ruleNode, error) {
	return c.atOperand(args, i, func() (ruleNode, error) {
		switch x := args.values[i].(type) {
		case nil:
			return c.readVar(ctx, "", fallback)
		case string:
			return c.readVar(ctx, x, fallback)
		case float64, int, json.Number:
			// A number is a key or an index, never an expression.
			c.reads = c.reads || c.bodies == 0
			return &varNode{path: givenPath(scalarText(value.FromPlain(x))), simple: true, fallback: fallback}, nil
		case map[string]any:
			for op, choice := range x {
				if len(x) == 1 && (op == "if" || op == "?:") {
					return c.at(op, func() (ruleNode, error) { return c.varChoice(ctx, operandsOf(choice), fallback) })
				}
			}
		}
		return nil, c.fail(`write the path itself, or {"if": [condition, "path", "other path"]}`,
			"var takes a path as a string, found %s", ruleKind(args.values[i]))
	})
}

// varChoice compiles {"var": {"if": [condition, "a", "b"]}}.
func (c *ruleCompiler) varChoice(ctx context.Context, args operands, fallback ruleNode) (ruleNode, error) {
	if c.depth++; c.depth > ruleDepth {
		return nil, c.fail("", "the rule is nested deeper than %d levels", ruleDepth)
	}
	defer func() { c.depth-- }()
	var nodes ifNode
	for i := range args.values {
		var n ruleNode
		var err error
		if i%2 == 1 || i == len(args.values)-1 {
			n, err = c.varPath(ctx, args, i, fallback)
		} else {
			n, err = c.operand(ctx, args, i)
		}
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	if len(nodes)%2 == 0 {
		// Without an else the path is null, so var reads the whole context or element.
		n, err := c.readVar(ctx, "", fallback)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// readVar compiles the string at the compiler's path.
func (c *ruleCompiler) readVar(ctx context.Context, source string, fallback ruleNode) (ruleNode, error) {
	n := &varNode{fallback: fallback, source: source}
	if c.parts++; c.parts > ruleParts {
		return nil, c.fail("", "the rule has more than %d parts", ruleParts)
	}
	if source == "" {
		n.simple = true
		c.note(n)
		return n, nil
	}
	n.path, n.simple = parseRulePath(source)
	if !n.simple || !n.path.indexed && len(n.path.steps) > 0 {
		expr, err := jsonata.CompileVar(ctx, source)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, c.badExpression(err)
		}
		n.expr = expr
	}
	c.note(n)
	return n, nil
}

func (c *ruleCompiler) badExpression(err error) *Error {
	failure := c.fail("", "the var is not a JSONata expression: %s", err.Error())
	var syntax *jsonata.SyntaxError
	if errors.As(err, &syntax) {
		failure.Syntax, failure.Hint = syntax, syntax.Hint
	}
	return failure
}

// eval returns undefined when there is neither a value nor a default.
func (n *varNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	v, err := n.read(run, at)
	if err != nil || v != nil {
		return v, err
	}
	if n.fallback != nil {
		return n.fallback.eval(run, at)
	}
	run.odd = true
	return undefined{}, nil
}

// read returns nil when there is no value.
func (n *varNode) read(run *ruleRun, at *frame) (value.Value, error) {
	if err := run.spend(1); err != nil {
		return nil, err
	}
	if at != nil && n.path.outer {
		at = nil
	}
	if n.simple {
		if v, ok, err := n.walk(run, at); ok || err != nil {
			if v == (undefined{}) {
				return nil, err
			}
			return v, err
		}
	}
	if err := run.spend(expressionSteps); err != nil {
		return nil, err
	}
	root := value.Value(run.scope.Context)
	if at != nil {
		v, err := at.root(run)
		if err != nil {
			return nil, err
		}
		if root = v; run.odd && v != nil {
			if root, err = run.finish(v); err != nil {
				return nil, err
			}
		}
	}
	v, err := n.expr.EvalWithin(&run.Meter, run.scope, root)
	if err != nil {
		return nil, n.failure(err)
	}
	return v, nil
}

// walk reads a path from the frame, or from the context when at is nil; not ok when the
// expression must be evaluated.
func (n *varNode) walk(run *ruleRun, at *frame) (v value.Value, ok bool, err error) {
	steps := n.path.steps
	switch {
	case at == nil && len(steps) == 0:
		// The owner may change the context after the evaluation.
		return maps.Clone(run.scope.Context), true, nil
	case at == nil:
		v, ok = n.path.walk(run.scope.Context)
		return v, ok, nil
	case len(steps) == 0:
		v, err = at.root(run)
		return v, true, err
	case !at.reduces:
		v, ok = n.path.walk(at.element)
		return v, ok, nil
	}
	inner := n.path
	inner.steps = steps[1:]
	switch steps[0] {
	case "current":
		v, ok = inner.walk(at.element)
	case "accumulator":
		v, ok = inner.walk(at.accumulator)
	default:
		ok = true
	}
	return v, ok, nil
}

// failure names the var that failed, without the place inside its expression, which callers
// cannot map to the rule.
func (n *varNode) failure(err error) error {
	var eval *jsonata.Error
	if !errors.As(err, &eval) {
		return &jsonata.Error{Message: fmt.Sprintf("var %.80q: %v", n.source, err), Offset: -1, Err: err}
	}
	moved := *eval
	moved.Offset = -1
	moved.Message = fmt.Sprintf("var %.80q: %s", n.source, eval.Message)
	return &moved
}

// ruleKind names a plain value's type for a message.
func ruleKind(v any) string {
	switch kindOf(v) {
	case kindNull:
		return "null"
	case kindBool:
		return "true or false"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindArray:
		return "a list"
	case kindObject, kindUndefined:
	}
	return "a rule"
}
