package expressions

import (
	"encoding/json"
	"slices"
)

// arrayFunctions take the place of functions of the engine that cannot be
// interrupted or differ from jsonata-js.
var arrayFunctions = map[string]function{
	"distinct": distinct,
	"filter":   filter,
	"sort":     bounded("sort"),
	"shuffle":  bounded("shuffle"),
	"zip":      bounded("zip"),
	"reverse":  bounded("reverse"),
	"flatten":  flatten,
	"merge":    bounded("merge"),
	"spread":   bounded("spread"),
}

// bounded is the engine's own function for arrays of up to maxItems.
func bounded(name string) function {
	return func(c call) (any, error) {
		for _, arg := range c.args {
			if items, ok := arg.([]any); ok && len(items) > maxItems {
				return nil, c.tooMany()
			}
		}
		return c.engine(name, c.args)
	}
}

// flatten is $flatten(array, depth), which jsonata-js does not have.
func flatten(c call) (any, error) {
	items, ok := c.arg(0).([]any)
	levels, err := c.limit(1, "T0410")
	if !ok || err != nil {
		return c.engine("flatten", c.args)
	}
	out := make([]any, 0, len(items))
	var walk func(items []any, level, depth int) error
	walk = func(items []any, level, depth int) error {
		if depth > MaxDepth {
			return errDeepResult
		}
		for _, item := range items {
			inner, ok := item.([]any)
			if ok && level > 0 {
				if err := walk(inner, level-1, depth+1); err != nil {
					return err
				}
				continue
			}
			if out = append(out, item); len(out)%spendEvery == 0 {
				if err := c.spend(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(items, levels, 0); err != nil {
		return nil, err
	}
	return out, nil
}

// filter is $filter; one item left is that item, as of any sequence.
func filter(c call) (any, error) {
	value, err := c.engine("filter", c.args)
	if items, ok := value.([]any); ok && len(items) == 1 {
		value = items[0]
	}
	return value, err
}

// distinct is $distinct. The engine compares each object with all others; here
// objects and arrays are told apart by their text with sorted keys.
func distinct(c call) (any, error) {
	items, ok := c.arg(0).([]any)
	if !ok || len(items) <= 1 {
		return c.engine("distinct", c.args)
	}
	if len(items) > maxItems {
		return nil, c.tooMany()
	}
	out := make([]any, 0, min(len(items), 1024))
	seen := make(map[any]bool, min(len(items), 1024))
	var text []byte
	for i, item := range items {
		if i%spendEvery == 0 {
			if err := c.spend(); err != nil {
				return nil, err
			}
		}
		var key any
		switch x := item.(type) {
		case string, float64, bool, nil:
			key = x
		case json.Number:
			key = numberKey(x)
		default:
			var err error
			if text, err = appendSorted(text[:0], item, 0); err != nil {
				return nil, err
			}
			key = complexKey(text)
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, item)
		}
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

// complexKey is the text of an object, an array or null, which no string equals.
type complexKey string

func numberKey(n json.Number) any {
	if f, err := n.Float64(); err == nil && f < maxExact && f > -maxExact {
		return f
	}
	return complexKey(n)
}

// appendSorted appends v as JSON with the keys of its objects sorted.
func appendSorted(dst []byte, v any, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return dst, errDeepResult
	}
	var err error
	switch x := v.(type) {
	case []any:
		dst = append(dst, '[')
		for _, item := range x {
			if dst, err = appendSorted(dst, item, depth+1); err != nil {
				return dst, err
			}
			dst = append(dst, ',')
		}
		return append(dst, ']'), nil
	case Object:
		dst = append(dst, '{')
		for _, key := range slices.Sorted(slices.Values(x.Keys())) {
			item, _ := x.Get(key)
			dst = append(appendString(dst, key), ':')
			if dst, err = appendSorted(dst, item, depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	case map[string]any:
		dst = append(dst, '{')
		for _, key := range sortedKeys(x) {
			dst = append(appendString(dst, key), ':')
			if dst, err = appendSorted(dst, x[key], depth+1); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	if isFunction(v) && !isNull(v) {
		return append(dst, `""`...), nil
	}
	return appendValue(dst, v, depth)
}
