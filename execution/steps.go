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
	scope := expressions.NewScope(map[string]any{"args": s.frame.args}, nil)
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
	f.needs, f.mixed = l.changing.needs(s.frame.graph, n), true
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
		return f.records[len(f.records)-1].Output, nil
	}
	defer recovered(&err)
	return n.Return.Eval(f.site.work, f.reading(n, nil))
}

// reading returns the scope of an expression that reads some steps of a block; nil: all.
func (f *fan) reading(n *graph.Steps, needs []int) *expressions.Scope {
	context := maps.Clone(f.site.scope.Context)
	add := func(i int) {
		if rec := f.records[i]; rec != nil && rec.Output != nil {
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
	needs := step.Needs
	if needs == nil {
		needs = []int{}
	}
	s.scope = f.reading(n, needs)
	return s
}

// stepped runs a step: once, for each item, or not at all.
func (l *live) stepped(s *site) (outcome, error) {
	start := l.clock.now()
	step := s.step
	runs, err := s.holds(step.If)
	switch {
	case err != nil:
		return recorded(s.frame.failed(s, start, s.located(failureOf(s.ctx, s.node, err))), false)
	case !runs:
		rec := s.frame.newRecord(s, start)
		rec.Skipped = true
		return recorded(rec, false)
	case step.Each == nil:
		return l.turns(s)
	}
	items, keys, err := s.itemsOf(step)
	if err != nil {
		return recorded(s.frame.failed(s, start, s.located(failureOf(s.ctx, s.node, err))), false)
	}
	if t, isExpr := s.node.(*graph.Transform); isExpr {
		return l.computed(s, t, start, items, keys)
	}
	return l.eachItem(s, start, items, keys)
}

// holds reports whether a condition holds; nil does.
func (s *site) holds(e *graph.Expr) (holds bool, err error) {
	if e == nil {
		return true, nil
	}
	defer recovered(&err)
	return e.Holds(s.work, s.scope)
}

// itemsOf returns the items of a step and, where it has a key, that of each.
func (s *site) itemsOf(step *graph.Step) (items []value.Value, keys []string, err error) {
	defer recovered(&err)
	items, err = (&graph.ForEach{Items: step.Each}).List(s.work, s.scope)
	if err != nil || step.Key == nil {
		return items, nil, err
	}
	keys = make([]string, 0, len(items))
	first := make(map[string]int, len(items))
	for i, item := range items {
		v, err := step.Key.Eval(s.work, s.withOver(itemVariables(step, item, i)))
		if err != nil {
			return nil, nil, err
		}
		key, ok := keyText(v)
		if !ok {
			return nil, nil, failureAt(CodeExpression, s.node, nil, "key of item %d is no text, number or boolean; compute one in key, as with $string", i)
		}
		if before, twice := first[key]; twice {
			failed := failureAt(CodeTool, s.node, nil, "items %d and %d have the key %q; take each once, as with $distinct, or use another key", before, i, key)
			failed.Detail = string(config.FailDuplicateKey)
			return nil, nil, failed
		}
		first[key] = i
		keys = append(keys, key)
	}
	return items, keys, nil
}

// keyText returns the text of a key; it is not ok for a value that is no text, number or boolean.
func keyText(v value.Value) (key string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any, value.Object, nil:
		return "", false
	}
	if v == value.Null {
		return "", false
	}
	src, err := value.Encode(v)
	return string(src), err == nil
}

func itemVariables(step *graph.Step, item value.Value, i int) map[string]value.Value {
	return map[string]value.Value{step.Item(): item, expressions.VarIndex: float64(i)}
}

// itemSite returns the site of an item of a step.
func (f *fan) itemSite(item value.Value, i int) *site {
	s := f.new(within(f.site.part, strconv.Itoa(i)), f.site.node)
	s.item, s.do = item, s.frame.live.turns
	s.scope = s.withOver(itemVariables(s.step, item, i))
	return s
}

// computed evaluates the expression of a step for each item, as one execution.
func (l *live) computed(s *site, t *graph.Transform, start time.Time, items []value.Value, keys []string) (outcome, error) {
	all := newItems(keys, len(items))
	for i, item := range items {
		one := *s
		one.item, one.scope = item, s.withOver(itemVariables(s.step, item, i))
		v, err := one.evaluate(t)
		if err != nil {
			rec := s.frame.record(&one, start, nil, err)
			if rec.Error != nil {
				return recorded(rec, false)
			}
			if s.step.OnError.Skip {
				continue
			}
			v = rec.Output
		}
		all.add(i, v)
		done, err := one.isLast(v)
		if err != nil {
			return recorded(s.frame.failed(s, start, failureOf(s.ctx, s.node, err)), false)
		}
		if done {
			break
		}
	}
	rec := s.frame.newRecord(s, start)
	s.frame.setOutput(s.work, rec, s.node, all.value())
	return recorded(rec, false)
}

func (s *site) evaluate(t *graph.Transform) (v value.Value, err error) {
	defer recovered(&err)
	return t.Expr.Eval(s.work, s.scope)
}

// isLast reports whether until of the step holds for the value of an item.
func (s *site) isLast(v value.Value) (last bool, err error) {
	if s.step.Until == nil {
		return false, nil
	}
	defer recovered(&err)
	return s.step.Until.Holds(s.work, s.withOver(map[string]value.Value{expressions.VarResult: v}))
}

// eachItem runs a step for each item.
func (l *live) eachItem(s *site, start time.Time, items []value.Value, keys []string) (outcome, error) {
	s.begin()
	f := newFan(s, len(items))
	defer f.cancel(nil)
	f.part = func(i int) *site { return f.itemSite(items[i], i) }
	parts := &Parts{Count: len(items)}
	var err error
	if l.hooks.journal != nil || l.past.parts(s.address()) != nil {
		if parts.Digest, err = digestWithin(s.work, items); err != nil {
			return recorded(s.frame.failed(s, start, endOf(s.work, s.node, "before its parts", err)), false)
		}
	}
	if failed, err := l.startParts(f, parts, len(items)*leastOf(s.node)); failed != nil || err != nil {
		return outcome{failed: failed}, err
	}
	if s.step.Repeat == nil && s.step.Until == nil {
		if err := l.agreeAll(f); err != nil {
			return outcome{}, err
		}
	}
	if s.step.Until != nil {
		f.enough = f.untilHolds
	}
	return l.finishParts(f, start, l.mostItems(s), func() (value.Value, error) {
		all := newItems(keys, len(items))
		for i, rec := range f.records {
			if rec != nil && !rec.leftOut(s.step) {
				all.add(i, rec.Output)
			}
		}
		f.mixed = keys != nil || len(all.values) < len(items)
		return all.value(), nil
	})
}

// untilHolds reports whether until of the step holds after an item. Its failure is that of the step.
func (f *fan) untilHolds(i int) bool {
	rec := f.records[i]
	if rec.leftOut(f.site.step) {
		return false
	}
	s := f.part(i)
	last, err := s.isLast(rec.Output)
	if err != nil {
		f.first, f.noted = s.located(failureOf(s.ctx, s.node, err)), true
	}
	return last
}

// leftOut reports whether an item has no place in the list of its step.
func (r *Record) leftOut(step *graph.Step) bool {
	return r.Handled != nil && step.OnError != nil && step.OnError.Skip
}

// mostItems returns how many items of a step run at the same time.
func (l *live) mostItems(s *site) int {
	switch {
	case s.step.Until != nil:
		return 1
	case s.step.MaxParallel > 0:
		return s.step.MaxParallel
	case l.changing.changes(s.frame.graph, s.step):
		return 1
	}
	return parallelReads
}

// leastOf returns the fewest executions of an item of a step.
func leastOf(node graph.Node) int {
	block, isBlock := node.(*graph.Steps)
	if !isBlock {
		return fewest(node)
	}
	least := 1
	for _, step := range block.Block {
		if step.If == nil {
			least++
		}
	}
	return least
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
		turn.part, turn.do, turn.turn, turn.next = s.part+"@"+strconv.Itoa(n), l.once, nil, nil
		turn.scope = s.withOver(map[string]value.Value{"n": float64(n), "previous": previous})
		rec := l.past.part(turn.address())
		if rec == nil {
			if n > 1 {
				if failed := l.pause(s, repeat.Delay); failed != nil {
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
		last, err := turn.repeats(repeat, rec.Output)
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

// repeats reports whether a turn is the last one.
func (s *site) repeats(r *graph.Repeat, v value.Value) (last bool, err error) {
	defer recovered(&err)
	return r.Until.Holds(s.work, s.withOver(map[string]value.Value{expressions.VarResult: v}))
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
		rec.Error = s.located(rec.Error)
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

// withOver returns the scope of the site with variables, which hide those of the same name.
func (s *site) withOver(variables map[string]value.Value) *expressions.Scope {
	scope := *s.scope
	all := maps.Clone(scope.Variables)
	if all == nil {
		all = make(map[string]value.Value, len(variables))
	}
	maps.Copy(all, variables)
	scope.Variables = all
	return &scope
}

// items collects the values of the items of a step: a list, or an object by key.
type items struct {
	keys   []string // of all items; nil: a list
	taken  []string
	values []any
}

func newItems(keys []string, n int) *items { return &items{keys: keys, values: make([]any, 0, n)} }

func (a *items) add(i int, v value.Value) {
	if a.keys != nil {
		a.taken = append(a.taken, a.keys[i])
	}
	a.values = append(a.values, orNull(v))
}

func (a *items) value() value.Value {
	if a.keys == nil {
		return a.values
	}
	values := make([]value.Value, len(a.values))
	copy(values, a.values)
	return value.NewObject(a.taken, values)
}

// takePlace waits until a call of a step may be sent; leave is called when it has its answer. Other calls do
// not wait.
func (l *live) takePlace(s *site) (leave func(), err error) {
	if s.step == nil {
		return func() {}, nil
	}
	l.mu.Lock()
	if l.inFlight == nil {
		l.inFlight = make(chan struct{}, stepsInFlight)
	}
	places := l.inFlight
	l.mu.Unlock()
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-s.ctx.Done():
		return nil, endOf(s.ctx, s.node, "before its call", context.Cause(s.ctx))
	}
}
