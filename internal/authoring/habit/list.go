package habit

import (
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// mostLists is how many lists are tried for one repetition.
const mostLists = 300

// list is the expression of a list, with the source that it reads.
type list struct{ text, root string }

// lists returns the expressions of lists that the sources of environments have: fields, the lines of texts.
func (m *maker) lists(envs []*env) (all []list) {
	widest := envs[0]
	sources := widest.known(widest.now)
	slices.Reverse(sources)
	for _, s := range sources {
		x := m.index(s)
		for _, keys := range x.paths {
			path := s.root
			for _, key := range keys {
				path = fieldText(path, key)
			}
			v, is := m.eval(path, widest)
			if !is {
				continue
			}
			for _, text := range m.listsOf(path, v) {
				all = append(all, list{text, s.root})
			}
			if len(all) > mostLists {
				return all
			}
		}
	}
	return all
}

// listsOf returns the lists that the value of a path is, or has in its texts.
func (m *maker) listsOf(path string, v value.Value) (all []string) {
	if text, isText := v.(string); isText {
		return splits(path, text)
	}
	list, isList := v.([]any)
	if !isList || len(list) == 0 {
		return nil
	}
	all = append(all, path)
	switch first := list[0].(type) {
	case []any:
		all = append(all, path+".$")
	case string:
		if strings.Contains(first, "\n") {
			all = append(all, path+`.$split($, "\n")`)
		}
	}
	return all
}

// splits returns the lists that a text has: its lines, or what stands between commas.
func splits(path, text string) []string {
	switch {
	case strings.Contains(text, "\n\n"):
		return []string{`$split(` + path + `, "\n")`, `$split(` + path + `, "\n\n")`}
	case strings.Contains(text, "\n"):
		return []string{`$split(` + path + `, "\n")`}
	case strings.Contains(text, ", "):
		return []string{`$split(` + path + `, ", ")`}
	case strings.Contains(text, ","):
		return []string{`$split(` + path + `, ",")`}
	}
	return nil
}

// turns are the repetitions of one place: for each environment the calls that are the first of each turn.
type turns struct {
	envs  []*env
	calls [][]*Call
}

// varying returns the paths of scalars in the arguments that differ within an environment, those with the most different
// values first; and their values.
func (t turns) varying() (paths []string, values map[string][][]value.Value) {
	values = map[string][][]value.Value{}
	different := map[string]int{}
	for i, calls := range t.calls {
		seen := map[string]value.Value{}
		for _, c := range calls {
			eachScalar("", c.Args, 0, func(path string, v value.Value) {
				for len(values[path]) <= i {
					values[path] = append(values[path], nil)
				}
				if before, has := seen[path]; has && !value.Same(before, v) {
					different[path]++
				}
				seen[path] = v
				values[path][i] = append(values[path][i], v)
			})
		}
	}
	for path := range different {
		complete := len(values[path]) == len(t.calls)
		for i := range t.calls {
			complete = complete && len(values[path][i]) == len(t.calls[i])
		}
		if complete {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if different[a] != different[b] {
			return different[b] - different[a]
		}
		return strings.Compare(a, b)
	})
	return paths, values
}

// eachScalar calls found for each scalar of arguments.
func eachScalar(path string, v value.Value, depth int, found func(path string, v value.Value)) {
	if depth > deepest {
		return
	}
	if list, isList := v.([]any); isList {
		for _, item := range list {
			eachScalar(path+"[]", item, depth+1, found)
		}
		return
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		found(path, v)
		return
	}
	for _, key := range object.Keys() {
		part, _ := object.Get(key)
		eachScalar(path+"."+key, part, depth+1, found)
	}
}

// through returns the list that turns go through, and the environments of their items in the order of the environments;
// "" when there is none.
func (m *maker) through(t turns) (text string, inner [][]*env) {
	paths, values := t.varying()
	if len(paths) == 0 {
		return "", nil
	}
	best, widest := 0, t.widest()
	candidates := m.lists([]*env{widest})
	candidates = append(candidates, m.matches(values[paths[0]], widest)...)
	candidates = append(candidates, sequence(values[paths[0]])...)
	for _, candidate := range candidates {
		if candidate.root != "" && !known(candidate.root, t.envs) {
			continue
		}
		for _, form := range []string{candidate.text, "$distinct(" + candidate.text + ")", "$reverse(" + candidate.text + ")"} {
			source, envs := m.over(form, t, values[paths[0]])
			if source == "" {
				continue
			}
			if traced := m.tracedOf(paths, values, envs); traced > best {
				best, text, inner = traced, source, envs
			}
			break
		}
		if best == len(paths) {
			break
		}
	}
	return text, inner
}

// widest returns the environment with the most turns.
func (t turns) widest() *env {
	widest := 0
	for i := range t.calls {
		if len(t.calls[i]) > len(t.calls[widest]) {
			widest = i
		}
	}
	return t.envs[widest]
}

// tracedOf counts the paths whose values are traced by the items; 0 when the first is not.
func (m *maker) tracedOf(paths []string, values map[string][][]value.Value, inner [][]*env) (n int) {
	envs := slices.Concat(inner...)
	for i, path := range paths {
		text := m.trace(slices.Concat(values[path]...), envs)
		if text == "" && i == 0 {
			return 0
		}
		if text != "" {
			n++
		}
	}
	return n
}

// over returns a list, with a filter where turns leave items out, and the environments of the items; "" when the wanted
// values are not in the items in order.
func (m *maker) over(each string, t turns, wants [][]value.Value) (text string, inner [][]*env) {
	var items [][]value.Value
	var taken [][]bool
	all := true
	for i, e := range t.envs {
		v, _ := m.eval(each, e)
		found := itemsOf(v)
		picked := inOrder(found, wants[i], cores(wants[i]))
		if picked == nil {
			return "", nil
		}
		items, taken = append(items, found), append(taken, picked)
		all = all && !slices.Contains(picked, false)
	}
	if !all {
		filter := m.filter(items, taken)
		if filter == "" {
			return "", nil
		}
		each = "(" + each + ")" + filter
	}
	for i, e := range t.envs {
		var envs []*env
		for at, item := range items[i] {
			if taken[i][at] {
				in := e.inner(item, 0, len(envs))
				in.now = t.calls[i][len(envs)].Asked
				envs = append(envs, in)
			}
		}
		inner = append(inner, envs)
	}
	return each, inner
}

// itemsOf returns what each goes through for a value.
func itemsOf(v value.Value) []value.Value {
	if list, isList := v.([]any); isList {
		return list
	}
	if v == nil || value.IsNull(v) {
		return nil
	}
	return []value.Value{v}
}

// cores returns texts without what they all begin and end with; a text that would be empty then stays whole.
func cores(wants []value.Value) []string {
	texts := make([]string, len(wants))
	for i, want := range wants {
		texts[i] = plainText(want)
	}
	front, back := shared(texts)
	for i, text := range texts {
		if len(text) > front+back {
			texts[i] = text[front : len(text)-back]
		}
	}
	return texts
}

// inOrder marks the items that have the wanted values, one after the other; nil when they do not. What is wanted is in an
// item as a field; else its text, or the core of that, is a part of a text of the item, or the other way round.
func inOrder(items, wants []value.Value, cores []string) []bool {
	taken := make([]bool, len(items))
	at := 0
	for w, want := range wants {
		found := -1
		for _, is := range []func(value.Value) bool{
			func(v value.Value) bool { return value.Same(v, want) || plainText(v) == cores[w] && cores[w] != "" },
			func(v value.Value) bool { return sharesText(plainText(v), plainText(want), cores[w]) },
		} {
			for i := at; i < len(items) && found < 0; i++ {
				if hasPart(items[i], is) {
					found = i
				}
			}
		}
		if found < 0 {
			return nil
		}
		taken[found] = true
		at = found + 1
	}
	return taken
}

// hasPart reports whether a scalar of an item is one that is looked for.
func hasPart(item value.Value, is func(value.Value) bool) bool {
	found := false
	eachScalar("", item, 0, func(_ string, v value.Value) { found = found || is(v) })
	return found
}

// sharesText reports whether a text and a wanted one have the wanted one, or what is special of it, in common.
func sharesText(text, want, core string) bool {
	if want == "" || len(text) < 2 {
		return false
	}
	return hasWord(text, core) || hasWord(want, text) || len(core) >= leastPart && strings.Contains(text, core)
}

// sequence returns the list of the whole numbers that are counted, as the pages of a list are, where they are the same in
// all environments.
func sequence(wants [][]value.Value) []list {
	for _, numbers := range wants {
		if len(numbers) != len(wants[0]) || len(numbers) < 2 {
			return nil
		}
		first, isNumber := numbers[0].(float64)
		for i, n := range numbers {
			if !isNumber || first != wants[0][0] || n != first+float64(i) {
				return nil
			}
		}
	}
	first, _ := wants[0][0].(float64)
	return []list{{text: "[" + value.NumberText(first) + ".." + value.NumberText(first+float64(len(wants[0])-1)) + "]"}}
}

// matches returns the lists of what a pattern finds in the texts of an environment, for values that have one form.
func (m *maker) matches(wants [][]value.Value, e *env) (all []list) {
	var texts []string
	for _, want := range slices.Concat(wants...) {
		texts = append(texts, plainText(want))
	}
	if len(texts) == 0 || slices.Contains(texts, "") {
		return nil
	}
	pattern := patternOf(texts)
	if pattern == "" {
		return nil
	}
	for _, s := range e.known(e.now) {
		for _, p := range m.index(s).texts {
			text, isText := p.value.(string)
			if !isText || !strings.Contains(text, texts[0]) || len(text) <= len(texts[0]) {
				continue
			}
			path := pathText(s.root, p.steps...)
			at := strings.Index(text, texts[0])
			for _, before := range []string{"", text[max(0, at-1):at], text[max(0, at-2):at]} {
				if before == "" || !strings.ContainsAny(before, "\n") {
					all = append(all, list{"$match(" + path + ", /" + escapedPattern(before) + "(" + pattern + ")/).groups[0]", s.root})
				}
			}
			if len(all) > mostTexts {
				return all
			}
		}
	}
	return all
}
