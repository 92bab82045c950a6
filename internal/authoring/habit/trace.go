package habit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// The bounds of the search for one value.
const (
	mostReadings = 24 // places of one source that are tried
	mostAtoms    = 16 // parts that a text is tried to be joined of
	deepestJoin  = 3
	mostWords    = 5 // of a text that is no sentence
)

// trace returns an expression that has the wanted value in each environment; "" when none is found. A value that would be
// found anywhere, and is the same everywhere, is not looked for.
func (m *maker) trace(wants []value.Value, envs []*env) string {
	same := allSame(wants)
	if same && isTrivial(wants[0]) {
		return ""
	}
	if text := m.exact(wants, envs); text != "" {
		return text
	}
	texts := make([]string, len(wants))
	numbers := true
	for i, want := range wants {
		if texts[i] = plainText(want); texts[i] == "" {
			return m.listed(wants, envs)
		}
		_, isNumber := want.(float64)
		numbers = numbers && isNumber
	}
	if numbers {
		return m.number(wants, texts, envs, same)
	}
	if _, isText := wants[0].(string); !isText {
		return ""
	}
	if terms := m.terms(texts, envs, 0); terms != nil && !m.isConstant(terms) {
		source := strings.Join(terms, " & ")
		if same && m.isMostlyConstant(terms, texts[0]) {
			return ""
		}
		if len(terms) == 1 && !m.gives(source, envs, wants) {
			source = "$string(" + source + ")" // a number whose digits are wanted
		}
		if m.gives(source, envs, wants) {
			return source
		}
	}
	return ""
}

// exact returns the expression of a place that has the values.
func (m *maker) exact(wants []value.Value, envs []*env) string {
	first := envs[0]
	mark := m.mark(wants[0])
	for _, s := range first.known(first.now) {
		places := slices.Clone(m.index(s).places[mark])
		slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(len(a.steps), len(b.steps)) })
		for _, p := range places[:min(len(places), mostReadings)] {
			for _, text := range m.readings(s, p, first) {
				if known(s.root, envs) && m.gives(text, envs, wants) {
					return text
				}
			}
		}
	}
	return ""
}

// known reports whether a source was known in all environments.
func known(root string, envs []*env) bool {
	for _, e := range envs {
		if !slices.ContainsFunc(e.sources, func(s *source) bool { return s.root == root && s.answered < e.now }) {
			return false
		}
	}
	return true
}

// readings returns the expressions that read a place: an entry of a list by what the user named it with, or by its number.
func (m *maker) readings(s *source, p place, e *env) (all []string) {
	v := s.value
	for i, step := range p.steps {
		at, isIndex := step.(int)
		if !isIndex {
			v = member(v, step.(string))
			continue
		}
		list, _ := v.([]any)
		if len(list) > 1 && i < len(p.steps)-1 {
			for _, filter := range m.filters(list, at, e) {
				all = append(all, pathText(pathText(s.root, p.steps[:i]...)+filter, p.steps[i+1:]...))
			}
		}
		v = list[at]
	}
	all = append(all, pathText(s.root, p.steps...))
	for i, step := range p.steps {
		if _, isIndex := step.(int); isIndex {
			last := pathText(s.root, p.steps[:i]...) + "[-1]"
			all = append(all, pathText(last, p.steps[i+1:]...))
			break
		}
	}
	return all
}

// filters returns the filters that select an entry of a list by a field that is a known argument or the item.
func (m *maker) filters(list []any, at int, e *env) (all []string) {
	object, isObject := value.ObjectOf(list[at])
	if !isObject {
		return nil
	}
	for _, key := range object.Keys() {
		field, _ := object.Get(key)
		if isTrivial(field) {
			continue
		}
		for _, s := range e.sources {
			if strings.HasPrefix(s.root, "args.") && value.Same(s.value, field) {
				all = append(all, "["+nameText(key)+" = $$."+s.root+"]")
			}
			if s.item && value.Same(s.value, field) {
				all = append(all, "["+nameText(key)+" = "+s.root+"]")
			}
		}
	}
	return all
}

// number returns the expression of a number that is in a text, is counted, or counts the items.
func (m *maker) number(wants []value.Value, texts []string, envs []*env, same bool) string {
	if !same {
		first, _ := wants[0].(float64)
		text := "$" + expressions.VarIndex
		if offset := first - float64(envs[0].item); offset != 0 {
			text += " + " + value.NumberText(offset)
		}
		if m.gives(text, envs, wants) {
			return text
		}
	}
	if terms := m.terms(texts, envs, deepestJoin); len(terms) == 1 && !m.isConstant(terms) {
		if text := "$number(" + terms[0] + ")"; m.gives(text, envs, wants) {
			return text
		}
	}
	if same && isTrivial(wants[0]) {
		return ""
	}
	return m.counted(wants, envs)
}

// counted returns the expression of a number that is made of a list.
func (m *maker) counted(wants []value.Value, envs []*env) string {
	for _, list := range m.lists(envs) {
		for _, function := range []string{"$count", "$sum", "$max", "$min", "$average"} {
			if text := function + "(" + list.text + ")"; known(list.root, envs) && m.gives(text, envs, wants) {
				return text
			}
		}
	}
	return ""
}

// listed returns the expression of a list whose entries are a field of what an earlier list has.
func (m *maker) listed(wants []value.Value, envs []*env) string {
	if _, isList := wants[0].([]any); !isList {
		return ""
	}
	for _, list := range m.lists(envs) {
		for _, text := range []string{list.text, "[" + list.text + "]", "[$distinct(" + list.text + ")]"} {
			if known(list.root, envs) && m.gives(text, envs, wants) {
				return text
			}
		}
	}
	return ""
}

// allSame reports whether all values are the same; there is at least one.
func allSame[T any](all []T) bool {
	for _, one := range all[1:] {
		if !value.Same(one, all[0]) {
			return false
		}
	}
	return true
}

// mostShown is the length of a value in a comment, in bytes.
const mostShown = 80

// shown returns a value as JSON, for a comment or an expression.
func shown(v value.Value) string {
	if text, isText := v.(string); isText {
		return strconv.Quote(text)
	}
	raw, err := value.Encode(v)
	if err != nil {
		return "…"
	}
	return string(raw)
}
