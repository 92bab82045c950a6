package jsonata

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"toolgraph/expressions/value"
)

// checker walks a result and ensures that it is a Value: no function, no number that is not
// finite, no part deeper than MaxDepth, no more JSON than most bytes, and never the live context
// itself, which changes after the evaluation. Parts that the result shares are checked once.
type checker struct {
	meter *value.Meter
	live  map[string]any
	most  int // bytes of JSON, or anyLength
	bytes int // of JSON so far, at least: strings count without their escapes
	count int // values so far
	below int // the depth of the deepest array or object since it was set
	known map[part]checked
}

// part is an array or an object by its place in memory.
type part struct {
	at     unsafe.Pointer
	length int
	isList bool // a *list with these items
}

// anyLength is most of a result that may have any length.
const anyLength = -1

// checked is what is known of a part.
type checked struct {
	value  any
	bytes  int
	height int // of what is in it
}

const (
	// remembersFrom is how many values are checked before parts are remembered: small results
	// allocate nothing.
	remembersFrom = 1 << 16
	// mostRemembered bounds the parts that are remembered.
	mostRemembered = 1 << 16
)

// value is v as a Value: v itself, or a copy without the live context and lists.
func (c *checker) value(v any, depth int) (any, error) {
	if err := c.meter.Spend(1); err != nil {
		return nil, err
	}
	c.count++
	switch x := v.(type) {
	case *list:
		return c.container(v, part{unsafe.Pointer(unsafe.SliceData(x.items)), len(x.items), true}, depth)
	case string:
		return v, c.grow(len(x) + len(`""`))
	case nil, bool, json.Number:
		return v, c.grow(1)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, &Error{Code: "D1001", Message: "the result is a number that is not finite (a division by zero or an overflow)", Offset: -1}
		}
		return v, c.grow(1)
	case []any:
		return c.container(v, part{unsafe.Pointer(unsafe.SliceData(x)), len(x), false}, depth)
	case *value.Map:
		return c.container(v, part{unsafe.Pointer(x), -1, false}, depth)
	case *value.Row:
		return c.container(v, part{unsafe.Pointer(x), -1, false}, depth)
	case value.Object:
		return c.container(v, part{}, depth)
	case map[string]any:
		return c.container(v, part{reflect.ValueOf(x).UnsafePointer(), -1, false}, depth)
	}
	if value.IsNull(v) {
		return v, c.grow(len("null"))
	}
	return nil, errFunctionResult
}

// grow counts bytes of JSON.
func (c *checker) grow(bytes int) error {
	c.bytes += bytes
	switch {
	case c.most == anyLength:
		c.bytes = min(c.bytes, 1<<50) // so that shared parts do not overflow it
	case c.bytes > c.most:
		return &Error{
			Code: "size", Offset: -1,
			Message: fmt.Sprintf("the result has more than %d MiB as JSON; return less of it", c.most>>20),
		}
	}
	return nil
}

// container checks an array or an object, unless it is known.
func (c *checker) container(v any, p part, depth int) (any, error) {
	if known, ok := c.known[p]; ok && p.at != nil {
		if c.below = max(c.below, depth+known.height); c.below >= value.MaxDepth {
			return nil, errDeepResult
		}
		return known.value, c.grow(known.bytes)
	}
	if depth >= value.MaxDepth {
		return nil, errDeepResult
	}
	bytes, below := c.bytes, c.below
	c.below = depth
	var out any
	err := c.grow(len("[]"))
	if err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case *list:
		if out, err = c.array(x.items, depth); out == nil {
			out = x.items
		}
	case []any:
		if out, err = c.array(x, depth); out == nil {
			out = v // the array as it is: another header of it would be an allocation
		}
	case value.Object:
		out, err = c.object(x, depth)
	case map[string]any:
		out, err = c.plainMap(x, depth)
	}
	if err != nil {
		return nil, err
	}
	if c.count > remembersFrom && p.length != 0 && p.length != 1 && p.at != nil {
		if c.known == nil || len(c.known) >= mostRemembered {
			c.known = map[part]checked{}
		}
		c.known[p] = checked{out, c.bytes - bytes, c.below - depth}
	}
	c.below = max(c.below, below)
	return out, nil
}

var errFunctionResult = &Error{Code: "function", Message: "the result is or contains a function; call it, or leave it out", Offset: -1}

var errDeepResult = &Error{Code: "depth", Message: "the result is " + value.ErrTooDeep.Error(), Offset: -1}

// array returns nil when the checked items are those given.
func (c *checker) array(items []any, depth int) (any, error) {
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
	return nil, nil
}

func (c *checker) object(source value.Object, depth int) (any, error) {
	keys := source.Keys()
	var out *value.Map // nil while it is as source
	for i, key := range keys {
		if err := c.grow(len(key) + len(`"":`)); err != nil {
			return nil, err
		}
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
	live := sameMap(m, c.live)
	out := make(map[string]any, len(m))
	for key, item := range m {
		if err := c.grow(len(key) + len(`"":`)); err != nil {
			return nil, err
		}
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
