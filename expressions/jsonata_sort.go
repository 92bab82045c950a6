package expressions

import "cmp"

// sort orders the items of an array by the terms of ^; an array of one item or none
// stays what it is.
func (m *machine) sort(n *node, input any, env *bindings) (any, error) {
	items, ok := itemsOf(input)
	if !ok || len(items) <= 1 {
		return input, nil
	}
	sorted, err := m.mergeSort(items, func(a, b any) (bool, error) { return m.after(n, a, b, env) })
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

// mergeSort sorts a copy of the items and keeps equal ones in order; after reports
// whether a comes behind b.
func (m *machine) mergeSort(items []any, after func(a, b any) (bool, error)) ([]any, error) {
	if len(items) <= 1 {
		return items, nil
	}
	left, err := m.mergeSort(items[:len(items)/2], after)
	if err != nil {
		return nil, err
	}
	right, err := m.mergeSort(items[len(items)/2:], after)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(items))
	for len(left) > 0 && len(right) > 0 {
		if err := m.Err(); err != nil {
			return nil, err
		}
		swap, err := after(left[0], right[0])
		if err != nil {
			return nil, err
		}
		if swap {
			out, right = append(out, right[0]), right[1:]
		} else {
			out, left = append(out, left[0]), left[1:]
		}
	}
	return append(append(out, left...), right...), nil
}

// after reports whether a comes behind b by the terms of ^; what has no value comes
// last.
func (m *machine) after(n *node, a, b any, env *bindings) (bool, error) {
	for i := range n.terms {
		term := &n.terms[i]
		x, err := m.term(term, a, env)
		if err != nil {
			return false, err
		}
		y, err := m.term(term, b, env)
		if err != nil {
			return false, err
		}
		if x == nil || y == nil {
			if x == nil && y == nil {
				continue
			}
			return x == nil, nil
		}
		order, code := compare(x, y)
		switch {
		case code == "T2010":
			return false, failure("T2008", n)
		case code != "":
			return false, failure("T2007", n)
		case order != 0:
			return order > 0 != term.descending, nil
		}
	}
	return false, nil
}

func (m *machine) term(term *sortTerm, item any, env *bindings) (any, error) {
	if t, ok := item.(*tuple); ok {
		return m.eval(term.by, t.value, bindingsOf(env, t))
	}
	return m.eval(term.by, item, env)
}

// compare orders two numbers or two strings; code is T2010 when one is neither and
// T2009 when they differ in kind.
func compare(a, b any) (order int, code string) {
	x, aNumber := number(a)
	y, bNumber := number(b)
	s, aText := a.(string)
	t, bText := b.(string)
	switch {
	case aNumber && bNumber:
		return cmp.Compare(x, y), ""
	case aText && bText:
		return compareTexts(s, t), ""
	case !aNumber && !aText || !bNumber && !bText:
		return 0, "T2010"
	}
	return 0, "T2009"
}

// compareTexts orders strings by their UTF-16 units, as JavaScript does: characters
// beyond U+FFFF come before those from U+E000.
func compareTexts(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	const surrogates, privateUse = 0xf0, 0xee // first bytes in UTF-8
	if i < len(a) && i < len(b) && (a[i] >= privateUse && b[i] >= surrogates || b[i] >= privateUse && a[i] >= surrogates) && (a[i] >= surrogates) != (b[i] >= surrogates) {
		return cmp.Compare(b[i], a[i])
	}
	return cmp.Compare(a[i:], b[i:])
}
