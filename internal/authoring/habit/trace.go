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

// number returns the expression of a number that stands in a text, is counted, or counts the items.
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

// terms returns expressions that are joined with & to the wanted texts; nil when there are none. A term that is quoted
// is the same text in all environments.
func (m *maker) terms(wants []string, envs []*env, depth int) []string {
	if allSame(wants) && wants[0] == "" {
		return []string{}
	}
	values := make([]value.Value, len(wants))
	for i, want := range wants {
		if want == "" {
			return nil
		}
		values[i] = want
	}
	looked := len(wants) > 1 && !allSame(wants) || len([]rune(wants[0])) >= leastText
	if looked {
		if text := m.exact(values, envs); text != "" {
			return []string{text}
		}
		if text := m.changed(wants, envs); text != "" {
			return []string{text}
		}
		if text := m.extracted(wants, envs); text != "" {
			return []string{text}
		}
	}
	if looked && depth < deepestJoin {
		if terms := m.joined(wants, envs, depth); terms != nil {
			return terms
		}
	}
	if allSame(wants) && !m.secrets.Has(wants[0]) {
		return []string{quoted(wants[0])}
	}
	return nil
}

// isConstant reports whether no term reads anything.
func (m *maker) isConstant(terms []string) bool {
	return !slices.ContainsFunc(terms, func(term string) bool { return !strings.HasPrefix(term, `"`) })
}

// isMostlyConstant reports whether a text of many words, of which there is one example, has little that was read: that is
// chance, as where a sentence has the name of a month.
func (m *maker) isMostlyConstant(terms []string, text string) bool {
	quotes := 0
	for _, term := range terms {
		if strings.HasPrefix(term, `"`) {
			quotes += len(term) - len(`""`)
		}
	}
	return len(strings.Fields(text)) >= mostWords && quotes*3 > len(text)*2
}

// changed returns the expression of a text that is another one in other letters, or a number as text.
func (m *maker) changed(wants []string, envs []*env) string {
	first := envs[0]
	for _, s := range first.known(first.now) {
		if !s.item && !strings.HasPrefix(s.root, "args.") && len(m.index(s).texts) > mostPlaces/100 {
			continue
		}
		for _, p := range m.index(s).texts {
			text := plainText(p.value)
			if !strings.EqualFold(strings.TrimSpace(text), wants[0]) {
				continue
			}
			path := pathText(s.root, p.steps...)
			for _, function := range []string{"$string", "$lowercase", "$uppercase", "$trim"} {
				if source := function + "(" + path + ")"; m.givesTexts(source, envs, wants) {
					return source
				}
			}
		}
	}
	return ""
}

func (m *maker) givesTexts(source string, envs []*env, wants []string) bool {
	for i, e := range envs {
		if v, is := m.eval(source, e); !is || v != wants[i] {
			return false
		}
	}
	return true
}

// joined returns the terms of a text that holds others.
func (m *maker) joined(wants []string, envs []*env, depth int) []string {
	for _, atom := range m.atoms(wants[0], envs[0]) {
		if terms := m.around(atom, wants, envs, depth); terms != nil {
			return terms
		}
	}
	return m.between(wants, envs, depth)
}

// atom is the expression of a text, with the source that it reads.
type atom struct {
	text, root string
	length     int
}

// atoms returns the expressions of texts that are in a text, the longest first.
func (m *maker) atoms(want string, e *env) (all []atom) {
	for _, s := range e.known(e.now) {
		least := leastPart
		if s.item || strings.HasPrefix(s.root, "args.") {
			least = 1
		}
		for _, p := range m.index(s).texts {
			text := plainText(p.value)
			if len(text) >= least && len(text) < len(want) && hasWord(want, text) {
				all = append(all, atom{pathText(s.root, p.steps...), s.root, len(text)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b atom) int { return cmp.Compare(b.length, a.length) })
	return all[:min(len(all), mostAtoms)]
}

// around returns the terms of texts that hold what an expression has.
func (m *maker) around(a atom, wants []string, envs []*env, depth int) []string {
	if !known(a.root, envs) {
		return nil
	}
	before, after := make([]string, len(wants)), make([]string, len(wants))
	for i, e := range envs {
		v, _ := m.eval(a.text, e)
		text := plainText(v)
		at := wordAt(wants[i], text)
		if text == "" || at < 0 {
			return nil
		}
		before[i], after[i] = wants[i][:at], wants[i][at+len(text):]
	}
	front := m.terms(before, envs, depth+1)
	if front == nil {
		return nil
	}
	back := m.terms(after, envs, depth+1)
	if back == nil {
		return nil
	}
	return slices.Concat(front, []string{a.text}, back)
}

// between returns the terms of texts that begin and end alike, all of them or those of a job, and of which the rest is a
// part of another text.
func (m *maker) between(wants []string, envs []*env, depth int) []string {
	if len(wants) < 2 || allSame(wants) {
		return nil
	}
	front, back := shared(wants)
	everywhere := m.inside(wants, envs, depth, func(int) (int, int) { return front, back })
	if everywhere != nil {
		return everywhere
	}
	fronts, backs := sharedByJob(wants, envs)
	return m.inside(wants, envs, depth, func(i int) (int, int) { return fronts[envs[i].job], backs[envs[i].job] })
}

// inside is between for texts without so many bytes at their start and end.
func (m *maker) inside(wants []string, envs []*env, depth int, cut func(i int) (front, back int)) []string {
	before, middle, after := make([]string, len(wants)), make([]string, len(wants)), make([]string, len(wants))
	some := false
	for i, want := range wants {
		front, back := cut(i)
		if front+back >= len(want) {
			return nil
		}
		before[i], middle[i], after[i] = want[:front], want[front:len(want)-back], want[len(want)-back:]
		some = some || front+back > 0
	}
	if !some {
		return nil
	}
	center := m.terms(middle, envs, deepestJoin)
	if center == nil || m.isConstant(center) {
		return nil
	}
	first := m.terms(before, envs, depth+1)
	if first == nil {
		return nil
	}
	last := m.terms(after, envs, depth+1)
	if last == nil {
		return nil
	}
	return slices.Concat(first, center, last)
}

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
