package flow

import (
	"context"
	"maps"
	"slices"

	"toolgraph/expressions"
	"toolgraph/expressions/shape"
	"toolgraph/graph"
)

// around is what the expressions of a block can read of what is around it.
type around struct {
	context   map[string]shape.Binding // the steps of the blocks around it
	variables map[string]shape.Shape   // $item and the like of these blocks
	asked     [][]string               // the paths that the conditions of these blocks read
}

// chainOf returns the chain of a tool that is written as steps, else the graph itself.
func chainOf(ctx context.Context, g *graph.Graph) (*graph.Graph, *graph.Steps) {
	for _, n := range g.Nodes {
		if steps, isSteps := n.(*graph.Steps); isSteps && g.Tool.StepsAt.IsValid() {
			return steps.Chain(ctx, g), steps
		}
	}
	return g, nil
}

// stepOf returns the step that a node is; nil for a node that is none.
func (e *explorer) stepOf(n graph.Node) *graph.Step { return e.graph.StepOf(n) }

// stepUses returns the expressions of a step beside those of its node.
func stepUses(s *graph.Step, n graph.Node) []use {
	if s == nil {
		return nil
	}
	var all []use
	add := func(at place, e *graph.Expr) {
		if e != nil {
			all = append(all, use{e, at, n})
		}
	}
	add(inIf, s.If)
	add(inItems, s.Each)
	add(inKey, s.Key)
	add(inEachUntil, s.Until)
	if s.Repeat != nil {
		add(inTurnUntil, s.Repeat.Until)
	}
	if on := s.OnError; on != nil && on.Value != nil && graph.OnErrorOf(n) != on {
		for _, e := range on.Value.Expressions() {
			add(inHandled, e)
		}
	}
	return all
}

// stepVariables returns the variables that an expression of a step has.
func (f *follower) stepVariables(ctx context.Context, node int, s *graph.Step, u use) map[string]shape.Shape {
	vars := maps.Clone(f.around.variables)
	if vars == nil {
		vars = map[string]shape.Shape{}
	}
	maps.Copy(vars, f.constants)
	if s == nil || u.at == inIf || u.at == inItems {
		return vars
	}
	if s.Each != nil {
		vars[s.Item()], vars[expressions.VarIndex] = f.item(ctx, node, u.call), shape.Counting()
	}
	if s.Repeat != nil && u.at != inHandled && u.at != inEachUntil && u.at != inKey {
		vars["n"] = shape.Integer()
		if u.at != inTurnUntil {
			vars["previous"] = shape.Union(f.turn(ctx, node, u), shape.Nothing())
		}
	}
	switch u.at {
	case inTurnUntil:
		vars[expressions.VarResult] = f.turn(ctx, node, u)
	case inEachUntil:
		vars[expressions.VarResult] = f.caughtStep(ctx, node, s, f.turns(s, f.turn(ctx, node, u)))
	case inWhen, inHandled:
		vars[expressions.VarAttempt], vars[expressions.VarFailure] = shape.Integer(), f.failureOf(ctx, u.call, u.codes())
	case inIf, inItems, inKey, inTransform, inMessage, inArgs, inUntil:
	}
	return vars
}

// turn returns the shape of the value of a step's node, run once. It is any where that depends on the
// expression that asks.
func (f *follower) turn(ctx context.Context, node int, u use) shape.Shape {
	switch f.graph.Nodes[node].(type) {
	case *graph.MCP, *graph.SubGraph, *graph.Ask:
		return f.value(ctx, f.graph.Nodes[node])
	case *graph.Transform:
		if u.at != inTransform {
			v, _ := f.valueOf(ctx, node, 0, f.uses[node][0].expr)
			return v
		}
	case *graph.Steps:
		if inner := f.blocks[node]; inner != nil && u.at != inTransform {
			return inner.returned()
		}
	case *graph.Entry, *graph.Parallel, *graph.Switch, *graph.Exit:
	}
	return shape.Any()
}

// returned returns the shape of the value of a block.
func (f *follower) returned() shape.Shape {
	exit := len(f.graph.Nodes) - 1
	v, _ := f.previous(exit)
	return v
}

// step returns the shape of the value of a step; it is not known while what its node reads is not.
func (f *follower) step(ctx context.Context, node int, s *graph.Step) (out output, known bool) {
	out.handled = shape.Union()
	var v shape.Shape
	switch n := f.graph.Nodes[node].(type) {
	case *graph.Transform:
		if v, known = f.valueOf(ctx, node, 0, n.Expr); !known {
			return output{}, false
		}
	case *graph.Steps:
		v = f.block(ctx, node, n, s)
	case *graph.MCP, *graph.SubGraph, *graph.Ask:
		v = f.value(ctx, n)
	case *graph.Entry, *graph.Parallel, *graph.Switch, *graph.Exit:
	}
	out.done = ofItems(s, f.caughtStep(ctx, node, s, f.turns(s, v)))
	return out, true
}

// ofItems returns the shape of what a step makes of the values of its items; without each that is the value itself.
func ofItems(s *graph.Step, v shape.Shape) shape.Shape {
	switch {
	case s == nil || s.Each == nil:
		return v
	case s.Key != nil:
		return shape.Map(v.NothingAsNull())
	}
	return shape.Array(v.NothingAsNull())
}

// turns returns the shape of what a step makes of the values of its turns.
func (f *follower) turns(s *graph.Step, v shape.Shape) shape.Shape {
	if s.Repeat != nil && s.Repeat.Collect {
		return shape.Array(v.NothingAsNull())
	}
	return v
}

// caughtStep joins the shape that a step yields with what its onError makes of a failure.
func (f *follower) caughtStep(ctx context.Context, node int, s *graph.Step, v shape.Shape) shape.Shape {
	n, on := f.graph.Nodes[node], s.OnError
	switch {
	case on == nil:
		return v
	case on.Skip && s.Each != nil:
		return v
	case on.Skip:
		return shape.Union(v, shape.Nothing())
	}
	return shape.Union(v, f.handledBy(ctx, node, n, on))
}

// block follows the steps of a block with what they can read of what is around it.
func (f *follower) block(ctx context.Context, node int, n *graph.Steps, s *graph.Step) shape.Shape {
	outer := &around{context: maps.Clone(f.around.context), variables: f.stepVariables(ctx, node, s, use{at: inTransform, call: n}), asked: slices.Clone(f.around.asked)}
	if s.If != nil {
		for _, ref := range s.If.References() {
			outer.asked = append(outer.asked, ref.Path)
		}
	}
	if outer.context == nil {
		outer.context = map[string]shape.Binding{}
	}
	for i, other := range f.graph.Nodes {
		if f.graph.StepOf(other) != nil && other.ID() != n.ID() {
			outer.context[other.ID()] = f.binding(node, i)
		}
	}
	outer.context[f.graph.Entry.ID()] = f.binding(node, 0)
	original, _ := s.Node.(*graph.Steps) // n is a copy of it
	inner, err := newFollower(ctx, original.Chain(ctx, f.of), f.all, f.of, original, outer)
	if err != nil {
		return shape.Any()
	}
	f.blocks[node] = inner
	f.learned = f.learned || inner.learned
	return inner.returned()
}

// checkStep reports what is wrong with the expressions of a step beside those of its node.
func (c *checker) checkStep(ctx context.Context, i int) {
	for number, u := range c.uses[i] {
		switch u.at {
		case inIf, inEachUntil, inTurnUntil:
			c.expression(ctx, i, number, u.expr, needless, func(*shape.Env) {})
			c.quotedCondition(u.expr)
		case inKey:
			c.expression(ctx, i, number, u.expr, needed, func(*shape.Env) {})
			c.noKey(ctx, i, number, u.expr)
		case inItems:
			c.expression(ctx, i, number, u.expr, needless, func(*shape.Env) {})
			c.oneItem(ctx, i, number, u.expr)
		case inTransform, inMessage, inArgs, inWhen, inUntil, inHandled:
			continue
		}
		c.unstable(u.expr)
	}
	if s := c.stepOf(c.graph.Nodes[i]); s != nil {
		c.hidesChange(i, s)
	}
	if s := c.stepOf(c.graph.Nodes[i]); s != nil && s.Repeat != nil {
		c.repeats(i, s)
	}
	if inner := c.blocks[i]; inner != nil {
		found, err := inner.check(ctx)
		if err == nil {
			c.found = append(c.found, found...)
		}
	}
}
