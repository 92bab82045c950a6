package graphtest

import (
	"fmt"

	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
)

// within returns where got differs from want, except for further keys of objects.
func within(want, got value.Value) []diff.Change {
	return lacking(nil, "", want, got)
}

func lacking(found []diff.Change, path string, want, got value.Value) []diff.Change {
	wanted, isObject := want.(value.Object)
	given, both := asObject(got)
	if isObject && both {
		for _, key := range wanted.Keys() {
			w, _ := wanted.Get(key)
			at := path + pathStep(key)
			if g, ok := given.Get(key); ok {
				found = lacking(found, at, w, g)
			} else {
				found = append(found, diff.Change{Path: at, Old: w})
			}
		}
		return found
	}
	a, isList := want.([]any)
	b, bothLists := got.([]any)
	if !isList || !bothLists {
		for _, c := range diff.Values(want, got) {
			found = append(found, diff.Change{Path: path + c.Path, Old: c.Old, New: c.New})
		}
		return found
	}
	for i := range max(len(a), len(b)) {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(a):
			found = append(found, diff.Change{Path: at, New: b[i]})
		case i >= len(b):
			found = append(found, diff.Change{Path: at, Old: a[i]})
		default:
			found = lacking(found, at, a[i], b[i])
		}
	}
	return found
}

func asObject(v value.Value) (value.Object, bool) {
	if m, ok := v.(map[string]any); ok {
		v = value.FromPlain(m)
	}
	o, ok := v.(value.Object)
	return o, ok
}

func pathStep(key string) string {
	if plainKey().MatchString(key) {
		return "." + key
	}
	return fmt.Sprintf("[%q]", key)
}

// walks reports whether names are as expected, where an ellipsis means any number of them, and
// how many names fit.
func walks[E, N any](expected []E, names []N, ellipsis func(E) bool, same func(E, N) bool) (fit int, ok bool) {
	at, star, from := 0, -1, 0 // in expected; its last ellipsis; the names after those that it took
	for i := 0; i < len(names); {
		switch {
		case at < len(expected) && ellipsis(expected[at]):
			star, from = at, i
			at++
		case at < len(expected) && same(expected[at], names[i]):
			at++
			i++
			fit = max(fit, i)
		case star >= 0: // the ellipsis takes one more
			from++
			at, i = star+1, from
		default:
			return fit, false
		}
	}
	for at < len(expected) && ellipsis(expected[at]) {
		at++
	}
	return fit, at == len(expected)
}
