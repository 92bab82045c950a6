package jsonata

import "slices"

// list is an array with the properties that jsonata-js keeps on arrays; a plain []any is
// an array of the data. A list never leaves the evaluation: results and the
// arguments of most functions are plain.
type list struct {
	items []any

	sequence bool // the values that a path or a function found: one of them is itself, none is nothing
	keep     bool // of a sequence: it stays an array with one item
	cons     bool // an array literal in a path, which is not flattened
	stream   bool // the items are *tuple
	outer    bool // the one item is the whole input, an array
}

// Items makes a list a value.Array.
func (l *list) Items() []any { return l.items }

// tuple is an item of a path with the variables that its steps have bound.
type tuple struct {
	value any
	names []binding
}

type binding struct {
	name  string
	value any
}

// with is the tuple with one variable more; of two of a name the last counts.
func (t *tuple) with(name string, value any) *tuple {
	return &tuple{value: t.value, names: append(slices.Clip(t.names), binding{name, value})}
}

// itemsOf are the items of an array of either kind.
func itemsOf(v any) ([]any, bool) {
	switch x := v.(type) {
	case []any:
		return x, true
	case *list:
		return x.items, true
	}
	return nil, false
}

// sequenceOf is a sequence of the items.
func sequenceOf(items []any) *list { return &list{items: items, sequence: true} }

// collapsed is the value of a sequence: undefined, its one item, or itself.
func (l *list) collapsed() any {
	switch {
	case !l.sequence || l.stream || len(l.items) > 1:
		return l
	case len(l.items) == 0:
		return nil
	case l.keep:
		return l
	}
	return l.items[0]
}

// plain is v without lists: a plain array of an array, also of those inside it. It is not complete
// once the meter has ended.
func (m *machine) plain(v any) any {
	switch x := v.(type) {
	case *list:
		if x.outer && len(x.items) == 1 {
			return x.items[0]
		}
		return m.plainItems(x.items)
	case []any:
		return m.plainItems(x)
	}
	return v
}

func (m *machine) plainItems(items []any) []any {
	if m.Items(len(items)) != nil {
		return items
	}
	for i, item := range items {
		if _, ok := item.(*list); !ok {
			continue
		}
		out := append(make([]any, 0, len(items)), items[:i]...)
		for _, item := range items[i:] {
			if m.Spend(1) != nil {
				break
			}
			out = append(out, m.plain(item))
		}
		return out
	}
	return items
}

// bindings holds the variables of a block, a function's call or a tuple.
type bindings struct {
	names []binding
	outer *bindings
}

// bind sets a variable; of two of a name the later counts.
func (f *bindings) bind(name string, value any) { f.names = append(f.names, binding{name, value}) }

// lookup is the variable of the name, and whether there is one.
func (f *bindings) lookup(name string) (any, bool) {
	for ; f != nil; f = f.outer {
		for i := len(f.names) - 1; i >= 0; i-- {
			if f.names[i].name == name {
				return f.names[i].value, true
			}
		}
	}
	return nil, false
}

// bindingsOf is bindings with the variables of a tuple.
func bindingsOf(outer *bindings, t *tuple) *bindings {
	return &bindings{names: slices.Clip(t.names), outer: outer} // other tuples may have the room behind them
}
