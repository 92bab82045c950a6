package graphtest

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// place is a path of this machine and its name, which is {name} in test files.
type place struct{ name, path string }

// places are the values of {name} in the strings of a case: the path where the case runs on
// servers, {name} itself where it runs on mocks and a cassette. Values are compared and recorded
// with names in place of paths in either case, so that they are the same in every directory. Of
// several paths of one name servers get the first.
type places []place

// The places that a case has.
const (
	tempPlace      = "temp"      // a new directory of its own; on servers alone
	directoryPlace = "directory" // of the graph file, in which its servers run
)

// placeOf returns a directory by its path, and by the path without links, which servers may
// report. The root has no name: it is in every path.
func placeOf(name, dir string) places {
	p := places{{name, dir}}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil && resolved != dir {
		p = append(p, place{name, resolved})
	}
	return slices.DeleteFunc(p, func(a place) bool { return filepath.Dir(a.path) == a.path })
}

// directoryOf returns the place of a graph file's directory.
func directoryOf(graph string) (places, error) {
	dir, err := filepath.Abs(filepath.Dir(graph))
	if err != nil {
		return nil, err
	}
	return placeOf(directoryPlace, dir), nil
}

// fill returns a copy of v with paths in place of names.
func (p places) fill(v value.Value) value.Value {
	if len(p) == 0 {
		return v
	}
	var pairs []string
	for _, a := range p {
		pairs = append(pairs, "{"+a.name+"}", a.path)
	}
	return eachString(v, strings.NewReplacer(pairs...).Replace)
}

// empty is the reverse of fill.
func (p places) empty(v value.Value) value.Value {
	if len(p) == 0 {
		return v
	}
	longest := slices.SortedStableFunc(slices.Values(p), func(a, b place) int { // one may be in another
		return cmp.Compare(len(b.path), len(a.path))
	})
	return eachString(v, func(text string) string {
		for _, a := range longest {
			text = replacePath(text, a.path, "{"+a.name+"}")
		}
		return text
	})
}

// replacePath replaces a path by a name where it is a whole path: /app is neither in /apple nor
// in example.com/app.
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

// isNamePart reports whether a character continues the name of a file.
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

// eachString returns a copy of v with f applied to its strings, but not to keys.
func eachString(v value.Value, f func(string) string) value.Value {
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
	values := make([]value.Value, len(keys))
	for i, key := range keys {
		item, _ := object.Get(key)
		values[i] = eachString(item, f)
	}
	return value.NewObject(keys, values)
}

// Filled returns the case with the paths in place of {name}, in its arguments and variables and
// in what Expect.Match compares: for a caller that runs the case by other means.
func (c *Case) Filled(paths map[string]string) *Case {
	var p places
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		p = append(p, place{name, paths[name]})
	}
	return c.filled(p)
}

func (c *Case) filled(p places) *Case {
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

// emptied returns the expectation with names in place of paths.
func (e *Expect) emptied(p places) *Expect {
	c := *e
	c.Value, c.Partial, c.Contains = p.empty(e.Value), p.empty(e.Partial), p.emptyText(e.Contains)
	c.Calls, c.Nodes = slices.Clone(e.Calls), slices.Clone(e.Nodes)
	for i := range c.Calls {
		c.Calls[i].Args, c.Calls[i].Partial = p.empty(c.Calls[i].Args), p.empty(c.Calls[i].Partial)
	}
	for i := range c.Nodes {
		c.Nodes[i].Partial = p.empty(c.Nodes[i].Partial)
	}
	return &c
}

// names reports whether the case names a place.
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
