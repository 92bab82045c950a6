package jsonata

import (
	"encoding/json"
	"math"
)

// path takes the input through the steps: each step maps the values of the one
// before. Once a step carries variables, the values travel as tuples.
func (m *machine) path(n *node, input any, env *bindings) (any, error) {
	single, done, err := m.follow(n, input, env)
	if err != nil {
		return nil, err
	}
	if done > 0 {
		_, isArray := itemsOf(single)
		if !isArray && (single == nil || done == len(n.parts)) && !n.keepSingleton && n.group == nil {
			return single, nil
		}
		result, values, err := m.spread(n.parts[done-1], single, done == len(n.parts))
		if err != nil {
			return nil, err
		}
		if len(values) == 0 {
			done = len(n.parts)
		}
		return m.steps(n, done, result, values, env)
	}
	if items, ok := itemsOf(input); ok && n.parts[0].kind != nodeVariable {
		return m.steps(n, 0, items, items, env)
	}
	values := []any{input}
	return m.steps(n, 0, values, values, env)
}

// steps takes the values through the steps of a path from the one at index from on; result is that of the
// step before.
func (m *machine) steps(n *node, from int, result any, values []any, env *bindings) (any, error) {
	stream, tuples := false, []*tuple(nil)
	for i := from; i < len(n.parts); i++ {
		step := n.parts[i]
		var err error
		stream = stream || step.tuple
		switch {
		case i == 0 && step.cons:
			result, err = m.eval(step, sequenceOf(values), env)
		case stream && step.kind == nodeSort:
			tuples, err = m.sortTuples(step, values, tuples, env)
		case stream:
			tuples, err = m.tupleStep(step, values, tuples, env)
		default:
			result, err = m.step(step, result, values, env, i == len(n.parts)-1)
		}
		if err != nil {
			return nil, err
		}
		if !stream || i == 0 && step.cons && step.focus == "" {
			values, _ = itemsOf(result)
		}
		if _, isArray := itemsOf(result); !stream && len(values) == 0 && (isArray || result == nil) {
			break
		}
	}
	if stream {
		result = streamOf(tuples)
		if !n.tuple {
			result = valuesOf(tuples)
		}
	}
	if n.keepSingleton {
		result = asArray(result)
	}
	if n.group == nil {
		return result, nil
	}
	if stream {
		return m.object(n.group, streamOf(tuples), env)
	}
	return m.object(n.group, result, env)
}

// asArray is the result of a path with []: a sequence that stays an array.
func asArray(result any) any {
	l, ok := result.(*list)
	if !ok {
		return result
	}
	if l.cons && !l.sequence {
		return &list{items: []any{l}, sequence: true, keep: true}
	}
	array := *l
	array.keep = true
	return &array
}

func streamOf(tuples []*tuple) *list {
	items := make([]any, len(tuples))
	for i, t := range tuples {
		items[i] = t
	}
	return &list{items: items, sequence: true, stream: true}
}

func valuesOf(tuples []*tuple) *list {
	items := make([]any, len(tuples))
	for i, t := range tuples {
		items[i] = t.value
	}
	return sequenceOf(items)
}

// step maps the values by the step and flattens the results by one level, except a single
// array that the last step of a path returns. input is the array of the values.
func (m *machine) step(n *node, input any, values []any, env *bindings, last bool) (any, error) {
	if n.kind == nodeSort {
		sorted, err := m.sort(n, input, env)
		if err != nil {
			return nil, err
		}
		return m.stages(n.stages, sorted, env)
	}
	out := make([]any, 0, len(values))
	found, first := 0, any(nil)
	for _, value := range values {
		result, err := m.eval(n, value, env)
		if err != nil {
			return nil, err
		}
		for i := range n.stages {
			if item, ok := picked(n.stages[i].filter, result); ok {
				result = item
			} else if result, err = m.filter(n.stages[i].filter, result, env); err != nil {
				return nil, err
			}
		}
		if result == nil {
			continue
		}
		if found++; found == 1 {
			first = result
		}
		if items, ok := itemsOf(result); ok {
			if err := m.Items(len(items)); err != nil {
				return nil, err
			}
		}
		if out = appendResult(out, result); len(out) > maxRange {
			return nil, tooManyItems(n, maxRange)
		}
	}
	if last && found == 1 {
		if l, ok := first.(*list); ok && !l.sequence {
			return l, nil
		}
		if items, ok := first.([]any); ok {
			return items, nil
		}
	}
	return sequenceOf(out), nil
}

// appendResult appends a result of a step, or the items of one that is an array.
func appendResult(out []any, result any) []any {
	switch x := result.(type) {
	case []any:
		return append(out, x...)
	case *list:
		if !x.cons {
			return append(out, x.items...)
		}
	}
	return append(out, result)
}

// stages filters the values of a step; the variables of # are for tuples.
func (m *machine) stages(stages []stage, values any, env *bindings) (any, error) {
	for i := range stages {
		if stages[i].filter == nil {
			values = indexed(values, stages[i].index)
			continue
		}
		var err error
		if values, err = m.filter(stages[i].filter, values, env); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// indexed gives each tuple its place under the name.
func indexed(values any, name string) any {
	items, _ := itemsOf(values)
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = item
		if t, ok := item.(*tuple); ok {
			out[i] = t.with(name, float64(i))
		}
	}
	return &list{items: out, sequence: true, stream: true}
}

// tupleStep maps tuples: each value that the step yields for one becomes a tuple with
// its variables and those of the step. Without tuples they are made of the values.
func (m *machine) tupleStep(n *node, values []any, tuples []*tuple, env *bindings) ([]*tuple, error) {
	if tuples == nil {
		tuples = make([]*tuple, len(values))
		for i, value := range values {
			tuples[i] = &tuple{value: value}
		}
	}
	var out []any
	for _, t := range tuples {
		result, err := m.eval(n, t.value, bindingsOf(env, t))
		if err != nil {
			return nil, err
		}
		if result == nil {
			continue
		}
		items, ok := itemsOf(result)
		if !ok {
			items = []any{result}
		}
		for i, item := range items {
			out = append(out, n.tupleOf(t, item, i))
		}
		if len(out) > maxItems {
			return nil, tooManyItems(n, maxRange)
		}
	}
	staged, err := m.stages(n.stages, &list{items: out, sequence: true, stream: true}, env)
	if err != nil {
		return nil, err
	}
	return tuplesOf(staged), nil
}

// tuplesOf are the tuples of a stream, never nil.
func tuplesOf(stream any) []*tuple {
	items, _ := itemsOf(stream)
	out := make([]*tuple, 0, len(items))
	for _, item := range items {
		if t, ok := item.(*tuple); ok {
			out = append(out, t)
		}
	}
	return out
}

// tupleOf is the tuple of the i-th item that the step yields for t.
func (n *node) tupleOf(t *tuple, item any, i int) *tuple {
	if inner, ok := item.(*tuple); ok {
		made := &tuple{value: inner.value, names: t.names[:len(t.names):len(t.names)]}
		made.names = append(made.names, inner.names...)
		return made
	}
	made := &tuple{value: item, names: t.names}
	if n.focus != "" {
		made = t.with(n.focus, item)
	}
	if n.index != "" {
		made = made.with(n.index, float64(i))
	}
	if n.ancestor != nil {
		made = made.with(n.ancestor.label, t.value)
	}
	return made
}

// filter keeps the items of a value for which the predicate is true, or whose index it
// returns.
func (m *machine) filter(predicate *node, value any, env *bindings) (any, error) {
	results := &list{sequence: true}
	if l, ok := value.(*list); ok {
		results.stream = l.stream
	}
	items, ok := itemsOf(value)
	if !ok {
		items = []any{value}
	}
	if index, ok := indexOf(predicate); ok {
		item := at(items, index)
		if found, ok := itemsOf(item); ok && item != nil {
			if l, isList := item.(*list); isList {
				return l, nil
			}
			return found, nil
		}
		if item != nil {
			results.items = []any{item}
		}
		return results, nil
	}
	for i, item := range items {
		context, inner := item, env
		if t, ok := item.(*tuple); ok && results.stream {
			context, inner = t.value, bindingsOf(env, t)
		}
		result, err := m.eval(predicate, context, inner)
		if err != nil {
			return nil, err
		}
		for range m.selections(result, i, len(items)) {
			results.items = append(results.items, item)
		}
	}
	return results, nil
}

// picked is the item that a predicate selects which is a number as written; not ok when there is no such
// item, or the predicate is another one. A sequence of one item means that item.
func picked(predicate *node, value any) (item any, ok bool) {
	index, isNumber := indexOf(predicate)
	if !isNumber {
		return nil, false
	}
	items, isArray := itemsOf(value)
	if l, isList := value.(*list); !isArray || isList && l.stream {
		return nil, false
	}
	item = at(items, index)
	return item, item != nil
}

// at is the item at the index, which counts from the end when negative; nil when the index
// is out of range.
func at(items []any, index float64) any {
	i := math.Floor(index)
	if i < 0 {
		i += float64(len(items))
	}
	if i < 0 || i >= float64(len(items)) {
		return nil
	}
	return items[int(i)]
}

// selections is how often a predicate's result selects the i-th of n items: numbers
// select by index, anything else by its truth.
func (m *machine) selections(result any, i, n int) int {
	switch x := result.(type) {
	case bool:
		if x {
			return 1
		}
		return 0
	case float64, json.Number:
		f, _ := number(x)
		return selects(f, i, n)
	}
	if items, ok := itemsOf(result); ok && m.Items(len(items)) == nil && allNumbers(items) {
		selected := 0
		for _, item := range items {
			f, _ := number(item)
			selected += selects(f, i, n)
		}
		return selected
	}
	if m.truth(result) {
		return 1
	}
	return 0
}

// selects is 1 when the index f, which counts from the end when negative, is i.
func selects(f float64, i, n int) int {
	if f = math.Floor(f); f < 0 {
		f += float64(n)
	}
	if f == float64(i) {
		return 1
	}
	return 0
}

func allNumbers(items []any) bool {
	for _, item := range items {
		if _, ok := number(item); !ok {
			return false
		}
	}
	return true
}
