package habit

import (
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// mostTurns is how often a repeat asks for pages.
const mostTurns = 100

// pages completes the step of a call that is repeated until the pages of a list are read: an argument is what the answer
// before gave, or the number of the page. False when it is no such repetition.
func (m *maker) pages(step *config.Data, id string, s *shape, parts []part, envs []*env) bool {
	if s.body != nil || slices.ContainsFunc(parts, func(p part) bool { return len(p.calls) == 0 }) {
		return false
	}
	key := pageKey(parts)
	if key == "" {
		return false
	}
	source := m.nextPage(key, parts, envs)
	if source == "" {
		return false
	}
	until := m.lastPage(parts, envs)
	if until == "" {
		return false
	}
	firsts := make([]*Call, len(parts))
	for i, p := range parts {
		first := *p.calls[0]
		first.Args = without(first.Args, key)
		firsts[i] = &first
		envs[i].now = first.Asked
	}
	m.arguments(step, id, s, firsts, envs)
	args := step.Get("args")
	if args == nil {
		args = config.NewObject()
		step.Set("args", args)
	}
	args.Set(key, config.NewExpression(source))
	step.Set("repeat", config.NewObject().Set("until", until).Set("times", float64(mostTurns)).Set("delayMs", 0.0).Set("collect", true))
	for i, p := range parts {
		var results []any
		answered := 0
		for _, c := range p.calls {
			results, answered = append(results, orNull(c.Result)), max(answered, c.Answered)
		}
		envs[i].step(id, results, answered)
	}
	return true
}

// pageKey returns the only argument that differs between the calls of a part; "" when there is none, or there are several.
func pageKey(parts []part) (key string) {
	for _, p := range parts {
		for _, c := range p.calls[1:] {
			for _, name := range keysOf([]value.Value{p.calls[0].Args, c.Args}) {
				if value.Same(member(p.calls[0].Args, name), member(c.Args, name)) {
					continue
				}
				if key != "" && key != name {
					return ""
				}
				key = name
			}
		}
	}
	return key
}

// without returns arguments without one of them.
func without(args value.Value, key string) value.Value {
	out := value.NewMap()
	object, _ := value.ObjectOf(args)
	for _, name := range object.Keys() {
		if name != key {
			v, _ := object.Get(name)
			out.Set(name, v)
		}
	}
	return out
}

// turnsOf returns an environment for each call of the parts, with what repeat binds, and the values of an argument.
func (m *maker) turnsOf(key string, parts []part, envs []*env) (turns []*env, wants []value.Value) {
	for i, p := range parts {
		for at, c := range p.calls {
			turn := envs[i].inner(nil, 0, at)
			delete(turn.scope.Variables, expressions.VarItem)
			turn.scope.Variables["n"], turn.scope.Variables[expressions.VarResult] = float64(at+1), c.Result
			if at > 0 {
				turn.scope.Variables["previous"] = p.calls[at-1].Result
			}
			turns, wants = append(turns, turn), append(wants, member(c.Args, key))
		}
	}
	return turns, wants
}

// nextPage returns the expression of the argument that differs: a field of the answer before, which is not there for the
// first page, or the number of the page.
func (m *maker) nextPage(key string, parts []part, envs []*env) string {
	turns, wants := m.turnsOf(key, parts, envs)
	if first, isNumber := wants[0].(float64); isNumber {
		for _, text := range []string{"$n", fmt.Sprintf("$n - %s", value.NumberText(1-first)), fmt.Sprintf("$n + %s", value.NumberText(first-1))} {
			if m.gives(text, turns, wants) {
				return text
			}
		}
		return ""
	}
	second := slices.IndexFunc(wants, func(v value.Value) bool { return v != nil })
	if second < 1 || wants[0] != nil {
		return ""
	}
	before := &source{root: "$previous", value: turns[second].scope.Variables["previous"]}
	for _, p := range m.index(before).places[m.mark(wants[second])] {
		text := pathText(before.root, p.steps...)
		if m.givesPages(text, turns, wants) {
			return text
		}
	}
	return ""
}

// givesPages is gives, where nothing is wanted of the first turns.
func (m *maker) givesPages(text string, turns []*env, wants []value.Value) bool {
	for i, e := range turns {
		v, _ := m.eval(text, e)
		if !value.Same(v, wants[i]) && (v != nil || wants[i] != nil) {
			return false
		}
	}
	return true
}

// lastPage returns the expression that holds for the last answer of each part and for no other; "" when none is found.
func (m *maker) lastPage(parts []part, envs []*env) string {
	turns, _ := m.turnsOf("", parts, envs)
	var last []bool
	for _, p := range parts {
		for at := range p.calls {
			last = append(last, at == len(p.calls)-1)
		}
	}
	for _, text := range lastForms(parts) {
		fits := true
		for i, e := range turns {
			v, _ := m.eval(text, e)
			fits = fits && (v == true) == last[i]
		}
		if fits {
			return text
		}
	}
	return ""
}

// lastForms returns the expressions that may say that an answer is that of the last page, by its fields.
func lastForms(parts []part) (forms []string) {
	var counts []string // which say less
	first := parts[0].calls[0].Result
	object, isObject := value.ObjectOf(first)
	if _, isList := first.([]any); isList {
		return countForms("$result", first)
	}
	if !isObject {
		return nil
	}
	for _, key := range object.Keys() {
		v, _ := object.Get(key)
		path := fieldText("$result", key)
		switch v.(type) {
		case []any:
			counts = append(counts, countForms(path, v)...)
			continue
		case bool:
			forms = append(forms, path+" = false", path+" = true")
		case float64:
			forms = append(forms, path+" = $n")
		}
		forms = append(forms, "$not($exists("+path+"))", path+" = null", path+` = ""`)
	}
	return append(forms, counts...)
}

// countForms returns the expressions that may say by the number of its entries that a list is the last one.
func countForms(path string, v value.Value) []string {
	list, _ := v.([]any)
	return []string{"$count(" + path + ") = 0", fmt.Sprintf("$count(%s) < %d", path, len(list))}
}
