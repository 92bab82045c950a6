package jsonata

import (
	"encoding/json"
	"math"
	"reflect"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// checker walks a result and ensures that it is a Value: no function, no number that is not
// finite, no part deeper than MaxDepth, and never the live context itself, which changes
// after the evaluation.
type checker struct {
	ev    *evaluation
	live  map[string]any
	count int
}

// value is v as a Value: v itself, or a copy without the live context and lists.
func (c *checker) value(v any, depth int) (any, error) {
	if c.count++; c.count%4096 == 0 {
		if err := c.ev.spend(); err != nil {
			return nil, err
		}
	}
	switch x := v.(type) {
	case *list:
		return c.array(x.items, depth)
	case nil, string, bool, json.Number:
		return v, nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, &expressions.EvalError{Code: "D1001", Message: "the result is a number that is not finite (a division by zero or an overflow)", Offset: -1}
		}
		return v, nil
	case []any:
		return c.array(x, depth)
	case value.Object:
		return c.object(x, depth)
	case map[string]any:
		return c.plainMap(x, depth)
	}
	if value.IsNull(v) {
		return v, nil
	}
	return nil, errFunctionResult
}

var errFunctionResult = &expressions.EvalError{Code: "function", Message: "the result is or contains a function; call it, or leave it out", Offset: -1}

var errDeepResult = &expressions.EvalError{Code: "depth", Message: "the result is " + value.ErrTooDeep.Error(), Offset: -1}

func (c *checker) array(items []any, depth int) (any, error) {
	if depth >= value.MaxDepth {
		return nil, errDeepResult
	}
	var out []any // nil while it is as items
	for i, item := range items {
		v, err := c.value(item, depth+1)
		if err != nil {
			return nil, err
		}
		if item == nil {
			v = value.Null
		}
		if out == nil && (item == nil || changed(item, v)) {
			out = append(make([]any, 0, len(items)), items[:i]...)
		}
		if out != nil {
			out = append(out, v)
		}
	}
	if out != nil {
		return out, nil
	}
	return items, nil
}

func (c *checker) object(source value.Object, depth int) (any, error) {
	if depth >= value.MaxDepth {
		return nil, errDeepResult
	}
	keys := source.Keys()
	var out *value.Map // nil while it is as source
	for i, key := range keys {
		item, _ := source.Get(key)
		_, left := item.(*nextMatch) // the function of a match has no place in JSON
		var v any
		if !left {
			var err error
			if v, err = c.value(item, depth+1); err != nil {
				return nil, err
			}
		}
		if out == nil && (left || changed(item, v)) {
			out = value.NewMap()
			for _, before := range keys[:i] {
				same, _ := source.Get(before)
				out.Set(before, same)
			}
		}
		if out != nil && !left {
			out.Set(key, v)
		}
	}
	if out != nil {
		return out, nil
	}
	return source, nil
}

// plainMap copies a map without order, of the live context only the top level: its values
// are outputs, which never change.
func (c *checker) plainMap(m map[string]any, depth int) (any, error) {
	if depth >= value.MaxDepth {
		return nil, errDeepResult
	}
	live := sameMap(m, c.live)
	out := make(map[string]any, len(m))
	for key, item := range m {
		v := item
		if !live {
			var err error
			if v, err = c.value(item, depth+1); err != nil {
				return nil, err
			}
		}
		if v == nil {
			v = value.Null
		}
		out[key] = v
	}
	return out, nil
}

// changed reports whether v is a copy of item.
func changed(item, v any) bool {
	switch x := item.(type) {
	case *list:
		return true
	case []any:
		y := v.([]any)
		return len(x) > 0 && &x[0] != &y[0]
	case value.Object:
		return v != item
	case map[string]any:
		return true
	}
	return false
}

func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}
