package flow

import (
	"context"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// output is the shape of a node's output, by the way on which the run goes on.
type output struct {
	done    shape.Shape // behind next
	handled shape.Shape // behind onError.next
}

// by returns the shape of an output after these endings.
func (o output) by(e ending) shape.Shape {
	var all []shape.Shape
	if e&done != 0 {
		all = append(all, o.done)
	}
	if e&handled != 0 {
		all = append(all, o.handled)
	}
	return shape.Union(all...)
}

// add joins the shape that a node yields with what its onError makes of a failure.
func (f *follower) add(ctx context.Context, node int, n graph.Node, normal shape.Shape) output {
	o := graph.OnErrorOf(n)
	switch {
	case o == nil:
		return output{normal, shape.Union()}
	case o.Next == nil:
		return output{shape.Union(normal, f.handledBy(ctx, node, n, o)), shape.Union()}
	}
	return output{normal, f.handledBy(ctx, node, n, o)}
}

// handledBy returns the shape of the value of an onError.
func (f *follower) handledBy(ctx context.Context, node int, n graph.Node, o *graph.OnError) shape.Shape {
	if o.Value == nil {
		return shape.Object([]shape.Field{{Name: "error", Shape: f.failureOf(ctx, n, use{at: inHandled, call: n}.codes())}}, false)
	}
	return f.valueShape(ctx, node, n, inHandled, definitionOf(f.graph, node, n).OnError.Value)
}

// valueShape returns the shape of data with expressions in it, which is at a place of a node or
// a branch. A key whose expression has no value is left out; in an array it is null.
func (f *follower) valueShape(ctx context.Context, node int, n graph.Node, at place, data *config.Data) shape.Shape {
	of := map[config.Pos]shape.Shape{}
	for number, use := range f.uses[node] {
		if use.call == n && use.at == at {
			of[use.expr.Text.Pos], _ = f.valueOf(ctx, node, number, use.expr)
		}
	}
	return dataShape(data, of)
}

func dataShape(d *config.Data, of map[config.Pos]shape.Shape) shape.Shape {
	switch d.Kind {
	case config.KindExpression:
		return of[d.Expr.Pos]
	case config.KindObject:
		fields := make([]shape.Field, len(d.Items))
		for i, item := range d.Items {
			s := dataShape(item, of)
			fields[i] = shape.Field{Name: d.Keys[i].Value, Shape: s, Optional: s.MayBeNothing()}
		}
		return shape.Object(fields, false)
	case config.KindArray:
		items := make([]shape.Shape, len(d.Items))
		for i, item := range d.Items {
			items[i] = dataShape(item, of).NothingAsNull()
		}
		return shape.Array(shape.Union(items...))
	case config.KindScalar:
	}
	if d.Scalar == nil {
		return shape.Null()
	}
	return shape.Constant(value.FromPlain(d.Scalar))
}

// failureOf returns the shape of $failure of a node, with these codes.
func (f *follower) failureOf(ctx context.Context, n graph.Node, codes []config.FailureCode) shape.Shape {
	var code []shape.Shape
	for _, c := range codes {
		code = append(code, shape.Constant(string(c)))
	}
	fields := []shape.Field{
		{Name: "code", Shape: shape.Union(code...)}, {Name: "message", Shape: shape.String()}, {Name: "node", Shape: shape.String()},
	}
	if graph.CallingOf(n) != nil {
		fields = append(fields,
			shape.Field{Name: "server", Shape: shape.String(), Optional: true}, shape.Field{Name: "tool", Shape: shape.String(), Optional: true},
			shape.Field{Name: "attempts", Shape: shape.Integer(), Optional: true}, shape.Field{Name: "result", Shape: f.lastResult(ctx, n, codes), Optional: true})
	}
	return shape.Object(fields, false)
}

// lastResult returns the shape of what came last in a failure with one of these codes: of a call that has not yet the wanted value,
// a value of the call.
func (f *follower) lastResult(ctx context.Context, n graph.Node, codes []config.FailureCode) shape.Shape {
	if m, isCall := n.(*graph.MCP); isCall && m.Retry != nil && m.Retry.Until != nil && len(codes) == 1 && codes[0] == config.FailNotYet {
		return f.value(ctx, n).NothingAsNull()
	}
	return shape.Value()
}

// value returns the shape of the value of one call of a node or a branch, or of the answer to an ask.
func (f *follower) value(ctx context.Context, n graph.Node) shape.Shape {
	switch n := n.(type) {
	case *graph.MCP:
		if n.Text {
			return shape.String()
		}
		t := knownTool(f.all.up, n.Server, n.Tool)
		if len(t.OutputSchema) == 0 {
			return shape.Any()
		}
		f.learned = f.learned || t.Learned
		return shape.OfSchema(t.OutputSchema)
	case *graph.SubGraph:
		result, learned := f.all.result(ctx, n.Graph)
		f.learned = f.learned || learned
		return result
	case *graph.Ask:
		return formShape(n)
	case *graph.Entry, *graph.Parallel, *graph.Transform, *graph.Switch, *graph.Steps, *graph.Exit:
	}
	return shape.Any()
}

// calls returns the output of a node that makes calls.
func (f *follower) calls(ctx context.Context, node int) output {
	n := f.graph.Nodes[node]
	if p, isParallel := n.(*graph.Parallel); isParallel {
		fields := make([]shape.Field, len(p.Branches))
		for i, b := range p.Branches {
			s := f.add(ctx, node, b.Node, f.value(ctx, b.Node)).done
			fields[i] = shape.Field{Name: b.Name, Shape: s, Optional: s.MayBeNothing()}
		}
		return output{shape.Object(fields, false), shape.Union()}
	}
	out := f.add(ctx, node, n, f.value(ctx, n))
	if graph.CallingOf(n).ForEach != nil {
		out.done = shape.Array(out.done.NothingAsNull())
	}
	return out
}

// item returns the shape of $item of a node with forEach. It is not known while the shape of its
// items is not.
func (f *follower) item(ctx context.Context, node int, n graph.Node) shape.Shape {
	if s, known := f.items[n]; known {
		return s
	}
	for number, use := range f.uses[node] {
		if use.call == n && use.at == inItems {
			of, _ := f.valueOf(ctx, node, number, use.expr)
			f.items[n] = of.Each()
			return f.items[n]
		}
	}
	return shape.Value()
}

// variables returns the variables of the language that an expression has.
func (f *follower) variables(ctx context.Context, node int, u use) map[string]shape.Shape {
	if s := f.stepOf(u.call); s != nil {
		return f.stepVariables(ctx, node, s, u)
	}
	c := graph.CallingOf(u.call)
	vars := map[string]shape.Shape{}
	maps.Copy(vars, f.around.variables)
	maps.Copy(vars, f.constants)
	for _, name := range u.at.variables(c != nil && c.ForEach != nil) {
		switch name {
		case expressions.VarItem:
			vars[name] = f.item(ctx, node, u.call)
		case expressions.VarIndex:
			vars[name] = shape.Counting()
		case expressions.VarAttempt:
			vars[name] = shape.Integer()
		case expressions.VarResult:
			vars[name] = f.value(ctx, u.call)
		case expressions.VarFailure:
			vars[name] = f.failureOf(ctx, u.call, u.codes())
		}
	}
	return vars
}

// codes returns the failures that an expression at its place can be about.
func (u use) codes() []config.FailureCode {
	var named []config.FailureCode
	if m, isMCP := u.call.(*graph.MCP); isMCP && m.Retry != nil && u.at == inWhen {
		named = m.Retry.Codes
	}
	o := graph.OnErrorOf(u.call)
	switch {
	case o == nil || u.at != inHandled:
	case o.Codes == nil:
		return slices.DeleteFunc(slices.Clone(config.FailureCodes), func(c config.FailureCode) bool { return !c.CaughtByDefault() })
	default:
		named = o.Codes
	}
	if named == nil {
		return config.FailureCodes
	}
	return named
}

// flows are the flows of the graphs of a file, each found once.
type flows struct {
	up       Upstreams
	made     map[*graph.Graph]*follower // nil while its flow is being found
	defaults []string                   // constants that are followed with their declared values; others may have any value of their kind
	known    *knownClean                // graphs that need no check
}

func newFlows(up Upstreams) *flows { return &flows{up: up, made: map[*graph.Graph]*follower{}} }

// of follows a graph. The error is the cause of ctx's end.
func (all *flows) of(ctx context.Context, g *graph.Graph) (*follower, error) {
	if f := all.made[g]; f != nil {
		return f, nil
	}
	all.made[g] = nil
	chain, steps := chainOf(ctx, g)
	f, err := newFollower(ctx, chain, all, g, steps, &around{})
	if err != nil {
		return nil, err
	}
	all.made[g] = f
	return f, nil
}

// result returns the shape of the value of a call of a tool: that of its outputSchema, or of what
// reaches its exit. It is any value for a tool that is being followed already, since it calls
// itself.
func (all *flows) result(ctx context.Context, g *graph.Graph) (s shape.Shape, learned bool) {
	if g == nil {
		return shape.Any(), false
	}
	if schema := g.Tool.OutputSchema; schema != nil {
		s = shape.OfSchema(schema.JSON())
		if s.Has(value.Null) {
			s = shape.Union(s, shape.Nothing()) // a result that is missing is checked as null
		}
		return s, false
	}
	if f, begun := all.made[g]; begun && f == nil {
		return shape.Any(), false
	}
	f, err := all.of(ctx, g)
	if err != nil {
		return shape.Any(), false
	}
	for i, node := range f.graph.Nodes {
		if _, isExit := node.(*graph.Exit); isExit {
			if s, known := f.previous(i); known {
				return s, f.learned
			}
		}
	}
	return shape.Any(), f.learned
}
