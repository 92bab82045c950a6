package jsonata

import "toolgraph/expressions/value"

// objectFunctions read and make objects.
var objectFunctions = []builtin{
	{name: "keys", types: "<x-:a<s>>", arity: 1, lists: true, total: true, fn: keys},
	{name: "values", types: "<x?:a>", arity: 1, lists: true, fn: values},
	{name: "lookup", types: "<x-s:x>", arity: 2, lists: true, fn: lookupField},
	{name: "spread", types: "<x-:a<o>>", arity: 1, lists: true, fn: func(c call) (any, error) { return c.spread(c.args[0]), c.Cause() }},
	{name: "merge", types: "<a<o>:o>", arity: 1, lists: true, fn: merge},
	{name: "clone", types: "<(oa)-:o>", arity: 1, fn: func(c call) (any, error) { return c.clone(c.args[0], 0) }},
}

// keys are those of an object, or of all objects of an array.
func keys(c call) (any, error) {
	seen := value.NewMap()
	var walk func(v any)
	walk = func(v any) {
		items, isArray := itemsOf(v)
		for _, item := range items {
			if c.Spend(1) != nil {
				return
			}
			walk(item)
		}
		if !isArray {
			for key := range c.fields(v) {
				seen.Set(key, true)
			}
		}
	}
	walk(c.args[0])
	out := make([]any, 0, seen.Len())
	for _, key := range seen.Keys() {
		out = append(out, key)
	}
	return sequenceOf(out), c.Cause()
}

// values are those of an object, or of the objects of an array; jsonata-js does not
// have it.
func values(c call) (any, error) {
	out := []any{}
	items, isArray := itemsOf(c.args[0])
	if !isArray {
		items = c.args[:1]
	}
	found := false
	for _, item := range items {
		if isObject(item) {
			for _, value := range c.fields(item) {
				out = append(out, value)
			}
			found = true
		}
	}
	if !found {
		return nil, nil
	}
	return out, c.Cause()
}

func lookupField(c call) (any, error) {
	key, ok := c.arg(1).(string)
	if !ok {
		return nil, nil
	}
	return c.lookup(c.args[0], key)
}

// spread is an object for each field; fewer once the meter has ended.
func (c *call) spread(v any) any {
	if items, ok := itemsOf(v); ok {
		all := make([]any, 0, len(items)+1)
		for _, item := range items {
			if c.Spend(1) != nil {
				break
			}
			if item != nil {
				all = append(all, c.spread(item))
			}
		}
		if len(all) == 0 {
			return sequenceOf(nil)
		}
		return c.joinedArray(all)
	}
	if !isObject(v) {
		return v
	}
	var out []any
	for key, field := range c.fields(v) {
		one := value.NewMap()
		one.Set(key, field)
		out = append(out, one)
	}
	return sequenceOf(out)
}

// joinedArray appends values to an empty array.
func (c *call) joinedArray(values []any) []any {
	out := []any{}
	for _, value := range values {
		if items, ok := itemsOf(value); ok {
			if c.Items(len(items)) != nil {
				break
			}
			out = append(out, items...)
		} else {
			out = append(out, value)
		}
	}
	return out
}

// merge is one object of several; of two of a key the later counts.
func merge(c call) (any, error) {
	out := value.NewMap()
	for _, item := range c.items(0) {
		for key, field := range c.fields(item) {
			out.Set(key, field)
		}
		if c.Cause() != nil {
			break
		}
	}
	return out, c.Cause()
}
