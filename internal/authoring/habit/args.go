package habit

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// object returns the arguments of calls, one for each environment, as a step has them.
func (m *maker) object(objects []value.Value, envs []*env, step string) *config.Data {
	data := config.NewObject()
	for _, key := range keysOf(objects) {
		var wants []value.Value
		var with []*env
		for i, o := range objects {
			object, _ := value.ObjectOf(o)
			if v, has := object.Get(key); has {
				wants, with = append(wants, v), append(with, envs[i])
			}
		}
		if len(wants) == len(objects) {
			data.Set(key, m.value(wants, envs, key, step))
		} else if arg := m.sometimes(wants, with, envs, key); arg != nil {
			data.Set(key, arg)
		}
	}
	return data
}

// keysOf returns the keys of objects in the order in which they come first.
func keysOf(objects []value.Value) (all []string) {
	for _, o := range objects {
		object, _ := value.ObjectOf(o)
		for _, key := range object.Keys() {
			if !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	return all
}

// sometimes returns what gives an argument that some calls do not have: an argument of the tool that a job may leave out.
func (m *maker) sometimes(wants []value.Value, with, envs []*env, key string) *config.Data {
	byJob := map[int]value.Value{}
	for i, e := range with {
		if before, has := byJob[e.job]; has && !value.Same(before, wants[i]) {
			return nil
		}
		byJob[e.job] = wants[i]
	}
	values := make([]value.Value, len(m.jobs))
	for _, e := range envs {
		values[e.job] = byJob[e.job]
	}
	return config.NewExpression("args." + m.add(values, envs, key).Name)
}

// value returns what gives the wanted value of each environment. key names it.
func (m *maker) value(wants []value.Value, envs []*env, key, step string) *config.Data {
	secret := config.SecretName(key) || slices.ContainsFunc(wants, m.secrets.Has)
	constant := allSame(wants) && len(m.jobs) > 1 && !secret && !hasExpr(wants[0], 0)
	if constant && isPlain(wants[0]) {
		return DataOf(wants[0])
	}
	if in := m.given(wants, envs); in != nil && !allTrivial(wants) {
		return config.NewExpression("args." + in.Name)
	}
	if source := m.trace(wants, envs); source != "" {
		return config.NewExpression(source)
	}
	if allSame(wants) && isTrivial(wants[0]) && !secret {
		return DataOf(wants[0])
	}
	if parts := m.parts(wants, envs, key, step); parts != nil {
		return parts
	}
	if constant {
		return DataOf(wants[0])
	}
	if n, isNumber := wants[0].(float64); isNumber && allSame(wants) && (len(wants) > 1 || isRound(n) && m.hasRead(envs[0])) {
		return DataOf(n)
	}
	byJob := valuesByJob(wants, envs, len(m.jobs))
	if byJob == nil && !secret || m.isComposed(wants, envs, secret) {
		return m.todo(wants, key, step)
	}
	return config.NewExpression("args." + m.add(byJob, envs, key).Name)
}

// hasExpr reports whether an object of the value has the key expr, with which the graph language marks an expression, so
// that it cannot be written as it is.
func hasExpr(v value.Value, depth int) bool {
	if depth > deepest {
		return true
	}
	if list, isList := v.([]any); isList {
		return slices.ContainsFunc(list, func(item value.Value) bool { return hasExpr(item, depth+1) })
	}
	object, isObject := value.ObjectOf(v)
	return isObject && slices.ContainsFunc(object.Keys(), func(key string) bool {
		part, _ := object.Get(key)
		return key == "expr" || hasExpr(part, depth+1)
	})
}

// isPlain reports whether a value is a scalar.
func isPlain(v value.Value) bool {
	_, isList := v.([]any)
	_, isObject := value.ObjectOf(v)
	return !isList && !isObject
}

// allTrivial reports whether no value says enough to be looked for.
func allTrivial(wants []value.Value) bool {
	return !slices.ContainsFunc(wants, func(v value.Value) bool { return !isTrivial(v) })
}

// given returns the argument of the tool that has the values already.
func (m *maker) given(wants []value.Value, envs []*env) *Input {
	for _, in := range m.draft.Inputs {
		same := true
		for i, e := range envs {
			same = same && value.Same(in.Values[e.job], wants[i])
		}
		if same {
			return in
		}
	}
	return nil
}

// parts returns an object or a list whose parts have sources of their own; nil when the values have no parts in common.
func (m *maker) parts(wants []value.Value, envs []*env, key, step string) *config.Data {
	if first, isList := wants[0].([]any); isList {
		if len(first) > mostEntries {
			return nil
		}
		for _, want := range wants {
			list, is := want.([]any)
			if !is || len(list) != len(first) || len(list) == 0 {
				return nil
			}
		}
		known := false
		for i := range first {
			known = known || m.trace(entries(wants, i), envs) != "" || !isPlain(first[i])
		}
		if !known {
			return nil
		}
		data := config.NewList()
		for i := range first {
			data.Items = append(data.Items, m.value(entries(wants, i), envs, key, step))
		}
		return data
	}
	for _, want := range wants {
		object, isObject := value.ObjectOf(want)
		if !isObject || object.Len() == 0 {
			return nil
		}
		if _, isExpr := object.Get("expr"); isExpr {
			return nil
		}
	}
	return m.object(wants, envs, step)
}

// mostEntries is how many entries of a list get sources of their own.
const mostEntries = 8

// entries returns the entry of each list at a place.
func entries(lists []value.Value, at int) (all []value.Value) {
	for _, v := range lists {
		list, _ := v.([]any)
		all = append(all, list[at])
	}
	return all
}

// valuesByJob returns the value of each job; nil when one has several.
func valuesByJob(wants []value.Value, envs []*env, jobs int) []value.Value {
	values := make([]value.Value, jobs)
	for i, e := range envs {
		if values[e.job] != nil && !value.Same(values[e.job], wants[i]) {
			return nil
		}
		values[e.job] = wants[i]
	}
	return values
}

// isComposed reports whether values look like what the agent worked out from what it had read, and not like what the user
// gave it.
func (m *maker) isComposed(wants []value.Value, envs []*env, secret bool) bool {
	if secret {
		return false
	}
	for i, want := range wants {
		e := envs[i]
		if !m.hasRead(e) {
			return false
		}
		text := plainText(want)
		switch {
		case text != "" && m.said[e.job] != "" && strings.Contains(strings.ToLower(m.said[e.job]), strings.ToLower(text)):
			return false
		case len(strings.Fields(text)) >= mostWords, strings.Contains(text, "\n"):
			return true
		}
		if _, isNumber := want.(float64); isNumber || !isPlain(want) {
			return true
		}
		if len(text) >= leastPart && m.isPartlyRead(text, e) {
			return true
		}
	}
	return false
}

// hasRead reports whether a call before had an answer that was known.
func (m *maker) hasRead(e *env) bool {
	return slices.ContainsFunc(e.sources, func(s *source) bool { return s.answered > 0 && s.answered < e.now })
}

// isRound reports whether a number is one that people choose, such as a limit.
func isRound(n float64) bool { return math.Mod(n, 5) == 0 && n < 1e6 }

// isPartlyRead reports whether half of the words of a text were in answers.
func (m *maker) isPartlyRead(text string, e *env) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n/:,;.-_()[]{}\"'", r) })
	found, all := 0, 0
	for _, word := range words {
		if len(word) < leastPart {
			continue
		}
		all++
		for _, s := range e.known(e.now) {
			if s.answered > 0 && slices.ContainsFunc(m.index(s).texts, func(p place) bool { return strings.Contains(plainText(p.value), word) }) {
				found++
				break
			}
		}
	}
	return all >= 3 && found*2 >= all
}

// todo returns the expression of a value that the author has to write: it fails, and says so.
func (m *maker) todo(wants []value.Value, key, step string) *config.Data {
	data := config.NewExpression("")
	data.Expr.Value = Quoted(todoMark(len(m.draft.Todos)))
	seen := m.seen(wants)
	m.draft.Todos = append(m.draft.Todos, Todo{Step: step, Argument: key, Seen: wants[:min(len(wants), mostSeen)], data: data})
	m.draft.Note(data, "TODO: the agent worked this out itself. It was %s.", seen)
	return data
}

// add makes an argument of the tool of the value of each job, and returns it. It can be read at once, in all environments.
func (m *maker) add(values []value.Value, envs []*env, key string) *Input {
	in := &Input{Name: m.inputs.Unique(Identifier(key, "value")), Values: values}
	in.Secret = config.SecretName(key) || slices.ContainsFunc(values, m.secrets.Has)
	m.draft.Inputs = append(m.draft.Inputs, in)
	for i, e := range m.outer {
		if values[i] != nil {
			args, _ := e.scope.Context["args"].(*value.Map)
			args.Set(in.Name, values[i])
			e.argument(in.Name, values[i])
		}
	}
	for _, e := range envs {
		if values[e.job] != nil && e != m.outer[e.job] {
			e.argument(in.Name, values[e.job])
		}
	}
	return in
}

// DataOf returns a value as data for a graph file.
func DataOf(v value.Value) *config.Data { return dataWithin(v, 0) }

// dataWithin is DataOf for a value that is depth levels deep in another one.
func dataWithin(v value.Value, depth int) *config.Data {
	if list, isList := v.([]any); isList && depth < deepest {
		data := config.NewList()
		for _, item := range list {
			data.Items = append(data.Items, dataWithin(item, depth+1))
		}
		return data
	}
	object, isObject := value.ObjectOf(v)
	if isObject && depth < deepest {
		data := config.NewObject()
		for _, key := range object.Keys() {
			part, _ := object.Get(key)
			data.Set(key, dataWithin(part, depth+1))
		}
		return data
	}
	if v == nil || value.IsNull(v) || isObject {
		return &config.Data{}
	}
	if n, isNumber := v.(float64); isNumber && math.Abs(n) > value.MaxExact && math.Abs(n) < 1e21 { // a reader keeps the digits of an integer
		return &config.Data{Scalar: json.Number(value.NumberText(n))}
	}
	return &config.Data{Scalar: v}
}

// finish writes what the author has to write in place of the marks of todos.
func (d *Draft) finish() {
	for _, t := range d.Todos {
		if t.data != nil {
			t.data.Expr.Value = "$error(" + Quoted(t.String()) + ")"
		}
	}
}
