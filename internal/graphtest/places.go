package graphtest

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/expressions"
)

// places are what {name} stands for in the strings of a case that runs on servers. A
// case that runs on mocks and a cassette keeps {name} as it is, and so does a
// cassette, so that it is the same wherever it was recorded.
type places map[string]string

// The places that a case on servers has.
const (
	tempPlace      = "temp"      // a new directory of its own
	directoryPlace = "directory" // that of the graph file, in which its servers run
)

// fill is a copy of v with the paths in place of their names.
func (p places) fill(v expressions.Value) expressions.Value {
	if len(p) == 0 {
		return v
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		pairs = append(pairs, "{"+name+"}", p[name])
	}
	return eachString(v, strings.NewReplacer(pairs...).Replace)
}

// empty is the reverse of fill.
func (p places) empty(v expressions.Value) expressions.Value {
	if len(p) == 0 {
		return v
	}
	names := slices.SortedFunc(maps.Keys(p), func(a, b string) int { // the longest path first: one may be in another
		return cmp.Or(cmp.Compare(len(p[b]), len(p[a])), cmp.Compare(a, b))
	})
	return eachString(v, func(text string) string {
		for _, name := range names {
			text = replacePath(text, p[name], "{"+name+"}")
		}
		return text
	})
}

// replacePath puts a name in the place of a path, where that stands by itself: /app is
// neither in /apple nor in example.com/app.
func replacePath(text, path, name string) string {
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return b.String() + text[from:]
		}
		at, end := from+i, from+i+len(path)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[from:at])
		if isNamePart(before) || before == '.' || isNamePart(after) {
			b.WriteString(path)
		} else {
			b.WriteString(name)
		}
		from = end
	}
}

// isNamePart reports whether a character goes on with the name of a file.
func isNamePart(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (p places) fillText(text string) string {
	filled, _ := p.fill(text).(string)
	return filled
}

func (p places) emptyText(text string) string {
	emptied, _ := p.empty(text).(string)
	return emptied
}

// eachString is a copy of v with f done to its strings, keys left as they are.
func eachString(v expressions.Value, f func(string) string) expressions.Value {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = eachString(item, f)
		}
		return out
	}
	object, ok := asObject(v)
	if !ok {
		return v
	}
	keys := object.Keys()
	values := make([]expressions.Value, len(keys))
	for i, key := range keys {
		item, _ := object.Get(key)
		values[i] = eachString(item, f)
	}
	return expressions.NewObject(keys, values)
}

// Filled is the case with paths in the place of {name} for each name of places, in its
// arguments and variables and in what Expect.Match compares: for those who run it by
// other means.
func (c *Case) Filled(paths map[string]string) *Case {
	p := places(paths)
	filled := *c
	filled.Args = p.fill(c.Args)
	filled.Env = maps.Clone(c.Env)
	for name, value := range filled.Env {
		filled.Env[name] = p.fillText(value)
	}
	e := &filled.Expect
	e.Value, e.Partial, e.Contains = p.fill(e.Value), p.fill(e.Partial), p.fillText(e.Contains)
	return &filled
}

// names reports whether the case speaks of a place.
func (c *Case) names(place string) bool {
	found := false
	look := func(text string) string {
		found = found || strings.Contains(text, "{"+place+"}")
		return text
	}
	for _, text := range c.Env {
		look(text)
	}
	eachString(c.Args, look)
	return found
}
