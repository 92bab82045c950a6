package jsonlogic

import (
	"context"
	"strings"

	"toolgraph/expressions/value"
)

// missingNode is missing, or missing_some where need is set: the keys of those
// asked for that are not there, or are null or "".
type missingNode struct {
	need ruleNode
	keys []ruleNode
	// vars are the keys that the rule itself writes, as vars. Any other key comes
	// from data and is a path of names and numbers, never an expression.
	vars map[string]*varNode
}

func compileMissing(ctx context.Context, c *ruleCompiler, _ string, args operands) (ruleNode, error) {
	c.reads = true
	n := &missingNode{vars: map[string]*varNode{}}
	var err error
	if n.keys, err = c.operands(ctx, args, 0); err != nil {
		return nil, err
	}
	if !args.listed {
		return n, c.writtenKeys(ctx, n, args.values[0], true)
	}
	return n, c.writtenKeys(ctx, n, args.values, true)
}

func compileMissingSome(ctx context.Context, c *ruleCompiler, _ string, args operands) (ruleNode, error) {
	c.reads = true
	n := &missingNode{vars: map[string]*varNode{}}
	var err error
	if n.need, err = c.operand(ctx, args, 0); err != nil {
		return nil, err
	}
	if n.keys, err = c.operands(ctx, args, 1); err != nil {
		return nil, err
	}
	_, err = c.at(1, func() (ruleNode, error) { return nil, c.writtenKeys(ctx, n, args.values[1], true) })
	return n, err
}

// writtenKeys compiles the keys that the rule contains. Inside an operator, as in
// {"missing": {"merge": ["a", …]}}, a string may be no key at all, so one that is
// no expression is no error there.
func (c *ruleCompiler) writtenKeys(ctx context.Context, n *missingNode, v any, sure bool) error {
	switch x := v.(type) {
	case string:
		if n.vars[x] != nil {
			return nil
		}
		before := len(c.references)
		key, err := c.readVar(ctx, x, nil)
		if err != nil && sure {
			return err
		}
		if read, ok := key.(*varNode); ok && err == nil {
			n.vars[x] = read
		} else {
			c.references = c.references[:before]
		}
	case []any:
		for i, item := range x {
			if _, err := c.at(i, func() (ruleNode, error) { return nil, c.writtenKeys(ctx, n, item, sure) }); err != nil {
				return err
			}
		}
	case map[string]any:
		for op, inner := range x {
			if op == "var" || op == "missing" || op == "missing_some" {
				continue
			}
			if _, err := c.at(op, func() (ruleNode, error) { return nil, c.writtenKeys(ctx, n, inner, false) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n *missingNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	asked := make([]value.Value, len(n.keys))
	if err := evalAll(run, at, n.keys, asked); err != nil {
		return nil, err
	}
	if n.need != nil {
		return n.some(run, at, asked[0])
	}
	return n.missing(run, at, asked)
}

// missing looks for the keys asked for; a list in front stands for all of them.
func (n *missingNode) missing(run *ruleRun, at *frame, asked []value.Value) ([]any, error) {
	if len(asked) > 0 {
		if list, ok := asked[0].([]any); ok {
			asked = list
		}
	}
	gone := []any{}
	for _, key := range asked {
		v, err := n.find(run, at, key)
		if err != nil {
			return nil, err
		}
		if v != nil && v != value.Null && v != "" {
			continue
		}
		if err := run.makeArray(1); err != nil {
			return nil, err
		}
		gone = append(gone, key)
	}
	return gone, nil
}

// some is [] when enough of the keys are there.
func (n *missingNode) some(run *ruleRun, at *frame, list value.Value) (value.Value, error) {
	need, err := n.need.eval(run, at)
	if err != nil {
		return nil, err
	}
	wanted, err := run.number(need)
	if err != nil {
		return nil, err
	}
	asked, ok := list.([]any)
	if !ok {
		asked = []any{list}
	}
	gone, err := n.missing(run, at, asked)
	if err != nil {
		return nil, err
	}
	if float64(len(asked)-len(gone)) >= wanted {
		return []any{}, nil
	}
	return gone, nil
}

func (n *missingNode) find(run *ruleRun, at *frame, key value.Value) (value.Value, error) {
	var path string
	switch x := key.(type) {
	case string:
		if written, ok := n.vars[x]; ok {
			return written.read(run, at)
		}
		path = x
	case []any, map[string]any, value.Object:
		return nil, run.spend(1)
	default:
		if kindOf(key) > kindNull {
			path = scalarText(key)
		}
	}
	given := varNode{simple: true}
	if path != "" {
		given.path = givenPath(path)
	}
	if err := run.read(len(path)); err != nil {
		return nil, err
	}
	return given.read(run, at)
}

// givenPath is the path of a key that comes from data.
func givenPath(key string) rulePath {
	p := rulePath{indexed: true}
	if rest, ok := strings.CutPrefix(key, "$ctx."); ok {
		p.outer, key = true, rest
	}
	p.steps = strings.Split(strings.TrimPrefix(key, "$."), ".")
	return p
}
