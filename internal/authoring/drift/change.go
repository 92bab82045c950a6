package drift

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// The kinds of values, as people call them.
const (
	noKind     = "nothing"
	nullKind   = "null"
	boolKind   = "boolean"
	numberKind = "number"
	textKind   = "text"
	listKind   = "list"
	objectKind = "object"
)

// kindOf names the kind of a value, as messages have it.
func kindOf(v value.Value) string {
	switch v.(type) {
	case nil:
		return noKind
	case bool:
		return boolKind
	case float64, json.Number:
		return numberKind
	case string:
		return textKind
	case []any:
		return listKind
	}
	if _, is := value.ObjectOf(v); is {
		return objectKind
	}
	return nullKind
}

// objectOf returns a value that is known to be an object.
func objectOf(v value.Value) value.Object {
	o, _ := value.ObjectOf(v)
	return o
}

// change is a place in which the present answer differs from the recorded one.
type change struct {
	field   string // .items[].size: of all items the same; "" is the answer itself
	what    string // with the field, a sentence
	was, is value.Value
}

// merge returns the present value at those places that take selects, and the recorded value at the others.
func merge(field string, was, is value.Value, take func(change) bool) value.Value {
	before, now := kindOf(was), kindOf(is)
	switch {
	case before == now && now == objectKind:
		return mergeObjects(field, objectOf(was), objectOf(is), take)
	case before == now && now == listKind:
		a, b := was.([]any), is.([]any)
		switch {
		case len(a) != len(b):
			return either(change{field, fmt.Sprintf("has %d items, and had %d", len(b), len(a)), was, is}, take)
		case isReordered(a, b):
			return either(change{field, "has its items in another order", was, is}, take)
		}
		merged := make([]any, len(a))
		for i := range a {
			merged[i] = merge(field+"[]", a[i], b[i], take)
		}
		return merged
	case value.Same(was, is):
		return was
	}
	return either(change{field, whatOf(was, is), was, is}, take)
}

func mergeObjects(field string, was, is value.Object, take func(change) bool) value.Value {
	var keys []string
	var values []value.Value
	add := func(key string, v value.Value) {
		if v != nil {
			keys, values = append(keys, key), append(values, v)
		}
	}
	for _, key := range was.Keys() {
		a, _ := was.Get(key)
		at := field + step(key)
		if b, stays := is.Get(key); stays {
			add(key, merge(at, a, b, take))
			continue
		}
		add(key, either(change{at, "is missing" + renamed(a, was, is), a, nil}, take))
	}
	for _, key := range is.Keys() {
		if _, had := was.Get(key); !had {
			b, _ := is.Get(key)
			add(key, either(change{field + step(key), "is new", nil, b}, take))
		}
	}
	return value.NewObject(keys, values)
}

// either returns the present value of a place that is taken, else the recorded one.
func either(c change, take func(change) bool) value.Value {
	if take(c) {
		return c.is
	}
	return c.was
}

// renamed says which new key has the value of one that is missing.
func renamed(v value.Value, was, is value.Object) string {
	for _, key := range is.Keys() {
		other, _ := is.Get(key)
		if _, had := was.Get(key); !had && value.Same(v, other) {
			return ", and " + step(key) + " has its value"
		}
	}
	return ""
}

// whatOf says how a value has changed, after the name of its field.
func whatOf(was, is value.Value) string {
	before, now := kindOf(was), kindOf(is)
	switch {
	case before != now:
		return "was " + before + " and is " + now
	case now == textKind && len(is.(string)) < len(was.(string)) && strings.HasPrefix(was.(string), strings.TrimRight(is.(string), ".… ")):
		return "is truncated"
	}
	return "has another value"
}

// isReordered reports whether two lists of equal length have the same items in another order.
func isReordered(a, b []any) bool {
	counts := map[[32]byte]int{}
	moved := false
	for i := range a {
		x, err := value.Digest(nil, a[i])
		y, errOther := value.Digest(nil, b[i])
		if err != nil || errOther != nil {
			return false
		}
		counts[x]++
		counts[y]--
		moved = moved || x != y
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return moved
}

// step returns a key as a path has it.
func step(key string) string {
	for i, r := range key {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	return "." + key
}

// changes returns all places in which two values differ.
func changes(was, is value.Value) (all []change) {
	merge("", was, is, func(c change) bool {
		all = append(all, c)
		return true
	})
	return all
}
