package flow

import (
	"context"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
)

// caught reports what fails behind a node because its onError has taken a failure, though nothing
// fails there while the node succeeds. It follows the runs in which the node has failed: a condition,
// in an expression or in a switch, that distinguishes the two is a guard.
func (c *checker) caught(ctx context.Context) {
	for i, n := range c.graph.Nodes {
		if !c.reached(i) {
			continue
		}
		if p, isParallel := n.(*graph.Parallel); isParallel {
			c.caughtBranches(ctx, i, p)
			continue
		}
		o, call := graph.OnErrorOf(n), graph.CallingOf(n)
		each := call != nil && call.ForEach != nil
		if s := c.stepOf(n); s != nil {
			o, each = s.OnError, s.Each != nil
		}
		if o == nil || o.Skip { // what is skipped may be missing, or leaves its place in the list
			continue
		}
		if each {
			c.caughtItems(ctx, i, n, o)
			continue
		}
		to := c.ways[i].next
		if o.Next != nil {
			to = c.ways[i].onError
		}
		gives := c.handledBy(ctx, i, n, o)
		c.suppose(ctx, &supposition{checker: c, failed: n.ID(), gives: gives}, i, to, gives)
	}
}

// caughtItems supposes that all items of a forEach, or of a step, have failed. A function that fails for each of them, or a field that each lacks, is
// reported at the value that onError gives.
func (c *checker) caughtItems(ctx context.Context, i int, n graph.Node, o *graph.OnError) {
	if c.faulty[i] {
		return
	}
	at := c.graph.Tool.Nodes[i].OnError.Pos
	if o.Value != nil {
		at = o.Value.Pos
	}
	gives := c.handledBy(ctx, i, n, o)
	all := shape.Array(gives).Filled()
	if s := c.stepOf(n); s != nil && s.Key != nil {
		all = ofItems(s, gives)
	}
	c.suppose(ctx, &supposition{checker: c, failed: n.ID(), gives: gives, items: at}, i, c.ways[i].next, all)
}

// caughtBranches supposes for each branch of a parallel node that it has failed.
func (c *checker) caughtBranches(ctx context.Context, i int, p *graph.Parallel) {
	for k, b := range p.Branches {
		o, call := graph.OnErrorOf(b.Node), graph.CallingOf(b.Node)
		if o == nil || call != nil && call.ForEach != nil {
			continue
		}
		fields := c.outputs[i].done.Fields()
		if k >= len(fields) {
			continue
		}
		gives := c.handledBy(ctx, i, b.Node, o)
		fields[k] = shape.Field{Name: b.Name, Shape: gives}
		c.suppose(ctx, &supposition{checker: c, failed: p.ID() + "." + b.Name, gives: gives}, i, c.ways[i].next, shape.Object(fields, false))
	}
}

// supposition is a run in which a node has failed and its onError has taken the failure.
type supposition struct {
	*checker
	failed  string              // the node, or the branch, for messages
	gives   shape.Shape         // what its onError gives
	items   config.Pos          // the value of onError of a forEach whose items have failed; else invalid
	every   bool                // what is reported goes wrong when all items have failed
	outputs map[int]shape.Shape // of the failed node, and of those that depend on it
}

// suppose follows the run from a node on; output is that of the failed node.
func (c *checker) suppose(ctx context.Context, s *supposition, failed, from int, output shape.Shape) {
	s.outputs = map[int]shape.Shape{failed: output}
	seen := newSet(len(c.graph.Nodes))
	seen.add(failed) // it succeeds, or fails again, when it is executed again
	for todo := []int{from}; len(todo) > 0 && ctx.Err() == nil; todo = todo[1:] {
		i := todo[0]
		if i < 0 || seen.has(i) || !c.reached(i) {
			continue
		}
		seen.add(i)
		if sw, isSwitch := c.graph.Nodes[i].(*graph.Switch); isSwitch {
			todo = append(todo, s.goesTo(ctx, i, sw)...)
			continue
		}
		if !c.faulty[i] {
			s.node(ctx, i)
		}
		todo = append(todo, c.ways[i].next)
	}
}

// env returns what an expression reads in the run, and whether that differs from other runs.
func (s *supposition) env(ctx context.Context, node, number int) (env shape.Env, differs bool) {
	env = s.envOfAll(ctx, node, number)
	for _, read := range s.reads[node][number].nodes {
		out, known := s.outputs[read]
		if !known || slices.Contains(s.reads[node][number].past, read) {
			continue
		}
		env.Context[s.graph.Nodes[read].ID()] = shape.Binding{Shape: out, Presence: shape.Always}
		differs = true
	}
	if before := s.arrivals[node]; len(before) == 1 {
		if out, known := s.outputs[before[0]]; known {
			env.Previous, differs = out, true
		}
	}
	env.Supposed = differs
	return env, differs
}

// node reports the expressions of a node that fail in the run, and notes its output.
func (s *supposition) node(ctx context.Context, i int) {
	values := map[config.Pos]shape.Shape{}
	for number, use := range s.uses[i] {
		if use.at != inTransform && use.at != inArgs {
			continue
		}
		env, differs := s.env(ctx, i, number)
		if !differs {
			continue
		}
		given, found := shape.Infer(ctx, use.expr.Expression, env)
		_, usual := shape.Infer(ctx, use.expr.Expression, s.envOfAll(ctx, i, number))
		if s.failures(use.expr, found, usual) {
			s.faulty[i] = true
			return
		}
		values[use.expr.Text.Pos] = given
		if t, isTransform := s.graph.Nodes[i].(*graph.Transform); isTransform && use.at == inTransform {
			s.transform(ctx, i, t, given)
		}
	}
	calls, defined := callsOf(s.graph, i)
	for k, call := range calls {
		s.args(ctx, i, call, defined[k], values)
	}
}

// failures reports findings that are certain in the run, and found in no other.
func (s *supposition) failures(e *graph.Expr, found, usual []shape.Finding) (any bool) {
	for _, f := range found {
		same := func(u shape.Finding) bool { return u.Offset == f.Offset && u.Code == f.Code }
		always := f.Fails || f.Code == shape.CodeAbsent
		if f.Code == shape.CodeNoFields && f.Always && isScalar(s.gives) {
			always = true // a field of a text in the place of an object
		}
		if s.items.IsValid() {
			always = (f.Code == shape.CodeWrongOperand || f.Code == shape.CodeWrongArgument || f.Code == shape.CodeNoFields) && !s.filtersBy(e)
		}
		if !always || slices.ContainsFunc(usual, same) {
			continue
		}
		code, _ := s.classify(f)
		if s.items.IsValid() {
			s.note(s.items, code, fmt.Sprintf("%s (%s)", f.Message, s.place(e.Text, f.Offset)))
			return true
		}
		fixes := graph.Fixes(e.Text, f.Fixes...)
		if code == "maybe-missing" {
			fixes = append(fixes, guardsOf(e, partAt(e.Tree(), f.Offset))...)
		}
		s.note(s.place(e.Text, f.Offset), code, f.Message, fixes...)
		any = true
	}
	return any
}

// filtersBy reports whether a condition of an expression reads a field of what onError gives for an item.
func (s *supposition) filtersBy(e *graph.Expr) bool {
	return e.Tree() != nil && slices.ContainsFunc(s.gives.Fields(), func(f shape.Field) bool { return testsAny(e.Tree(), f.Name) })
}

// note reports what fails in the run, unless something is reported of its place already.
func (s *supposition) note(at config.Pos, code, message string, fixes ...config.Fix) {
	if slices.ContainsFunc(s.found, func(d config.Diagnostic) bool { return d.Pos == at }) {
		return
	}
	hint, what := "give onError a value that fits, or a next; or check the value first", ""
	hasError := s.gives.IsObject() && !s.gives.Field("error").MayBeNothing()
	switch {
	case s.items.IsValid() && s.every:
		hint, what = "give a default: … ?? value; or give onError a value that fits", "every item of "
	case s.items.IsValid() && hasError:
		hint, what = fmt.Sprintf("take the others alone: $.%s[$not($exists(error))]; or give onError a value that fits", s.failed), "an item of "
	case s.items.IsValid():
		hint, what = "give onError a value that fits, or check the items first", "an item of "
	case hasError:
		hint = fmt.Sprintf("check first: $exists($.%s.error) ? … : …; or give onError a value that fits", s.failed)
	}
	s.found.Warn(at, code, fmt.Sprintf("when %s%q fails, its onError gives %s: %s", what, s.failed, s.gives, message), hint).Fixed(fixes...)
}

// transform checks the result of the tool, or notes the output for the nodes behind it.
func (s *supposition) transform(ctx context.Context, i int, t *graph.Transform, given shape.Shape) {
	want := s.wanted(t.Next)
	if want.IsAny() {
		s.outputs[i] = ofItems(s.stepOf(t), given)
		return
	}
	usual := s.normal(ctx, i)
	conflict, conflicts := given.NothingAsNull().Conflict(want)
	if _, before := usual.NothingAsNull().Conflict(want); before || !conflicts {
		return
	}
	part := partOf(t.Expr.Tree(), conflict.Path, want)
	text, tool := wording.Truncate(sourceOf(t.Expr, part), 60), s.graph.Tool.Name.Value
	if conflict.Found == "missing" || given.IsNothing() {
		what := "a result"
		s.every = !slices.Contains(conflict.Path, "[]")
		if len(conflict.Path) > 0 {
			what = fmt.Sprintf("%q in the result", pathText(conflict.Path))
		}
		s.note(s.place(t.Expr.Text, part.Offset), "maybe-missing", fmt.Sprintf("%s is missing, and outputSchema of tool %q requires %s", text, tool, what), guardsOf(t.Expr, part)...)
		s.every = false
		return
	}
	s.note(s.place(t.Expr.Text, part.Offset), "output-mismatch", fmt.Sprintf("%s is %s, expected %s by outputSchema of tool %q", text, conflict.Found, conflict.Expected, tool))
}

// args checks the arguments of a call that differ in the run.
func (s *supposition) args(ctx context.Context, i int, call graph.Node, defined *config.Node, values map[config.Pos]shape.Shape) {
	quiet := *s.checker
	quiet.found = nil
	a, data := quiet.argsOf(call, defined)
	if a.root == nil {
		return
	}
	for _, use := range s.uses[i] {
		given, differs := values[use.expr.Text.Pos]
		if use.call != call || use.at != inArgs || !differs {
			continue
		}
		if !given.IsNothing() {
			a.shapes[use.expr.Text.Pos] = given
			continue
		}
		if why := a.required[use.expr.Text.Pos]; why != "" {
			s.note(use.expr.Text.At(0), "maybe-missing", fmt.Sprintf("%s is missing, and %s", wording.Truncate(use.expr.Text.Value, 60), why), guardsOf(use.expr, use.expr.Tree())...)
		}
	}
	a.object(ctx, data, a.resolved(a.root), nil, defined.Tool.Pos)
	for _, d := range quiet.found {
		if slices.ContainsFunc(s.uses[i], func(u use) bool { return a.shapes[u.expr.Text.Pos] != (shape.Shape{}) && u.expr.Text.At(0) == d.Pos }) && d.Code == "argument-refused" {
			at := d.Pos
			if s.items.IsValid() {
				at = s.items
			}
			s.note(at, "argument-refused", d.Message)
		}
	}
}

// goesTo returns the nodes to which a switch goes in the run. A switch that reads the failed node, or
// what depends on it, and of which that is not known, is a guard: what is behind it is not checked.
func (s *supposition) goesTo(ctx context.Context, i int, sw *graph.Switch) []int {
	var all []int
	for k, cond := range sw.Conditions {
		holds, guards := s.decides(ctx, i, k, s.terms[i][k])
		if guards {
			return nil
		}
		if holds != no {
			all = append(all, s.index[cond.Next.ID()])
		}
		if holds == yes {
			return all
		}
	}
	return append(all, s.index[sw.Default.ID()])
}

// decides returns the outcome of a part of a rule in the run, and whether it is not known though it
// depends on the failure.
func (s *supposition) decides(ctx context.Context, node, number int, t *term) (o outcome, guards bool) {
	switch t.op {
	case "not":
		o, guards = s.decides(ctx, node, number, t.parts[0])
		return o.not(), guards
	case "and", "or":
		stop := outcomeOf(t.op == "or")
		o = stop.not()
		for _, part := range t.parts {
			one, unclear := s.decides(ctx, node, number, part)
			guards = guards || unclear
			if one == stop {
				return stop, false
			}
			if one == unknown {
				o = unknown
			}
		}
		return o, guards
	}
	depends := slices.ContainsFunc(t.reads.nodes, func(read int) bool { _, is := s.outputs[read]; return is })
	if !depends {
		return unknown, false
	}
	if o = s.leaf(ctx, node, number, t); o == unknown {
		return unknown, true
	}
	return o, false
}

// leaf returns the outcome of a comparison, or of a var alone.
func (s *supposition) leaf(ctx context.Context, node, number int, t *term) outcome {
	operand, nulls, negated := t.left, false, false
	if d := t.left; t.op == "holds" && d.Kind == config.KindObject && len(d.Keys) == 1 && d.Keys[0].Value != "var" {
		// A comparison with null.
		operands, _ := operandsAt(d.Items[0], nil)
		op := d.Keys[0].Value
		if len(operands) != 2 || operands[1].Kind != config.KindScalar || operands[1].Scalar != nil || !slices.Contains([]string{"==", "!=", "===", "!=="}, op) {
			return unknown
		}
		operand, nulls, negated = operands[0], true, op[0] == '!'
	}
	if operand == nil || operand.Kind != config.KindObject || len(operand.Keys) != 1 || operand.Keys[0].Value != "var" {
		return unknown
	}
	path, isText := operand.Items[0].Scalar.(string)
	e, err := jsonata.Compile(ctx, path)
	if !isText || err != nil {
		return unknown
	}
	env, _ := s.env(ctx, node, number)
	given, _ := shape.Infer(ctx, e, env)
	switch {
	case given.IsAny():
		return unknown
	case nulls:
		is := unknown
		if given.IsNothing() || given.Equal(shape.Null()) {
			is = yes
		} else if !given.MayBeNothing() && !given.Has(value.Null) {
			is = no
		}
		if negated {
			return is.not()
		}
		return is
	case t.op == "equal":
		if !canEqual(given, t) {
			return no
		}
		return outcomeOf(true).when(given.Equal(shape.Constant(value.FromPlain(t.constant))))
	case t.op == "bound":
		return no.when(given.IsNothing())
	}
	return truthOf(given)
}

// when returns the outcome if it is certain.
func (o outcome) when(certain bool) outcome {
	if certain {
		return o
	}
	return unknown
}

// truthOf returns whether a rule takes the values of a shape for true.
func truthOf(given shape.Shape) outcome {
	switch {
	case given.IsNothing(), given.Equal(shape.Null()), given.Equal(shape.Constant(false)), given.Equal(shape.Constant("")), given.Equal(shape.Constant(0.0)):
		return no
	case given.Equal(shape.Constant(true)):
		return yes
	case given.IsObject():
		return yes
	}
	return unknown
}

// isScalar reports whether a shape has texts, numbers and booleans alone.
func isScalar(s shape.Shape) bool {
	return onlyOf(s, shape.String()) || onlyOf(s, shape.Number()) || onlyOf(s, shape.Boolean())
}
