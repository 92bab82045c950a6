package jsonata

import "toolgraph/expressions/value"

// object is {key: value}: the items of the input, grouped by their keys; each value
// is evaluated over the items of its key.
func (m *machine) object(n *node, input any, env *bindings) (any, error) {
	items, ok := itemsOf(input)
	l, _ := input.(*list)
	stream := l != nil && l.stream
	if n.keys != nil && len(items) <= 1 && !stream {
		if len(items) == 1 {
			return m.constantObject(n, items[0], env)
		} else if ok {
			input = nil
		}
		return m.constantObject(n, input, env)
	}
	if !ok {
		items = []any{input}
	}
	if len(items) == 0 && !stream {
		items = []any{nil}
	}
	g := groups{index: map[string]int{}}
	for _, item := range items {
		context, inner := item, env
		if t, ok := item.(*tuple); ok && stream {
			context, inner = t.value, bindingsOf(env, t)
		}
		for i := range n.pairs {
			key, err := m.eval(n.pairs[i][0], context, inner)
			if err != nil {
				return nil, err
			}
			if key == nil {
				continue
			}
			text, ok := key.(string)
			if !ok {
				return nil, failure("T1003", n)
			}
			if !g.add(text, i, item) {
				return nil, failure("D1009", n)
			}
		}
	}
	out := value.NewMap()
	for i := range g.all {
		group := &g.all[i]
		context, inner := m.groupContext(group), env
		if stream {
			t := m.merged(group.items)
			context, inner = t.value, bindingsOf(env, t)
		}
		value, err := m.eval(n.pairs[group.pair][1], context, inner)
		if err != nil {
			return nil, err
		}
		if value != nil {
			out.Set(group.key, value)
		}
	}
	return out, nil
}

// constantObject is an object with constant keys over one input: nothing is to be grouped.
func (m *machine) constantObject(n *node, input any, env *bindings) (any, error) {
	if m.depth >= maxOpen && len(n.keys) > 0 { // the keys are nodes, too
		return nil, failure("U1001", n.pairs[0][0])
	}
	for range n.keys {
		if err := m.Spend(1); err != nil {
			return nil, err
		}
	}
	values := make([]any, len(n.keys))
	missing := 0
	for i := range n.pairs {
		value, err := m.eval(n.pairs[i][1], input, env)
		if err != nil {
			return nil, err
		}
		if values[i] = value; value == nil {
			missing++
		}
	}
	if missing == 0 {
		return value.MapOf(n.keys, values), nil
	}
	out := value.NewMap()
	for i, value := range values {
		if value != nil {
			out.Set(n.keys[i], value)
		}
	}
	return out, nil
}

// groups are the items of an input by key, in the order of the keys.
type groups struct {
	all   []itemGroup
	index map[string]int
}

type itemGroup struct {
	key   string
	pair  int // which key and value of the object
	items []any
}

// add adds an item to the group of the key; it is false when another pair of the
// object gave the same key.
func (g *groups) add(key string, pair int, item any) bool {
	i, ok := g.index[key]
	if !ok {
		g.index[key] = len(g.all)
		g.all = append(g.all, itemGroup{key: key, pair: pair, items: []any{item}})
		return true
	}
	if g.all[i].pair != pair {
		return false
	}
	g.all[i].items = append(g.all[i].items, item)
	return true
}

// context is the input of a group's value expression: its one item, or all as an array,
// with arrays among them joined.
func (m *machine) groupContext(g *itemGroup) any {
	if len(g.items) == 1 {
		return g.items[0]
	}
	return m.joined(g.items)
}

// joined appends values to each other as $append does; it is undefined once the meter has ended.
func (m *machine) joined(values []any) any {
	var out []any
	count, last := 0, any(nil)
	for _, value := range values {
		if value == nil {
			continue
		}
		count, last = count+1, value
		if m.Spend(1) != nil {
			return nil
		}
		if items, ok := itemsOf(value); ok {
			if m.Items(len(items)) != nil {
				return nil
			}
			out = append(out, items...)
		} else {
			out = append(out, value)
		}
	}
	if count == 1 {
		return last
	}
	if count == 0 {
		return nil
	}
	return out
}

// merged joins the tuples of a group into one: each variable holds the values of all.
func (m *machine) merged(items []any) *tuple {
	first, _ := items[0].(*tuple)
	if len(items) == 1 {
		return first
	}
	values := make([]any, 0, len(items))
	out := &tuple{}
	seen := map[string]bool{}
	for _, item := range items {
		t := item.(*tuple)
		values = append(values, t.value)
		for _, b := range t.names {
			seen[b.name] = true
		}
	}
	out.value = m.joined(values)
	for name := range seen {
		values = values[:0:0]
		for _, item := range items {
			value, _ := (&bindings{names: item.(*tuple).names}).lookup(name)
			values = append(values, value)
		}
		out.names = append(out.names, binding{name, m.joined(values)})
	}
	return out
}
