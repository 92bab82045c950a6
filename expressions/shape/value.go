package shape

import (
	"encoding/json"
	"slices"

	"toolgraph/expressions/value"
)

// Constant is the shape of exactly this value, as far as a Shape can tell: of an
// array, the shapes of its items. nil is nothing.
func Constant(v value.Value) Shape { return ofValue(v, true, 0) }

// OfValue is the shape of values like this one: its kinds, and the fields of its
// objects, which may come with others.
func OfValue(v value.Value) Shape { return ofValue(v, false, 0) }

func ofValue(v value.Value, exact bool, depth int) Shape {
	if v == value.Null {
		return Null()
	}
	switch x := v.(type) {
	case nil:
		return Nothing()
	case bool:
		switch {
		case !exact:
			return Boolean()
		case x:
			return simple(kindTrue)
		}
		return simple(kindFalse)
	case float64:
		if exact {
			return shapeOf(alternatives{kinds: kindNumber, numbers: []float64{x}})
		}
		return Number()
	case json.Number:
		return Number()
	case string:
		if exact {
			return text(x)
		}
		return String()
	}
	if depth > maxDepth {
		return Value()
	}
	if items, ok := v.([]any); ok {
		of := none
		for _, item := range items {
			if of = union(of, ofValue(item, exact, depth+1)); of.Equal(Value()) {
				break
			}
		}
		return shapeOf(alternatives{kinds: kindArray, items: of, filled: exact && len(items) > 0})
	}
	return ofObject(v, exact, depth)
}

func ofObject(v value.Value, exact bool, depth int) Shape {
	keys, get := members(v)
	if get == nil {
		return Any() // a function
	}
	fields := make([]Field, 0, len(keys))
	for _, key := range keys {
		item, _ := get(key)
		if item == nil {
			item = value.Null
		}
		fields = append(fields, Field{Name: key, Shape: ofValue(item, exact, depth+1)})
	}
	if exact {
		return object(fields, closed)
	}
	return object(fields, declared)
}

// members are the keys of an object and how to read it; get is nil for what is none.
func members(v value.Value) (keys []string, get func(string) (any, bool)) {
	switch x := v.(type) {
	case value.Object:
		return x.Keys(), x.Get
	case map[string]any:
		keys = make([]string, 0, len(x))
		for key := range x {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return keys, func(key string) (any, bool) { item, ok := x[key]; return item, ok }
	}
	return nil, nil
}

// NothingAsNull returns the shape of the same values recorded as JSON, which has no
// nothing: it becomes null.
func (s Shape) NothingAsNull() Shape {
	if s.IsAny() || !s.MayBeNothing() {
		return s
	}
	return Union(s.without(kindNothing), Null())
}

// text is the shape of one string.
func text(s string) Shape { return shapeOf(alternatives{kinds: kindString, strings: []string{s}}) }

// Has tells whether v has the shape; nil is nothing.
func (s Shape) Has(v value.Value) bool {
	a := s.get()
	if s.IsAny() {
		return true
	}
	if v == value.Null {
		return a.kinds.has(kindNull)
	}
	switch x := v.(type) {
	case nil:
		return a.kinds.has(kindNothing)
	case bool:
		if x {
			return a.kinds.has(kindTrue)
		}
		return a.kinds.has(kindFalse)
	case float64:
		return a.kinds.has(kindNumber) && (a.numbers == nil || slices.Contains(a.numbers, x)) && !(a.whole && hasFraction(x))
	case json.Number:
		return a.kinds.has(kindNumber) && a.numbers == nil
	case string:
		return a.kinds.has(kindString) && (a.strings == nil || slices.Contains(a.strings, x))
	case []any:
		return a.hasItems(x)
	}
	return a.hasFields(v)
}

func (a *alternatives) hasItems(items []any) bool {
	if !a.kinds.has(kindArray) || a.filled && len(items) == 0 {
		return false
	}
	for _, item := range items {
		if item == nil {
			item = value.Null
		}
		if !a.items.Has(item) {
			return false
		}
	}
	return true
}

func (a *alternatives) hasFields(v value.Value) bool {
	keys, get := members(v)
	if get == nil {
		return a.kinds.has(kindFunction)
	}
	if !a.kinds.has(kindObject) {
		return false
	}
	known := 0
	for _, f := range a.fields {
		item, ok := get(f.Name)
		if !ok {
			if !f.Optional {
				return false
			}
			continue
		}
		known++
		if item == nil {
			item = value.Null
		}
		if !f.Shape.Has(item) {
			return false
		}
	}
	return a.rest != closed || known == len(keys)
}
