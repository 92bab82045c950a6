package execution

import (
	"strconv"
	"time"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// itemsOf returns the items of a step and, where it has a key, that of each.
func (s *site) itemsOf(step *graph.Step) (items []value.Value, keys []string, err error) {
	defer recovered(&err)
	items, err = step.Each.List(s.work, s.scope)
	if err != nil || step.Key == nil {
		return items, nil, err
	}
	keys = make([]string, 0, len(items))
	first := make(map[string]int, len(items))
	for i, item := range items {
		v, err := step.Key.Eval(s.work, s.with(itemVariables(step, item, i)))
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
	s.item, s.do, s.isStep = item, s.frame.live.turns, false
	s.scope = s.with(itemVariables(s.step, item, i))
	return s
}

// computed evaluates the expression of a step for each item, as one execution.
func (l *live) computed(s *site, t *graph.Transform, start time.Time, items []value.Value, keys []string) (outcome, error) {
	all := newItems(keys, len(items))
	for i, item := range items {
		one := *s
		one.item, one.scope = item, s.with(itemVariables(s.step, item, i))
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
		last, err := one.isLast(v)
		if err != nil {
			return one.fails(start, err)
		}
		if last {
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
	return s.holds(s.step.Until, s.over(v))
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
			return s.fails(start, endOf(s.work, s.node, "before its parts", err))
		}
	}
	if s.step.Until != nil { // it may hold after the first
		f.surely = min(1, len(items))
	}
	if failed, err := l.startParts(f, parts, f.surely*leastOf(s.node)); failed != nil || err != nil {
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
	case l.order.Changes(s.step):
		return 1
	}
	return parallelReads
}

// leastOf returns the fewest executions of an item of a step.
func leastOf(node graph.Node) int {
	block, isBlock := node.(*graph.Steps)
	if !isBlock {
		return leastExecutions(node)
	}
	least := 1
	for _, step := range block.Block {
		if step.If == nil {
			least++
		}
	}
	return least
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
