package jsonata

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"

	"toolgraph/expressions/value"
)

// arrayFunctions make arrays of arrays.
var arrayFunctions = []builtin{
	{name: "count", types: "<a:n>", arity: 1, lists: true, total: true, fn: count},
	{name: "append", types: "<xx:a>", arity: 2, lists: true, total: true, fn: appendItems},
	{name: "reverse", types: "<a:a>", arity: 1, lists: true, fn: reverse},
	{name: "shuffle", types: "<a:a>", arity: 1, lists: true, fn: shuffle},
	{name: "distinct", types: "<x:x>", arity: 1, lists: true, fn: distinct},
	{name: "flatten", types: "<an?:a>", arity: 2, fn: flatten},
	{name: "chunk", types: "<an:a>", arity: 2, fn: chunk},
	{name: "zip", types: "<a+>", lists: true, total: true, fn: zip},
}

func count(c call) (any, error) { return float64(len(c.items(0))), nil }

// appendItems is $append: both values as one array; when one is undefined, the result is
// the other, unchanged.
func appendItems(c call) (any, error) {
	if len(c.items(0))+len(c.items(1)) > maxItems {
		return nil, c.tooMany()
	}
	return c.joined(c.args), c.Make((len(c.items(0)) + len(c.items(1))) * itemBytes)
}

func reverse(c call) (any, error) {
	items := c.items(0)
	if len(items) <= 1 {
		return c.args[0], nil
	}
	if err := c.Make(len(items) * itemBytes); err != nil {
		return nil, err
	}
	out := slices.Clone(items)
	slices.Reverse(out)
	return out, nil
}

func shuffle(c call) (any, error) {
	items := c.items(0)
	if len(items) <= 1 {
		return c.args[0], nil
	}
	if err := c.Make(len(items) * itemBytes); err != nil {
		return nil, err
	}
	out := slices.Clone(items)
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out, nil
}

// zip is arrays of the first items, the second items …, as many as the shortest has.
func zip(c call) (any, error) {
	shortest := -1
	for i := range c.args {
		if n := len(c.items(i)); shortest < 0 || n < shortest {
			shortest = n
		}
	}
	out := make([]any, 0, max(0, shortest))
	for i := range max(0, shortest) {
		if err := c.Make((1 + len(c.args)) * itemBytes); err != nil {
			return nil, err
		}
		row := make([]any, len(c.args))
		for j := range c.args {
			row[j] = c.items(j)[i]
		}
		out = append(out, row)
	}
	return out, nil
}

// flatten is $flatten(array, depth), which jsonata-js does not have.
func flatten(c call) (any, error) {
	levels, err := c.limit(1, "T0410")
	if err != nil {
		return nil, err
	}
	items := c.items(0)
	out := make([]any, 0, len(items))
	var walk func(items []any, level, depth int) error
	walk = func(items []any, level, depth int) error {
		if depth > value.MaxDepth {
			return errDeepResult
		}
		for _, item := range items {
			if err := c.Spend(1); err != nil {
				return err
			}
			if inner, ok := itemsOf(item); ok && level > 0 {
				if err := walk(inner, level-1, depth+1); err != nil {
					return err
				}
				continue
			}
			out = append(out, item)
		}
		return nil
	}
	if err := walk(items, levels, 0); err != nil {
		return nil, err
	}
	return out, nil
}

// chunk is $chunk(array, n), which jsonata-js does not have: the items in arrays of n, in order;
// the last may have fewer.
func chunk(c call) (any, error) {
	n, err := c.integer(1)
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, c.wrong(1, "a number of at least 1")
	}
	items := c.items(0)
	out := make([]any, 0, (len(items)+n-1)/n)
	for part := range slices.Chunk(items, n) {
		if err := c.Make(itemBytes); err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	return out, nil
}

// distinct is $distinct: the first of equal items. Of a sequence the result is a sequence.
func distinct(c call) (any, error) {
	items, ok := itemsOf(c.args[0])
	if !ok || len(items) <= 1 {
		return c.args[0], nil
	}
	out := make([]any, 0, min(len(items), 1024))
	seen := make(map[any]bool, min(len(items), 1024))
	w := writer{meter: &c.Meter, canonical: true}
	for _, item := range items {
		if err := c.Spend(1); err != nil {
			return nil, err
		}
		var key any
		switch x := item.(type) {
		case string:
			if err := c.Read(len(x)); err != nil {
				return nil, err
			}
			key = x
		case bool, nil:
			key = x
		case float64:
			if key = x; math.Abs(x) >= value.MaxExact && seen[roundedKey(x)] {
				continue
			}
		case json.Number:
			f, _ := x.Float64()
			if key = complexKey(x); seen[f] {
				continue
			}
			seen[roundedKey(f)] = true
		default:
			w.out = w.out[:0]
			if err := w.value(item, 0); err != nil {
				return nil, err
			}
			key = complexKey(w.out)
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, item)
		}
	}
	if l, ok := c.args[0].(*list); ok && l.sequence {
		return sequenceOf(out), nil
	}
	return out, nil
}

// complexKey is the text of an object, an array or null, which no string equals.
type complexKey string

// roundedKey is the float64 next to a number with more digits, which equals only a float64.
type roundedKey float64
