package jsonlogic

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"toolgraph/expressions/value"
)

const (
	ruleDepth = 64     // operators and arrays inside each other
	ruleParts = 10_000 // operators, arrays and literals
)

// ruleCompiler turns plain values into a tree of nodes. Whatever is not a literal
// in the rule itself is data ever after.
type ruleCompiler struct {
	path       []any
	depth      int
	parts      int
	bodies     int // bodies around the place
	references []Reference
	places     []Read
	reads      bool // something other than elements is read
}

// at runs f one step further down the rule.
func (c *ruleCompiler) at(step any, f func() (ruleNode, error)) (ruleNode, error) {
	c.path = append(c.path, step)
	n, err := f()
	c.path = c.path[:len(c.path)-1]
	return n, err
}

func (c *ruleCompiler) fail(hint, format string, args ...any) *Error {
	return &Error{Path: slices.Clone(c.path), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// compile compiles the value at the compiler's path. It comes back at the depth
// limit, so the input may be as deep as it likes.
func (c *ruleCompiler) compile(ctx context.Context, rule any) (ruleNode, error) {
	if c.parts++; c.parts > ruleParts {
		return nil, c.fail("split the rule over several switch conditions", "the rule has more than %d parts", ruleParts)
	}
	if c.depth >= ruleDepth && kindOf(rule) >= kindArray {
		return nil, c.fail("compute a part of it in a transform node first", "the rule is nested deeper than %d levels", ruleDepth)
	}
	c.depth++
	defer func() { c.depth-- }()
	switch x := rule.(type) {
	case nil:
		return literal{value.Null}, nil
	case bool, string:
		return literal{x}, nil
	case float64:
		return c.compileFloat(x)
	case json.Number:
		return c.compileNumber(x)
	case int:
		return literal{value.FromPlain(x)}, nil
	case int64:
		return literal{value.FromPlain(x)}, nil
	case uint64:
		return literal{value.FromPlain(x)}, nil
	case []any:
		return c.compileArray(ctx, x)
	case map[string]any:
		return c.compileObject(ctx, x)
	}
	if rule == value.Null {
		return literal{value.Null}, nil
	}
	return nil, c.fail("", "a rule is made of JSON values, found %T", rule)
}

func (c *ruleCompiler) compileNumber(n json.Number) (ruleNode, error) {
	s := string(n)
	if s == "" || decimalPrefix(s) != len(s) {
		return nil, c.fail("", "%.40q is not a number", s)
	}
	f := floatOf(n)
	if digits, ok := integerDigits(n); ok && compareDigits(f, n) != 0 && digits != "" {
		return literal{n}, nil
	}
	return c.compileFloat(f)
}

func (c *ruleCompiler) compileFloat(f float64) (ruleNode, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, c.fail("", "a number in a rule is finite, found %s", value.NumberText(f))
	}
	return literal{f}, nil
}

func (c *ruleCompiler) compileArray(ctx context.Context, items []any) (ruleNode, error) {
	nodes, err := c.operands(ctx, operands{items, true}, 0)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(nodes))
	for i, n := range nodes {
		l, ok := n.(literal)
		if !ok {
			return arrayNode(nodes), nil
		}
		values[i] = l.value
	}
	return literal{values}, nil
}

func (c *ruleCompiler) compileObject(ctx context.Context, rule map[string]any) (ruleNode, error) {
	op, err := c.operatorOf(rule)
	if err != nil {
		return nil, err
	}
	return c.at(op, func() (ruleNode, error) {
		known, ok := ruleOperators[op]
		if !ok {
			message := "unknown operator %.40q"
			if slices.Contains(elsewhere, op) {
				message += ", which only some libraries add to JSON Logic"
			}
			hint, meant := unknownOperatorHint(op)
			failed := c.fail(hint, message, op)
			failed.Meant = meant
			return nil, failed
		}
		args := operandsOf(rule[op])
		if n := len(args.values); n < known.least || known.most != many && n > known.most {
			return nil, c.fail("", "operator %q takes %s, found %d", op, known.countedArguments(), n)
		}
		if known.compile != nil {
			return known.compile(ctx, c, op, args)
		}
		nodes, err := c.operands(ctx, args, 0)
		if err != nil {
			return nil, err
		}
		return &callNode{known.apply, nodes}, nil
	})
}

// operands are the arguments of an operator as the rule writes them: a list, or
// one without brackets.
type operands struct {
	values []any
	listed bool
}

func operandsOf(v any) operands {
	if list, ok := v.([]any); ok {
		return operands{list, true}
	}
	return operands{[]any{v}, false}
}

// atOperand runs f at the path of the i-th argument.
func (c *ruleCompiler) atOperand(args operands, i int, f func() (ruleNode, error)) (ruleNode, error) {
	if !args.listed {
		return f()
	}
	return c.at(i, f)
}

func (c *ruleCompiler) operand(ctx context.Context, args operands, i int) (ruleNode, error) {
	return c.atOperand(args, i, func() (ruleNode, error) { return c.compile(ctx, args.values[i]) })
}

// operands compiles the arguments from one on.
func (c *ruleCompiler) operands(ctx context.Context, args operands, from int) ([]ruleNode, error) {
	nodes := make([]ruleNode, 0, min(len(args.values), ruleParts))
	for i := from; i < len(args.values); i++ {
		n, err := c.operand(ctx, args, i)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// body compiles the i-th argument as what is evaluated per element.
func (c *ruleCompiler) body(ctx context.Context, args operands, i int) (ruleNode, error) {
	c.bodies++
	defer func() { c.bodies-- }()
	return c.operand(ctx, args, i)
}

// operatorOf is the rule's only key.
func (c *ruleCompiler) operatorOf(rule map[string]any) (string, error) {
	switch len(rule) {
	case 0:
		return "", c.fail(`write {"==": [a, b]}, or true`, "a rule has one operator, found an empty object")
	case 1:
		for op := range rule {
			return op, nil
		}
	}
	if len(rule) > 8 {
		return "", c.fail("", "a rule has one operator, found an object of %d keys", len(rule))
	}
	keys := make([]string, 0, len(rule))
	for key := range rule {
		keys = append(keys, fmt.Sprintf("%.40q", key))
	}
	sort.Strings(keys)
	return "", c.fail(`join them: {"and": [{…}, {…}]}`, "a rule has one operator, found %s", strings.Join(keys, " and "))
}
