package execution

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// stepsInFlight is how many calls that steps make can be in flight in a run.
const stepsInFlight = 64

// parallelReads is how many items of a step run at the same time, unless the file says so or the step may
// change something.
const parallelReads = 8

// steps runs the steps of a tool.
func (l *live) steps(s *site, n *graph.Steps) (outcome, error) {
	context := map[string]any{}
	if setOutput(context, "args", s.scope.Context[config.StepsEntry]); s.frame.graph.Plan != nil { // with an edit of it
		setOutput(context, "args", value.NewMap()) // the arguments of a plan are the plan
	}
	scope := expressions.NewScope(context, nil)
	scope.Variables = s.scope.Variables
	s.scope = scope
	return l.block(s, n)
}

// block runs the steps of a tool, or of one execution of a block.
func (l *live) block(s *site, n *graph.Steps) (outcome, error) {
	start := l.clock.now()
	s.begin()
	f := newFan(s, len(n.Block))
	defer f.cancel(nil)
	f.needs, f.mixed, f.steps = l.order.Needs(n), true, n
	defer l.consents.begin(f)()
	if l.hooks.gate != nil {
		f.edits = &edits{begun: make([]bool, len(n.Block)), values: map[int]*Record{}}
	}
	f.part = func(i int) *site { return f.stepOf(n, i) }
	parts := &Parts{Count: len(n.Block)}
	for i, step := range n.Block {
		parts.Branches = append(parts.Branches, step.ID)
		f.records[i] = l.past.part(AddressOf(s.frame.address, s.index, within(s.part, step.ID)))
	}
	if failed, err := l.startParts(f, parts, len(n.Block)); failed != nil || err != nil {
		return outcome{failed: failed}, err
	}
	out, err := l.finishParts(f, start, len(n.Block), func() (value.Value, error) { return f.returned(n) })
	if err == nil && out.failed == nil && out.record.Error != nil && s.step != nil && s.step.Repeat == nil {
		s.handleBy(n.OnError, out.record)
	}
	return out, err
}

// within returns the path of a part of a step.
func within(path, part string) string {
	if path == "" {
		return part
	}
	return path + "." + part
}

// returned returns the value of a block whose steps have ended.
func (f *fan) returned(n *graph.Steps) (v value.Value, err error) {
	if n.Return == nil {
		return f.value(len(f.records) - 1).Output, nil
	}
	defer recovered(&err)
	return n.Return.Eval(f.site.work, f.reading(n, nil))
}

// reading returns the scope of an expression that reads some steps of a block; nil: all.
func (f *fan) reading(n *graph.Steps, needs []int) *expressions.Scope {
	context := maps.Clone(f.site.scope.Context)
	add := func(i int) {
		if rec := f.value(i); rec != nil && rec.Output != nil {
			context[n.Block[i].ID] = rec.Output
		}
	}
	for i := range f.records {
		if needs == nil {
			add(i)
		}
	}
	for _, i := range needs {
		add(i)
	}
	scope := expressions.NewScope(context, nil)
	scope.Variables = f.site.scope.Variables
	return scope
}

// stepOf returns the site of a step of a block. The steps that it reads have ended.
func (f *fan) stepOf(n *graph.Steps, i int) *site {
	step := n.Block[i]
	s := f.new(within(f.site.part, step.ID), step.Node)
	s.step, s.item, s.do = step, nil, f.site.frame.live.stepped
	s.isStep, s.block, s.place = true, f, i
	s.read(false)
	return s
}

// stepped runs a step: once, for each item, or not at all.
func (l *live) stepped(s *site) (outcome, error) {
	start := l.clock.now()
	step := s.step
	runs, err := s.holds(step.If, s.scope)
	switch {
	case err != nil:
		return s.fails(start, err)
	case !runs:
		rec := s.frame.newRecord(s, start)
		rec.Skipped = true
		return recorded(rec, false)
	case step.Each == nil:
		return l.turns(s)
	}
	items, keys, err := s.itemsOf(step)
	if err != nil {
		return s.fails(start, err)
	}
	if t, isExpr := s.node.(*graph.Transform); isExpr {
		return l.computed(s, t, start, items, keys)
	}
	return l.eachItem(s, start, items, keys)
}

// holds reports whether a condition holds in a scope; nil does.
func (s *site) holds(e *graph.Expr, scope *expressions.Scope) (holds bool, err error) {
	if e == nil {
		return true, nil
	}
	defer recovered(&err)
	return e.Holds(s.work, scope)
}

// over returns the scope of a condition over the result of a step.
func (s *site) over(result value.Value) *expressions.Scope {
	return s.with(map[string]value.Value{expressions.VarResult: result})
}

// turns runs a step, or an item of it, until its repeat holds; without one once.
func (l *live) turns(s *site) (outcome, error) {
	repeat := s.step.Repeat
	if repeat == nil {
		return l.once(s)
	}
	start := l.clock.now()
	s.begin()
	var all []any
	var previous value.Value
	for n := 1; n <= repeat.Times; n++ {
		turn := *s
		turn.isStep = false
		turn.part, turn.do, turn.turn, turn.next = s.part+"@"+strconv.Itoa(n), l.once, nil, nil
		turn.scope = s.with(map[string]value.Value{"n": float64(n), "previous": previous})
		rec := l.past.part(turn.address())
		if rec == nil {
			if n > 1 {
				if failed := l.pause(s, l.remains(s.address(), repeat.Delay)); failed != nil {
					return ended(failed)
				}
			}
			out, err := l.part(&turn)
			if err != nil || out.failed != nil {
				return out, err
			}
			rec = out.record
			if failed, err := l.commit(s.frame, out); failed != nil || err != nil {
				return outcome{failed: failed}, err
			}
		}
		if rec.Error != nil {
			return l.endTurns(s, start, nil, rec.Error)
		}
		previous, all = rec.Output, append(all, orNull(rec.Output))
		last, err := turn.holds(repeat.Until, turn.over(rec.Output))
		switch {
		case err != nil:
			return l.endTurns(s, start, nil, failureOf(s.ctx, s.node, err))
		case last && repeat.Collect:
			return l.endTurns(s, start, all, nil)
		case last:
			return l.endTurns(s, start, previous, nil)
		}
	}
	failed := failureAt(CodeTool, s.node, nil, "repeat.until did not hold in %d turns; raise times, or change until", repeat.Times)
	failed.Detail = string(config.FailNotYet)
	if failed.setResult(previous); repeat.Collect {
		failed.setResult(all)
	}
	return l.endTurns(s, start, nil, failed)
}

// endTurns makes the record of a step whose turns have ended.
func (l *live) endTurns(s *site, start time.Time, output value.Value, failed *Failure) (outcome, error) {
	rec := s.frame.newRecord(s, start)
	if rec.Error = failed; failed == nil {
		if s.frame.setOutput(s.work, rec, s.node, output); rec.Error == nil {
			return recorded(rec, false)
		}
	}
	if s.handleBy(s.step.OnError, rec); rec.Error != nil {
		rec.Error = s.placed(rec.Error)
	}
	return recorded(rec, false)
}

// once does what a step does, once.
func (l *live) once(s *site) (outcome, error) {
	start := l.clock.now()
	switch n := s.node.(type) {
	case *graph.MCP, *graph.SubGraph:
		return l.call(s)
	case *graph.Ask:
		return l.ask(s, n)
	case *graph.Steps:
		return l.block(s, n)
	case *graph.Transform:
		s.begin()
		v, err := s.evaluate(n)
		return recorded(s.frame.record(s, start, v, err), false)
	case *graph.Entry, *graph.Parallel, *graph.Switch, *graph.Exit:
	}
	return outcome{}, fmt.Errorf("step %q has a type that cannot be a step: %T", s.name(), s.node)
}

// takePlace waits until a call of a step may be sent, in the order of the parts; leave is called when it has its
// answer. Other calls do not wait.
func (l *live) takePlace(s *site) (leave func(), err error) {
	if s.step == nil {
		return func() {}, nil
	}
	s.await()
	places := l.places
	leave = func() { <-places }
	select {
	case places <- struct{}{}:
		return leave, nil
	default:
	}
	ctx, back := l.waits(s.ctx, wait{})
	defer back()
	select {
	case places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, endOf(ctx, s.node, "before its call", context.Cause(ctx))
	}
}

// begins notes the parts of an execution that begin.
func (l *live) begins(e *Event) {
	if e.Parts == nil {
		return
	}
	of := begun{Parts: *e.Parts, inOrder: e.Step.NodeID == config.StepsID && e.Parts.Branches != nil}
	at := e.At()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun == nil {
		l.begun = map[Address]begun{}
	}
	l.begun[at] = of
}

// begun are parts that have begun.
type begun struct {
	Parts
	inOrder bool // their names are those of the steps of a block, which records follow
}

// names returns the names of the steps of a block; nil for other parts.
func (b begun) names() []string {
	if !b.inOrder {
		return nil
	}
	return b.Branches
}
