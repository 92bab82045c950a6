package habit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// loop completes the step of a repetition; false when there is no list that it goes through.
func (m *maker) loop(step *config.Data, id string, s *shape, parts []part, envs []*env) bool {
	t := turns{envs: envs}
	for i, p := range parts {
		firsts := p.calls
		for _, turn := range p.turns {
			firsts = append(firsts, firstCall(turn))
		}
		t.calls = append(t.calls, firsts)
		if len(firsts) > 0 && firsts[0] != nil {
			envs[i].now = firsts[0].Asked
		}
	}
	if slices.ContainsFunc(t.calls, func(calls []*Call) bool { return slices.Contains(calls, nil) }) {
		return false
	}
	each, inner := m.through(t)
	if each == "" {
		return false
	}
	step.Set("each", each)
	m.body(step, id, s, parts, envs, inner)
	return true
}

// firstCall returns the call that a turn begins with.
func firstCall(turn []part) *Call {
	if len(turn) == 0 {
		return nil
	}
	if len(turn[0].calls) > 0 {
		return turn[0].calls[0]
	}
	if len(turn[0].turns) > 0 {
		return firstCall(turn[0].turns[0])
	}
	return nil
}

// body completes the step of a repetition with what is done for each item.
func (m *maker) body(step *config.Data, id string, s *shape, parts []part, envs []*env, inner [][]*env) {
	if s.body == nil {
		m.arguments(step, id, s, slices.Concat(callsOf(parts)...), slices.Concat(inner...))
		for i, p := range parts {
			var results []any
			answered := 0
			for _, c := range p.calls {
				results, answered = append(results, orNull(c.Result)), max(answered, c.Answered)
			}
			envs[i].step(id, results, answered)
		}
		return
	}
	var turns [][]part
	for _, p := range parts {
		turns = append(turns, p.turns...)
	}
	all := slices.Concat(inner...)
	step.Set("steps", m.steps(s.body, turns, all, false))
	fields, ids := []string{}, step.Get("steps")
	for _, inside := range ids.Items {
		name, _ := inside.Get("id").Scalar.(string)
		fields = append(fields, fmt.Sprintf("%q: %s", name, name))
	}
	step.Set("return", "{"+strings.Join(fields, ", ")+"}")
	for i := range envs {
		var results []any
		answered := 0
		for _, e := range inner[i] {
			result := value.NewMap()
			for _, inside := range ids.Items {
				name, _ := inside.Get("id").Scalar.(string)
				if v, has := e.scope.Context[name]; has {
					result.Set(name, v)
				}
			}
			for _, s := range e.sources {
				answered = max(answered, s.answered)
			}
			results = append(results, result)
		}
		envs[i].step(id, results, answered)
	}
}

// callsOf returns the calls of each part.
func callsOf(parts []part) (all [][]*Call) {
	for _, p := range parts {
		all = append(all, p.calls)
	}
	return all
}

// orNull returns what stands for a result in the list of a repetition: null where a call has none.
func orNull(v value.Value) value.Value {
	if v == nil {
		return value.Null
	}
	return v
}

// chosen completes the step of a repetition whose items were in no list: an argument of the tool, or what the agent chose
// among what it had read.
func (m *maker) chosen(step *config.Data, id string, s *shape, parts []part, envs []*env) {
	lists := make([]value.Value, len(m.jobs))
	inner := make([][]*env, len(parts))
	name := ""
	for i, p := range parts {
		var items []any
		for at, c := range firstsOf(p) {
			item, key := m.itemOf(c, s, parts)
			name = key
			items = append(items, item)
			in := envs[i].inner(item, 0, at)
			in.now = c.Asked
			inner[i] = append(inner[i], in)
		}
		if before := lists[envs[i].job]; before == nil || value.Same(before, items) {
			lists[envs[i].job] = items // an inner repetition that differs from turn to turn does not come out right
		}
	}
	composed := m.foundInside(lists, envs)
	in := m.add(lists, envs, plural(cmp.Or(Identifier(name, ""), id)))
	each := config.NewText("args." + in.Name)
	step.Set("each", each)
	if composed {
		m.draft.Note(step, "TODO: the agent chose these itself: %s.\nWrite the expression of the list, and remove the argument %s.", m.seen(lists), in.Name)
		m.draft.Todos = append(m.draft.Todos, Todo{Step: id, Argument: "each", Seen: lists[:min(len(lists), mostSeen)]})
	}
	m.body(step, id, s, parts, envs, inner)
}

// plural names a list of what a name names.
func plural(name string) string {
	if stem, is := strings.CutSuffix(name, "y"); is {
		return stem + "ies"
	}
	return name + "s"
}

// firstsOf returns the calls with which the turns of a part begin.
func firstsOf(p part) (all []*Call) {
	all = append(all, p.calls...)
	for _, turn := range p.turns {
		if c := firstCall(turn); c != nil {
			all = append(all, c)
		}
	}
	return all
}

// itemOf returns the item of a call in a list that is made up: what differs between the calls, a value or an object.
func (m *maker) itemOf(c *Call, s *shape, parts []part) (value.Value, string) {
	var all []*Call
	for _, p := range parts {
		all = append(all, firstsOf(p)...)
	}
	item := value.NewMap()
	object, _ := value.ObjectOf(c.Args)
	for _, key := range object.Keys() {
		v, _ := object.Get(key)
		if slices.ContainsFunc(all, func(o *Call) bool { return !value.Same(member(o.Args, key), v) }) {
			item.Set(key, v)
		}
	}
	if keys := item.Keys(); len(keys) == 1 {
		v, _ := item.Get(keys[0])
		return v, keys[0]
	}
	return item, Identifier(s.name, "item")
}

// foundInside reports whether most texts of lists were in what was known.
func (m *maker) foundInside(lists []value.Value, envs []*env) bool {
	found, all := 0, 0
	for i := range envs {
		eachScalar("", lists[envs[i].job], 0, func(_ string, v value.Value) {
			text := plainText(v)
			if len(text) < leastPart {
				return
			}
			all++
			for _, s := range envs[i].known(envs[i].now) {
				if slices.ContainsFunc(m.index(s).texts, func(p place) bool { return strings.Contains(plainText(p.value), text) }) {
					found++
					return
				}
			}
		})
	}
	return all > 0 && found*2 > all
}
