package jsonata

import (
	"math"

	"toolgraph/expressions/value"
)

// follow takes the input through the first steps of a path, n.head of them at most, while each gives one
// value that is no array: what paths such as $item.size do for each item of a list needs no sequence. It
// returns the last value, undefined included, and how many steps gave it; 0 when the input is an array, whose
// items go through the steps one by one. The steps charged are those of machine.path.
func (m *machine) follow(n *node, input any, env *bindings) (found any, done int, err error) {
	first := n.parts[0]
	if _, isArray := itemsOf(input); isArray && first.kind != nodeVariable || n.head == 0 {
		return nil, 0, nil
	}
	if found, err = m.eval(first, input, env); err != nil {
		return nil, 0, err
	}
	found = first.indexed(found)
	for done = 1; done < n.head && found != nil; done++ {
		if _, isArray := itemsOf(found); isArray {
			break
		}
		if err = m.Spend(1); err != nil {
			return nil, 0, err
		}
		switch x := found.(type) {
		case *value.Map:
			found, _ = x.Get(n.parts[done].text)
		case map[string]any:
			found = x[n.parts[done].text]
		default:
			if found, err = m.lookup(x, n.parts[done].text); err != nil {
				return nil, 0, err
			}
		}
		if l, ok := found.(*list); ok && l.sequence && !l.stream {
			found = l.collapsed()
		}
		found = n.parts[done].indexed(found)
	}
	return found, done, nil
}

// indexed is the item of a value at the index that a step has as its filter, and so on for more of them.
func (n *node) indexed(v any) any {
	for i := range n.stages {
		index, _ := indexOf(n.stages[i].filter)
		if items, isArray := itemsOf(v); isArray {
			v = at(items, index)
		} else if i := math.Floor(index); i != 0 && i != -1 {
			v = nil // a value that is no array is the only item
		}
	}
	return v
}

// spread is the value of a step that was given one input, as the result of the step and as the values for the
// next one; the last step of a path returns an array as it is.
func (m *machine) spread(step *node, v any, last bool) (result any, values []any, err error) {
	if v == nil {
		return sequenceOf(nil), nil, nil
	}
	items, isArray := itemsOf(v)
	if err := m.Items(len(items)); err != nil {
		return nil, nil, err
	}
	l, isList := v.(*list)
	switch {
	case !isArray || isList && l.cons && !last:
		values = []any{v}
		return sequenceOf(values), values, nil
	case len(items) > maxRange && (!isList || !l.cons):
		return nil, nil, tooManyItems(step, maxRange)
	case last && (!isList || !l.sequence):
		return v, items, nil
	}
	values = items[:len(items):len(items)]
	return sequenceOf(values), values, nil
}
