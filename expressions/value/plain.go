package value

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
)

// Plain is PlainOf for a value that was decoded, or is bounded otherwise.
func Plain(v Value) any {
	plain, _ := PlainOf(Until(context.Background()), v) // it has no limit
	return plain
}

// PlainOf returns a copy of v made of map[string]any, []any, string, float64, json.Number,
// bool and nil, for libraries that accept only these types. Parts that v shares are copied each time.
// The error is the meter's.
func PlainOf(m *Meter, v Value) (any, error) {
	if items, ok := v.([]any); ok {
		if err := m.Make(len(items) * anyBytes); err != nil {
			return nil, err
		}
		out := make([]any, len(items))
		for i, item := range items {
			var err error
			if out[i], err = PlainOf(m, item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if o, ok := ObjectOf(v); ok {
		if err := m.Make(o.Len() * 4 * anyBytes); err != nil {
			return nil, err
		}
		out := make(map[string]any, o.Len())
		for _, key := range o.Keys() {
			item, _ := o.Get(key)
			var err error
			if out[key], err = PlainOf(m, item); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	if IsNull(v) {
		return nil, nil
	}
	return v, m.Spend(1)
}

// anyBytes is the memory of a value in an array.
const anyBytes = 16

// FromPlain converts plain Go values to a Value: nil becomes Null, integers of any
// width become numbers, a map becomes an object with sorted keys; a struct or another type
// that encoding/json can write becomes its JSON. A part without a JSON form (a channel, a
// number that is not finite) or deeper than MaxDepth becomes Null. Values inside are used
// unchanged.
func FromPlain(v any) Value { return fromPlain(v, 0) }

func fromPlain(v any, depth int) Value {
	if depth > MaxDepth {
		return Null
	}
	switch x := v.(type) {
	case nil:
		return Null
	case string, bool, Object:
		return x
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Null
		}
		return x
	case json.Number:
		return fromDigits(string(x))
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = fromPlain(item, depth+1)
		}
		return out
	case map[string]any:
		object := NewMap()
		for _, key := range slices.Sorted(maps.Keys(x)) {
			object.Set(key, fromPlain(x[key], depth+1))
		}
		return object
	}
	if IsNull(v) {
		return Null
	}
	return fromReflect(v, depth)
}

func fromReflect(v any, depth int) Value {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return wholeNumber(strconv.AppendInt(nil, r.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return wholeNumber(strconv.AppendUint(nil, r.Uint(), 10))
	case reflect.Float32:
		return fromPlain(r.Float(), depth)
	default:
	}
	text, err := json.Marshal(v)
	if err != nil {
		return Null
	}
	value, err := Decode(text)
	if err != nil {
		return Null
	}
	return value
}
