package jsonlogic

import (
	"context"

	"toolgraph/expressions/value"
)

// ruleNode is one part of a compiled rule. It is never changed after compiling.
type ruleNode interface {
	eval(run *ruleRun, at *frame) (value.Value, error)
}

// literal is a value written in the rule.
type literal struct{ value value.Value }

func (n literal) eval(run *ruleRun, _ *frame) (value.Value, error) { return n.value, run.spend(1) }

// arrayNode is an array with rules in it.
type arrayNode []ruleNode

func (n arrayNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	if err := run.makeArray(len(n)); err != nil {
		return nil, err
	}
	values := make([]any, len(n))
	return values, evalAll(run, at, n, values)
}

func evalAll(run *ruleRun, at *frame, nodes []ruleNode, into []value.Value) error {
	for i, n := range nodes {
		v, err := n.eval(run, at)
		if err != nil {
			return err
		}
		into[i] = v
	}
	return nil
}

// callNode is an operator that takes the values of its arguments.
type callNode struct {
	apply applied
	args  []ruleNode
}

func (n *callNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	if err := run.spend(1 + len(n.args)); err != nil {
		return nil, err
	}
	top := run.stack.Top()
	args := run.stack.Reserve(len(n.args))[:len(n.args)]
	if err := evalAll(run, at, n.args, args); err != nil {
		return nil, err
	}
	v, err := n.apply(run, args)
	run.stack.Cut(top)
	return v, err
}

// ifNode is condition, value, condition, value … and perhaps a last value.
type ifNode []ruleNode

func (n ifNode) eval(run *ruleRun, at *frame) (value.Value, error) {
	for i := 0; i+1 < len(n); i += 2 {
		if err := run.spend(1); err != nil {
			return nil, err
		}
		v, err := n[i].eval(run, at)
		if err != nil {
			return nil, err
		}
		if Truth(v) {
			return n[i+1].eval(run, at)
		}
	}
	if len(n)%2 == 1 {
		return n[len(n)-1].eval(run, at)
	}
	return value.Null, nil
}

func compileIf(ctx context.Context, c *ruleCompiler, _ string, args operands) (ruleNode, error) {
	nodes, err := c.operands(ctx, args, 0)
	return ifNode(nodes), err
}

// andOrNode is the first argument whose truth is stop, or the last one.
type andOrNode struct {
	stop bool
	args []ruleNode
}

func (n *andOrNode) eval(run *ruleRun, at *frame) (v value.Value, err error) {
	for _, arg := range n.args {
		if err := run.spend(1); err != nil {
			return nil, err
		}
		if v, err = arg.eval(run, at); err != nil || Truth(v) == n.stop {
			return v, err
		}
	}
	return v, nil
}

func compileAndOr(ctx context.Context, c *ruleCompiler, op string, args operands) (ruleNode, error) {
	nodes, err := c.operands(ctx, args, 0)
	return &andOrNode{op == "or", nodes}, err
}
