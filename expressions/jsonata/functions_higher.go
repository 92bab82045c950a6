package jsonata

import "toolgraph/expressions/value"

// higherFunctions call functions of the expression.
var higherFunctions = []builtin{
	{name: "map", types: "<af>", arity: 2, lists: true, fn: mapItems},
	{name: "filter", types: "<af>", arity: 2, lists: true, fn: filterItems},
	{name: "single", types: "<af?>", arity: 2, lists: true, fn: single},
	{name: "reduce", types: "<afj?:j>", arity: 3, lists: true, fn: reduce},
	{name: "sort", types: "<af?:a>", arity: 2, lists: true, fn: sortItems},
	{name: "each", types: "<o-f:a>", arity: 2, lists: true, total: true, fn: eachField},
	{name: "sift", types: "<o-f?:o>", arity: 2, lists: true, total: true, fn: sift},
}

func mapItems(c call) (any, error) {
	items := c.items(0)
	out := make([]any, 0, len(items))
	fn := c.repeat(c.args[1])
	for i, item := range items {
		value, err := fn.each(item, fn.place(1, i), c.args[0])
		if err != nil {
			return nil, err
		}
		if value != nil {
			out = append(out, value)
		}
	}
	return sequenceOf(out), nil
}

func filterItems(c call) (any, error) {
	var out []any
	fn := c.repeat(c.args[1])
	for i, item := range c.items(0) {
		value, err := fn.each(item, fn.place(1, i), c.args[0])
		if err != nil {
			return nil, err
		}
		if c.truth(value) {
			out = append(out, item)
		}
	}
	return sequenceOf(out), nil
}

func single(c call) (any, error) {
	found := 0
	var out any
	fn := c.repeat(c.arg(1))
	for i, item := range c.items(0) {
		if c.arg(1) != nil {
			value, err := fn.each(item, fn.place(1, i), c.args[0])
			if err != nil {
				return nil, err
			}
			if !c.truth(value) {
				continue
			}
		}
		if found++; found > 1 {
			return nil, c.fail("D3138", "found more than one item, expected exactly one")
		}
		out = item
	}
	if found == 0 {
		return nil, c.fail("D3139", "found no item, expected exactly one")
	}
	return out, nil
}

func reduce(c call) (any, error) {
	fn := c.repeat(c.args[1])
	if fn.arity < 2 {
		return nil, c.fail("D3050", "expects a function of at least two parameters as argument 2")
	}
	items, first := c.items(0), 0
	result := c.arg(2)
	if result == nil && len(items) > 0 {
		result, first = items[0], 1
	}
	for i := first; i < len(items); i++ {
		fn.args = [4]any{result, items[i], fn.place(2, i), c.args[0]}
		var err error
		if result, err = fn.call(min(4, fn.arity)); err != nil {
			return nil, err
		}
	}
	return result, nil
}

func sortItems(c call) (any, error) {
	items := c.items(0)
	if len(items) <= 1 {
		return c.args[0], nil
	}
	after := func(a, b any) (bool, error) {
		order, _ := c.compare(a, b)
		return order > 0, nil
	}
	if by := c.arg(1); by != nil {
		fn := c.repeat(by)
		after = func(a, b any) (bool, error) {
			fn.args = [4]any{a, b}
			value, err := fn.call(2)
			return c.scriptTruth(value), err
		}
	} else if !allNumbers(items) && !allStrings(items) {
		return nil, c.fail("D3070", "without a function can only sort an array of strings or an array of numbers")
	}
	return mergeSort(c.machine, items, after)
}

func allStrings(items []any) bool {
	for _, item := range items {
		if _, ok := item.(string); !ok {
			return false
		}
	}
	return true
}

// scriptTruth is what JavaScript takes for true: also empty arrays and objects.
func (m *machine) scriptTruth(v any) bool {
	switch v.(type) {
	case nil, value.NullType:
		return false
	}
	if _, isArray := itemsOf(v); isArray || isObject(v) || isFunction(v) {
		return true
	}
	return m.truth(v)
}

func eachField(c call) (any, error) {
	var out []any
	fn := c.repeat(c.args[1])
	for key, value := range c.fields(c.args[0]) {
		result, err := fn.each(value, fn.key(key), c.args[0])
		if err != nil {
			return nil, err
		}
		if result != nil {
			out = append(out, result)
		}
	}
	return sequenceOf(out), nil
}

func sift(c call) (any, error) {
	if c.arg(1) == nil {
		return nil, c.wrong(1, "a function")
	}
	out := value.NewMap()
	fn := c.repeat(c.args[1])
	for key, value := range c.fields(c.args[0]) {
		result, err := fn.each(value, fn.key(key), c.args[0])
		if err != nil {
			return nil, err
		}
		if c.truth(result) {
			out.Set(key, value)
		}
	}
	if out.Len() == 0 {
		return nil, nil
	}
	return out, nil
}
