package importer

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	"toolgraph/expressions/value"
)

// The bounds of what is looked for.
const (
	leastText   = 3       // characters of a text that is looked for in results
	leastNumber = 10      // a number nearer to 0 is not looked for
	leastPart   = 6       // characters of a value that is looked for inside a text
	longestText = 2000    // bytes of a text that is looked through for parts
	mostPlaces  = 64      // places that are noted for one value
	mostParts   = 5000    // candidates that are compared with one text
	mostTexts   = 1 << 20 // bytes of all texts that are looked through for parts
)

// place is where a value is in a result.
type place struct {
	call  *call
	steps []any // keys (string) and indexes (int)
	value value.Value
}

// index finds values in results. It is made for the arguments of one trace: it holds only values
// that these have.
type index struct {
	seed   maphash.Seed
	places map[uint64][]place  // of whole values, by their fingerprints; in the order of the results
	texts  map[string][]*inner // texts of arguments, by each 6 bytes in them
	size   int                 // of these texts
}

// inner is a text of an argument, with the places of shorter values in it.
type inner struct {
	text   string
	parts  []place
	tried  int
	before int // the moment at which it was asked for
}

// newIndex returns an index of the results for the arguments of these calls.
func newIndex(calls []*call) *index {
	x := &index{seed: maphash.MakeSeed(), places: map[uint64][]place{}, texts: map[string][]*inner{}}
	for _, c := range calls {
		x.want(c.args, c.asked)
	}
	for _, c := range calls {
		x.walk(c, c.result, nil)
	}
	return x
}

// want notes that a value of an argument and its parts are looked for.
func (x *index) want(v value.Value, moment int) uint64 {
	if text, isText := v.(string); isText {
		x.wantInside(text, moment)
	}
	mark := x.fingerprint(v, func(part value.Value) uint64 { return x.want(part, moment) })
	if !isTrivial(v) && x.places[mark] == nil {
		x.places[mark] = []place{}
	}
	return mark
}

func (x *index) wantInside(text string, moment int) {
	if len(text) <= leastPart || len(text) > longestText || x.size+len(text) > mostTexts {
		return
	}
	x.size += len(text)
	in := &inner{text: text, before: moment}
	for i := range len(text) - leastPart + 1 {
		piece := text[i : i+leastPart]
		if have := x.texts[piece]; len(have) == 0 || have[len(have)-1] != in {
			x.texts[piece] = append(have, in)
		}
	}
}

// walk notes the places of a result that have a wanted value.
func (x *index) walk(c *call, v value.Value, steps []any) uint64 {
	at := place{c, steps, v}
	x.inside(at)
	key := 0
	var keys []string
	if object, isObject := value.ObjectOf(v); isObject {
		keys = object.Keys()
	}
	mark := x.fingerprint(v, func(part value.Value) uint64 {
		var step any = key
		if keys != nil {
			step = keys[key]
		}
		key++
		return x.walk(c, part, append(slices.Clip(steps), step))
	})
	if found, wanted := x.places[mark]; wanted && len(found) < mostPlaces && !isTrivial(v) {
		x.places[mark] = append(found, at)
	}
	return mark
}

// inside notes a value that is a part of an argument's text.
func (x *index) inside(at place) {
	text := plainText(at.value)
	if len(text) < leastPart || len(text) > longestText {
		return
	}
	for _, in := range x.texts[text[:leastPart]] {
		if in.tried++; in.before > at.call.answered && in.tried < mostParts && len(in.parts) < mostPlaces && strings.Contains(in.text, text) {
			in.parts = append(in.parts, at)
		}
	}
}

// plainText returns a text, or the digits of an integer, as JSONata joins them to a text; else "".
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

// of returns the places of a value in the results that were known at a moment, those of the same
// result beside each other, the shortest path first.
func (x *index) of(v value.Value, moment int) []place {
	var known []place
	for _, p := range x.places[x.mark(v)] {
		if p.call.answered < moment {
			known = append(known, p)
		}
	}
	slices.SortStableFunc(known, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.call.asked, b.call.asked), cmp.Compare(len(a.steps), len(b.steps)))
	})
	return known
}

// partsOf returns the places of values inside a text of a call's arguments.
func (x *index) partsOf(text string, moment int) []place {
	if len(text) <= leastPart || len(text) > longestText {
		return nil
	}
	for _, in := range x.texts[text[:leastPart]] {
		if in.text == text && in.before == moment {
			return in.parts
		}
	}
	return nil
}

// mark returns the fingerprint of a value and its parts.
func (x *index) mark(v value.Value) uint64 { return x.fingerprint(v, x.mark) }

// fingerprint returns the same number for equal values, whatever the order of keys is; of is
// called for each part, in order.
func (x *index) fingerprint(v value.Value, of func(value.Value) uint64) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
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
		member, _ := object.Get(key)
		h.Reset()
		h.WriteByte('o')
		h.WriteString(key)
		maphash.WriteComparable(&h, of(member))
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
		return !slices.ContainsFunc(v, func(item value.Value) bool { return !isTrivial(item) })
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return true
	}
	for _, key := range object.Keys() {
		if member, _ := object.Get(key); !isTrivial(member) {
			return false
		}
	}
	return true
}
