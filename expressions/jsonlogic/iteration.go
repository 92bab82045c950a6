package jsonlogic

import (
	"context"

	"toolgraph/expressions/value"
)

// frame is what the body of an iteration is about: the element, or what reduce
// gives its body.
type frame struct {
	element     value.Value
	reduces     bool
	accumulator value.Value // where reduces; the element is then "current"
}

// root is the value that a body's paths start from.
func (f *frame) root(run *ruleRun) (value.Value, error) {
	if !f.reduces {
		if f.element == (undefined{}) {
			return nil, nil
		}
		return f.element, nil
	}
	// About what a map of two keys takes.
	if err := run.make(256); err != nil {
		return nil, err
	}
	return map[string]any{"current": f.element, "accumulator": f.accumulator}, nil
}

// iterationNode is map, filter, all, some or none.
type iterationNode struct {
	op         string
	list, body ruleNode
}

func compileIteration(ctx context.Context, c *ruleCompiler, op string, args operands) (ruleNode, error) {
	list, err := c.operand(ctx, args, 0)
	if err != nil {
		return nil, err
	}
	body, err := c.body(ctx, args, 1)
	if err != nil {
		return nil, err
	}
	return &iterationNode{op, list, body}, nil
}

func (n *iterationNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	v, err := n.list.eval(run, at)
	if err != nil {
		return nil, err
	}
	items, _ := v.([]any)
	switch n.op {
	case "map":
		return n.collect(run, items)
	case "filter":
		return n.filter(run, items)
	case "all":
		found, err := n.search(run, items, false)
		return !found && len(items) > 0, err
	case "some":
		return n.search(run, items, true)
	}
	found, err := n.search(run, items, true)
	return !found, err
}

func (n *iterationNode) collect(run *ruleRun, items []any) (value.Value, error) {
	if err := run.makeArray(len(items)); err != nil {
		return nil, err
	}
	values := make([]any, len(items))
	at := &frame{}
	for i, item := range items {
		at.element = item
		v, err := n.each(run, at)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

func (n *iterationNode) filter(run *ruleRun, items []any) (value.Value, error) {
	values := []any{}
	at := &frame{}
	for _, item := range items {
		at.element = item
		v, err := n.each(run, at)
		if err != nil {
			return nil, err
		}
		if !Truth(v) {
			continue
		}
		if err := run.makeArray(1); err != nil {
			return nil, err
		}
		values = append(values, item)
	}
	return values, nil
}

// search reports whether the body has this truth for an element.
func (n *iterationNode) search(run *ruleRun, items []any, truth bool) (bool, error) {
	at := &frame{}
	for _, item := range items {
		at.element = item
		v, err := n.each(run, at)
		if err != nil {
			return false, err
		}
		if Truth(v) == truth {
			return true, nil
		}
	}
	return false, nil
}

func (n *iterationNode) each(run *ruleRun, at *frame) (value.Value, error) {
	if err := run.spend(1); err != nil {
		return nil, err
	}
	return n.body.eval(run, at)
}

// reduceNode folds a list; without a start the accumulator begins as null.
type reduceNode struct{ list, body, start ruleNode }

func compileReduce(ctx context.Context, c *ruleCompiler, _ string, args operands) (ruleNode, error) {
	n := &reduceNode{start: literal{value.Null}}
	var err error
	if n.list, err = c.operand(ctx, args, 0); err != nil {
		return nil, err
	}
	if n.body, err = c.body(ctx, args, 1); err != nil {
		return nil, err
	}
	if len(args.values) == 3 {
		n.start, err = c.operand(ctx, args, 2)
	}
	return n, err
}

func (n *reduceNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	list, err := n.list.eval(run, at)
	if err != nil {
		return nil, err
	}
	v, err := n.start.eval(run, at)
	if err != nil {
		return nil, err
	}
	if v == (undefined{}) {
		v = value.Null
	}
	items, _ := list.([]any)
	inner := &frame{reduces: true}
	for _, item := range items {
		if err := run.spend(1); err != nil {
			return nil, err
		}
		inner.element, inner.accumulator = item, v
		if v, err = n.body.eval(run, inner); err != nil {
			return nil, err
		}
	}
	return v, nil
}
