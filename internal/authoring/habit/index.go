package habit

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// The bounds of what is looked for.
const (
	leastText   = 3      // characters of a text that is looked for in answers
	leastNumber = 10     // a number nearer to 0 is not looked for
	leastPart   = 4      // characters of a part of a text
	mostPlaces  = 200000 // parts of one answer that are looked at
	deepest     = 200    // levels of an answer
)

// place is where a value is in a source.
type place struct {
	steps []any // keys (string) and indexes (int)
	value value.Value
}

// index finds values in a source.
type index struct {
	places map[uint64][]place // by fingerprint
	texts  []place            // texts and whole numbers
	paths  [][]string         // keys on the way to lists, to texts and to parts of lists, without indexes
	seen   map[string]bool
	count  int
}

// index returns the index of a source, which is made when it is needed first.
func (ev *evaluator) index(s *source) *index {
	if s.found == nil {
		s.found = &index{places: map[uint64][]place{}, seen: map[string]bool{}}
		ev.walk(s.found, s.value, nil, nil)
	}
	return s.found
}

// walk notes a value and its parts, which are at steps in the source, and returns its fingerprint.
func (ev *evaluator) walk(x *index, v value.Value, steps []any, keys []string) uint64 {
	x.count++
	if x.count > mostPlaces || len(steps) > deepest {
		return 0
	}
	x.notePath(v, keys)
	key := 0
	var names []string
	if object, isObject := value.ObjectOf(v); isObject {
		names = object.Keys()
	}
	mark := ev.fingerprint(v, func(part value.Value) uint64 {
		var step any = key
		inner := keys
		if names != nil {
			step = names[key]
			inner = slices.Concat(keys, []string{names[key]})
		}
		key++
		return ev.walk(x, part, append(steps[:len(steps):len(steps)], step), inner)
	})
	at := place{steps, v}
	x.places[mark] = append(x.places[mark], at)
	if plainText(v) != "" {
		x.texts = append(x.texts, at)
	}
	return mark
}

// notePath notes the keys on the way to a value that may be gone through.
func (x *index) notePath(v value.Value, keys []string) {
	if _, isObject := value.ObjectOf(v); isObject {
		return
	}
	joined := strings.Join(keys, "\x00")
	if !x.seen[joined] {
		x.seen[joined] = true
		x.paths = append(x.paths, keys)
	}
}

// plainText returns a text, or the digits of a whole number, as JSONata joins them to a text; else "".
func plainText(v value.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		if text := value.NumberText(v); !strings.ContainsAny(text, ".eNI") {
			return text
		}
	}
	return ""
}

// mark returns the fingerprint of a value and its parts.
func (ev *evaluator) mark(v value.Value) uint64 { return ev.fingerprint(v, ev.mark) }

// fingerprint returns the same number for equal values, whatever the order of keys is; of is called for each part, in
// order.
func (ev *evaluator) fingerprint(v value.Value, of func(value.Value) uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(ev.seed)
	switch v := v.(type) {
	case string:
		h.WriteByte('s')
		h.WriteString(v)
		return h.Sum64()
	case []any:
		h.WriteByte('a')
		for _, item := range v {
			maphash.WriteComparable(&h, of(item))
		}
		return h.Sum64()
	case float64, json.Number, bool, nil, value.NullType:
		maphash.WriteComparable[any](&h, v)
		return h.Sum64()
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return 0
	}
	sum := uint64(object.Len()) //nolint:gosec // a length
	for _, key := range object.Keys() {
		part, _ := object.Get(key)
		h.Reset()
		h.WriteByte('o')
		h.WriteString(key)
		maphash.WriteComparable(&h, of(part))
		sum += h.Sum64()
	}
	return sum
}

// isTrivial reports whether a value says too little to be looked for: it would be found anywhere.
func isTrivial(v value.Value) bool {
	switch v := v.(type) {
	case nil, bool, value.NullType:
		return true
	case string:
		return len([]rune(v)) < leastText
	case float64:
		return v > -leastNumber && v < leastNumber
	case json.Number:
		return false
	case []any:
		for _, item := range v {
			if !isTrivial(item) {
				return false
			}
		}
		return true
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return true
	}
	for _, key := range object.Keys() {
		if part, _ := object.Get(key); !isTrivial(part) {
			return false
		}
	}
	return true
}
