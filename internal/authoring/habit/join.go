package habit

import (
	"cmp"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

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
		return []string{Quoted(wants[0])}
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
		if !known(s.root, envs) || !s.item && !strings.HasPrefix(s.root, "args.") && len(m.index(s).texts) > mostPlaces/100 {
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

// givesTexts is gives for texts.
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
