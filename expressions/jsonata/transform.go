package jsonata

import (
	"toolgraph/expressions/value"
)

// transformer is |pattern|update, deletion| with the variables that it sees.
type transformer struct {
	node *node
	env  *bindings
}

func (m *machine) transformer(n *node, env *bindings) any { return &transformer{n, env} }

// transform is a copy of its argument, changed.
func (m *machine) transform(t *transformer, args []any) (any, error) {
	if len(args) == 0 || args[0] == nil {
		return nil, nil
	}
	_, isArray := itemsOf(args[0])
	if !isArray && !isObject(args[0]) || len(args) > 1 {
		return nil, &Error{Code: "T0410", Message: "a transform expects one argument, an object or an array", Offset: t.node.at}
	}
	copied, err := m.clone(args[0], 0)
	if err != nil {
		return nil, err
	}
	matches, err := m.eval(t.node.parts[0], copied, t.env)
	if err != nil {
		return nil, err
	}
	items, ok := itemsOf(matches)
	if !ok && matches != nil {
		items = []any{matches}
	}
	for _, item := range items {
		if err := m.update(t, item); err != nil {
			return nil, err
		}
	}
	return copied, nil
}

// update changes one object that the pattern found, which belongs to the copy.
func (m *machine) update(t *transformer, match any) error {
	update, err := m.eval(t.node.parts[1], match, t.env)
	if err != nil {
		return err
	}
	target, _ := match.(*value.Map)
	if update != nil {
		if !isObject(update) {
			return failure("T2011", t.node.parts[1])
		}
		// What is put in is a copy: an object never contains itself.
		if update, err = m.clone(update, 0); err != nil {
			return err
		}
		if target != nil {
			for key, value := range m.fields(update) {
				target.Set(key, value)
			}
		}
	}
	if len(t.node.parts) < 3 {
		return nil
	}
	deletions, err := m.eval(t.node.parts[2], match, t.env)
	if deletions == nil || err != nil {
		return err
	}
	keys, ok := itemsOf(deletions)
	if !ok {
		keys = []any{deletions}
	}
	for _, key := range keys {
		if _, ok := key.(string); !ok {
			return failure("T2012", t.node.parts[2])
		}
	}
	for _, key := range keys {
		if target != nil {
			target.Delete(key.(string))
		}
	}
	return nil
}

// clone is a deep copy of plain arrays and objects that may be changed.
func (m *machine) clone(v any, depth int) (any, error) {
	if depth > value.MaxDepth {
		return nil, errDeepResult
	}
	if err := m.Spend(1); err != nil {
		return nil, err
	}
	if items, ok := itemsOf(v); ok {
		out := make([]any, len(items))
		for i, item := range items {
			var err error
			if out[i], err = m.clone(item, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if !isObject(v) {
		return v, nil
	}
	out := value.NewMap()
	for key, item := range m.fields(v) {
		copied, err := m.clone(item, depth+1)
		if err != nil {
			return nil, err
		}
		out.Set(key, copied)
	}
	return out, m.Cause()
}
