package jsonata

import (
	"cmp"

	"toolgraph/expressions/value"
)

// sort orders the items of an array by the terms of ^; an array of at most one item is
// returned unchanged.
func (m *machine) sort(n *node, input any, env *bindings) (any, error) {
	items, ok := itemsOf(input)
	if !ok || len(items) <= 1 {
		return input, nil
	}
	sorted, err := m.sorted(n, items, env)
	if err != nil {
		return nil, err
	}
	if l, ok := input.(*list); ok && l.stream {
		return &list{items: sorted, stream: true}, nil
	}
	return sorted, nil
}

// sortTuples orders tuples, or makes them of sorted values.
func (m *machine) sortTuples(n *node, values []any, tuples []*tuple, env *bindings) ([]*tuple, error) {
	var input any = sequenceOf(values)
	if tuples != nil {
		input = streamOf(tuples)
	}
	sorted, err := m.sort(n, input, env)
	if err != nil {
		return nil, err
	}
	if tuples == nil {
		items, _ := itemsOf(sorted)
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = (&tuple{value: item}).with(n.index, float64(i))
		}
		sorted = &list{items: out, sequence: true, stream: true}
	}
	if sorted, err = m.stages(n.stages, sorted, env); err != nil {
		return nil, err
	}
	return tuplesOf(sorted), nil
}

// sortItem is an item with the values of the terms, as far as they are evaluated.
type sortItem struct {
	item any
	keys []any
	next int // the first term that is not evaluated
}

func (m *machine) sorted(n *node, items []any, env *bindings) ([]any, error) {
	if err := m.Items(len(items) * (1 + len(n.terms))); err != nil {
		return nil, err
	}
	keyed := make([]sortItem, len(items))
	keys := make([]any, len(items)*len(n.terms))
	order := make([]*sortItem, len(items))
	for i := range items {
		keyed[i] = sortItem{item: items[i], keys: keys[i*len(n.terms) : (i+1)*len(n.terms)]}
		order[i] = &keyed[i]
	}
	order, err := mergeSort(m, order, func(a, b *sortItem) (bool, error) { return m.after(n, a, b, env) })
	if err != nil {
		return nil, err
	}
	out := make([]any, len(order))
	for i := range order {
		out[i] = order[i].item
	}
	return out, nil
}

// mergeSort is a sorted copy of the items in which equal ones keep their order; after
// reports whether a comes behind b.
func mergeSort[T any](m *machine, items []T, after func(a, b T) (bool, error)) ([]T, error) {
	from, to := append([]T(nil), items...), make([]T, len(items))
	for width := 1; width < len(items); width *= 2 {
		for start := 0; start < len(items); start += 2 * width {
			middle, end := min(start+width, len(items)), min(start+2*width, len(items))
			if err := mergeParts(m, to[start:end], from[start:middle], from[middle:end], after); err != nil {
				return nil, err
			}
		}
		from, to = to, from
	}
	return from, nil
}

// mergeParts merges two sorted parts.
func mergeParts[T any](m *machine, to, left, right []T, after func(a, b T) (bool, error)) error {
	for i := range to {
		swap := len(left) == 0
		if len(left) > 0 && len(right) > 0 {
			if err := m.Spend(1); err != nil {
				return err
			}
			var err error
			if swap, err = after(left[0], right[0]); err != nil {
				return err
			}
		}
		if swap {
			to[i], right = right[0], right[1:]
		} else {
			to[i], left = left[0], left[1:]
		}
	}
	return nil
}

// after reports whether a comes behind b by the terms of ^; an item without a value comes
// last.
func (m *machine) after(n *node, a, b *sortItem, env *bindings) (bool, error) {
	for i := range n.terms {
		x, err := m.key(n, a, i, env)
		if err != nil {
			return false, err
		}
		y, err := m.key(n, b, i, env)
		if err != nil {
			return false, err
		}
		if x == nil || y == nil {
			if x == nil && y == nil {
				continue
			}
			return x == nil, nil
		}
		order, code := m.compare(x, y)
		switch {
		case code == "T2010":
			return false, failure("T2008", n)
		case code != "":
			return false, failure("T2007", n)
		case order != 0:
			return order > 0 != n.terms[i].descending, nil
		}
	}
	return false, nil
}

// key is the value of the i-th term for an item, evaluated once.
func (m *machine) key(n *node, s *sortItem, i int, env *bindings) (value any, err error) {
	if i < s.next {
		return s.keys[i], nil
	}
	context := s.item
	if t, ok := s.item.(*tuple); ok {
		context, env = t.value, bindingsOf(env, t)
	}
	if value, err = m.eval(n.terms[i].by, context, env); err == nil {
		s.keys[i], s.next = value, i+1
	}
	return value, err
}

// compare orders two numbers or two strings; code is T2010 when one is neither and
// T2009 when they differ in kind.
func (m *machine) compare(a, b any) (order int, code string) {
	x, aNumber := number(a)
	y, bNumber := number(b)
	if aNumber && bNumber {
		return cmp.Compare(x, y), ""
	}
	s, aText := a.(string)
	t, bText := b.(string)
	switch {
	case aText && bText:
		if m.Read(min(len(s), len(t))) != nil {
			return 0, "" // the evaluation ends
		}
		return value.CompareText(s, t), ""
	case !aNumber && !aText || !bNumber && !bText:
		return 0, "T2010"
	}
	return 0, "T2009"
}
