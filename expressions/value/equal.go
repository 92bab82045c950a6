package value

import (
	"context"
	"encoding/json"
	"reflect"
	"unsafe"
)

// Array is an array that is not a []any.
type Array interface{ Items() []any }

// ItemsOf returns the items of an array of either kind; false for anything else.
func ItemsOf(v any) ([]any, bool) {
	switch x := v.(type) {
	case []any:
		return x, true
	case Array:
		return x.Items(), true
	}
	return nil, false
}

// Equal reports whether two values are the same JSON: arrays and objects by their contents, whatever
// the order of keys; numbers by their value, integers beyond 2^53 by their digits. What is no JSON, as
// a function, equals itself. Parts that both values share, and pairs of parts that were compared
// before, are not compared again. The error is the meter's, or ErrTooDeep.
func Equal(m *Meter, a, b Value) (bool, error) { return EqualBy(m, a, b, SameScalar) }

// EqualBy is Equal with another comparison of what is neither an array nor an object.
func EqualBy(m *Meter, a, b Value, same func(a, b Value) bool) (bool, error) {
	c := comparison{meter: m, same: same}
	return c.equal(a, b, 0)
}

// Same is Equal for values that were decoded, or are bounded otherwise; values too deep to be compared
// are not the same.
func Same(a, b Value) bool {
	equal, err := Equal(Until(context.Background()), a, b)
	return equal && err == nil
}

// comparison is one comparison. It ends at the first difference, so that what was compared is equal.
type comparison struct {
	meter *Meter
	same  func(a, b Value) bool
	count int // arrays and objects compared
	seen  map[pair]struct{}
}

// pair is two parts that were compared, by their places in memory; arrays of one length.
type pair struct {
	a, b   unsafe.Pointer
	length int
}

const (
	// remembersFrom is how many arrays and objects are compared before pairs are remembered: small
	// comparisons allocate nothing.
	remembersFrom = 64
	// mostRemembered bounds the pairs that are remembered.
	mostRemembered = 1 << 16
	// deepest is how deep values are compared: an evaluation may build one that is deeper than
	// MaxDepth, and the stack is bounded.
	deepest = 200 * MaxDepth
)

func (c *comparison) equal(a, b Value, depth int) (bool, error) {
	if err := c.meter.Spend(1); err != nil {
		return false, err
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok && len(x) == len(y) {
			return x == y, c.meter.Read(len(x))
		}
		return c.same(a, b), nil
	case float64, bool, json.Number, nil, NullType:
		return c.same(a, b), nil
	}
	var p pair
	items, isArray := ItemsOf(a)
	object, isObject := ObjectOf(a)
	switch {
	case isArray:
		others, ok := ItemsOf(b)
		if !ok || len(items) != len(others) {
			return false, nil
		}
		p = pair{unsafe.Pointer(unsafe.SliceData(items)), unsafe.Pointer(unsafe.SliceData(others)), len(items)}
	case isObject:
		if other, ok := ObjectOf(b); !ok || object.Len() != other.Len() {
			return false, nil
		}
		p = pair{placeOf(a), placeOf(b), -1}
	default:
		return c.same(a, b), nil
	}
	if c.known(p) {
		return true, nil
	}
	if depth >= deepest {
		return false, ErrTooDeep
	}
	var equal bool
	var err error
	if isArray {
		equal, err = c.arrays(items, b, depth+1)
	} else {
		equal, err = c.objects(object, b, depth+1)
	}
	if equal && err == nil {
		c.remember(p)
	}
	return equal, err
}

func (c *comparison) arrays(items []any, b Value, depth int) (bool, error) {
	others, _ := ItemsOf(b)
	for i := range items {
		if equal, err := c.equal(items[i], others[i], depth); !equal || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *comparison) objects(object Object, b Value, depth int) (bool, error) {
	other, _ := ObjectOf(b)
	for _, key := range object.Keys() {
		item, _ := object.Get(key)
		counterpart, ok := other.Get(key)
		if !ok {
			return false, c.meter.Spend(1)
		}
		if equal, err := c.equal(item, counterpart, depth); !equal || err != nil {
			return false, err
		}
	}
	return true, nil
}

// known reports whether two parts are one, or were compared before.
func (c *comparison) known(p pair) bool {
	if p.a == p.b && p.a != nil {
		return true
	}
	_, known := c.seen[p]
	return known
}

// remember stores a pair of equal parts once there have been many.
func (c *comparison) remember(p pair) {
	if c.count++; c.count < remembersFrom || p.a == nil || p.b == nil {
		return
	}
	if c.seen == nil || len(c.seen) >= mostRemembered {
		c.seen = map[pair]struct{}{}
	}
	c.seen[p] = struct{}{}
}

// placeOf returns where an object is in memory; nil when it is not known.
func placeOf(object any) unsafe.Pointer {
	switch x := object.(type) {
	case *Map:
		return unsafe.Pointer(x)
	case *Row:
		return unsafe.Pointer(x)
	case map[string]any:
		return reflect.ValueOf(x).UnsafePointer()
	}
	return nil
}

// SameScalar reports whether two values that are neither arrays nor objects are the same JSON. A
// function is the same as itself.
func SameScalar(a, b Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case float64:
		switch y := b.(type) {
		case float64:
			return x == y
		case json.Number:
			f, err := y.Float64()
			return err == nil && x == f
		}
		return false
	case json.Number:
		switch y := b.(type) {
		case float64:
			f, err := x.Float64()
			return err == nil && f == y
		case json.Number:
			return x == y
		}
		return false
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}
