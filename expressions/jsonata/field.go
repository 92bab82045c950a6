package jsonata

import (
	"iter"
	"strconv"

	"toolgraph/expressions/value"
)

// lookup returns the field of an object; of an array it returns the fields of its items, as
// a sequence.
func (m *machine) lookup(input any, key string) (any, error) {
	switch x := input.(type) {
	case *value.Map:
		value, _ := x.Get(key)
		return value, nil
	case map[string]any:
		return x[key], nil
	case *value.Row:
		value, _ := x.Get(key)
		return value, nil
	case []any:
		return m.lookupAll(x, key)
	case *list:
		return m.lookupAll(x.items, key)
	case value.Object:
		value, _ := x.Get(key)
		return value, nil
	}
	return nil, nil
}

// followNames follows names from object to object; it is not ok when it meets an array,
// whose items must be followed one by one.
func followNames(input any, names []string) (any, bool) {
	last := len(names) - 1
	for i, name := range names {
		switch x := input.(type) {
		case *value.Map:
			input, _ = x.Get(name)
		case map[string]any:
			input = x[name]
		case *value.Row:
			input, _ = x.Get(name)
		case nil, string, float64, bool:
			return nil, true
		default:
			return nil, false
		}
		if items, ok := input.([]any); ok && (i < last || len(items) == 0) {
			return nil, false
		}
		if _, ok := input.(*list); ok {
			return nil, false
		}
	}
	return input, true
}

func (m *machine) lookupAll(items []any, key string) (any, error) {
	var out []any
	for _, item := range items {
		if err := m.Spend(1); err != nil {
			return nil, err
		}
		value, err := m.lookup(item, key)
		if err != nil {
			return nil, err
		}
		if found, ok := itemsOf(value); ok {
			if err := m.Items(len(found)); err != nil {
				return nil, err
			}
			out = append(out, found...)
		} else if value != nil {
			out = append(out, value)
		}
	}
	return sequenceOf(out), nil
}

// fields are the fields of an object in order; of an array its items by their indexes. There are
// none once the meter has ended, whose error the next step of the evaluation returns.
func (m *machine) fields(v any) iter.Seq2[string, any] {
	return func(yield func(key string, value any) bool) {
		if items, ok := itemsOf(v); ok {
			for i, item := range items {
				if m.Spend(1) != nil || !yield(strconv.Itoa(i), item) {
					return
				}
			}
			return
		}
		o, ok := value.ObjectOf(v)
		if !ok || m.Spend(o.Len()) != nil {
			return
		}
		for _, key := range o.Keys() {
			if item, _ := o.Get(key); !yield(key, item) {
				return
			}
		}
	}
}

// wildcard is the step *: the values of an object, arrays flattened; a sequence only
// when none is an array.
func (m *machine) wildcard(input any) (any, error) {
	if l, ok := input.(*list); ok && l.outer && len(l.items) > 0 {
		input = l.items[0]
	}
	out, arrays := []any{}, false
	for _, value := range m.fields(input) {
		if items, ok := itemsOf(value); ok {
			out, arrays = m.appendFlat(out, items), true
		} else {
			out = append(out, value)
		}
	}
	if arrays {
		return out, m.Cause()
	}
	return sequenceOf(out), m.Cause()
}

// appendFlat appends the items, those of arrays among them at any depth; fewer once the meter has
// ended.
func (m *machine) appendFlat(out, items []any) []any {
	for _, item := range items {
		if m.Spend(1) != nil {
			break
		}
		if inner, ok := itemsOf(item); ok {
			out = m.appendFlat(out, inner)
			continue
		}
		out = append(out, item)
	}
	return out
}

// descendants is the step **: the input and all values inside it, except arrays, whose
// items count instead.
func (m *machine) descendants(input any) (any, error) {
	if input == nil {
		return nil, nil
	}
	var out []any
	var walk func(v any, depth int) error
	walk = func(v any, depth int) error {
		if depth > 2*value.MaxDepth {
			return errDeepResult
		}
		if err := m.Spend(1); err != nil {
			return err
		}
		if _, isArray := itemsOf(v); !isArray {
			out = append(out, v)
		}
		for _, value := range m.fields(v) {
			if err := walk(value, depth+1); err != nil {
				return err
			}
		}
		return m.Cause()
	}
	if err := walk(input, 0); err != nil {
		return nil, err
	}
	return sequenceOf(out), nil
}
