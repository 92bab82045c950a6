package shape

import (
	"encoding/json"
	"slices"

	"toolgraph/expressions/value"
)

// Constant returns the shape of exactly this value, as far as a Shape can say: of an
// array, it has the shapes of its items. A nil value is nothing.
func Constant(v value.Value) Shape { return ofValue(v, true, 0) }

// OfValue returns the shape of values like this one: its kinds, and the fields of its
// objects, which may have others. A nil value is nothing.
func OfValue(v value.Value) Shape { return ofValue(v, false, 0) }

func ofValue(v value.Value, exact bool, depth int) Shape {
	switch kind := kindOf(v); {
	case kind.has(kindNothing | kindNull), kind.has(kindBoolean) && exact:
		return simple(kind)
	case kind.has(kindBoolean):
		return Boolean()
	}
	switch x := v.(type) {
	case float64:
		if exact {
			return shapeOf(alternatives{kinds: kindNumber, numbers: []float64{x}})
		}
		return Number()
	case json.Number:
		return Number()
	case string:
		if exact {
			return stringOf(x)
		}
		return String()
	}
	if depth > maxDepth {
		return Value()
	}
	if items, isArray := v.([]any); isArray {
		of := none
		for _, item := range items {
			if of = union(of, ofValue(item, exact, depth+1)); of.Equal(Value()) {
				break
			}
		}
		return array(of, exact && len(items) > 0)
	}
	members, isObject := objectOf(v)
	if !isObject {
		return Any() // a function
	}
	fields := make([]Field, 0, members.Len())
	for _, key := range members.Keys() {
		item, _ := members.Get(key)
		fields = append(fields, Field{Name: key, Shape: ofValue(orNull(item), exact, depth+1)})
	}
	if exact {
		return object(fields, closed)
	}
	return object(fields, declared)
}

// kindOf returns the kind of a value.
func kindOf(v value.Value) kinds {
	if v == value.Null {
		return kindNull
	}
	switch x := v.(type) {
	case nil:
		return kindNothing
	case bool:
		if x {
			return kindTrue
		}
		return kindFalse
	case float64, json.Number:
		return kindNumber
	case string:
		return kindString
	case []any:
		return kindArray
	case value.Object, map[string]any:
		return kindObject
	}
	return kindFunction
}

// objectOf returns the value as an Object: a map becomes one with sorted keys.
func objectOf(v value.Value) (o value.Object, isObject bool) {
	if m, isMap := v.(map[string]any); isMap {
		v = value.FromPlain(m)
	}
	o, isObject = v.(value.Object)
	return o, isObject
}

// orNull returns an item of an array or a field, which is never nothing.
func orNull(item any) value.Value {
	if item == nil {
		return value.Null
	}
	return item
}

// Each returns the shape of the items of a forEach over the value: those of a list, or the value
// itself, unless it is missing or null.
func (s Shape) Each() Shape {
	if s.IsAny() {
		return Value()
	}
	return union(s.without(kindNothing|kindNull|kindArray), s.Items())
}

// Bare reports whether the value may be a list or one of its items alone, as the sequences of
// JSONata are, and returns the shape of that item. It reports false when the items are unknown.
func (s Shape) Bare() (item Shape, may bool) {
	item = s.without(kindNothing | kindArray)
	if s.IsAny() || item.isNone() || !s.can(kindArray) || item.can(kindAll&^kindValue) || item.get().kinds == kindValue&^kindArray {
		return none, false
	}
	items := s.Items()
	return item, union(item, items).Equal(items)
}

// NothingAsNull returns the shape of the same values recorded as JSON, which has no
// nothing: it becomes null.
func (s Shape) NothingAsNull() Shape {
	if s.IsAny() || !s.MayBeNothing() {
		return s
	}
	return Union(s.without(kindNothing), Null())
}

// Has reports whether a value is in the set of the shape. A nil value is nothing.
func (s Shape) Has(v value.Value) bool {
	a := s.get()
	if s.IsAny() {
		return true
	}
	if !a.kinds.has(kindOf(v)) {
		return false
	}
	switch x := v.(type) {
	case float64:
		return (a.numbers == nil || slices.Contains(a.numbers, x)) && !(a.whole && hasFraction(x)) && (a.span == nil || a.span.has(x))
	case json.Number:
		return a.numbers == nil
	case string:
		return a.strings == nil || slices.Contains(a.strings, x)
	case []any:
		other := func(item any) bool { return !a.items.Has(orNull(item)) }
		return (!a.filled || len(x) > 0) && !slices.ContainsFunc(x, other)
	}
	members, isObject := objectOf(v)
	if !isObject {
		return true
	}
	known := 0
	for _, name := range members.Keys() {
		item, _ := members.Get(name)
		if _, listed := a.field(name); !listed && a.rest == open && !a.others.Has(orNull(item)) {
			return false
		}
	}
	for _, f := range a.fields {
		item, has := members.Get(f.Name)
		if has && !f.Shape.Has(orNull(item)) || !has && !f.Optional {
			return false
		}
		if has {
			known++
		}
	}
	return a.rest != closed || known == members.Len()
}
