package expressions

import "fmt"

// stepFunctions are what steps of a path are rewritten to where the engine differs
// from jsonata-js or cannot be interrupted; see engineSource.
var stepFunctions = map[string]function{
	hidden + "any":  anyValue,
	hidden + "all":  allValues,
	hidden + "self": self,
	hidden + "keep": keep,
	hidden + "text": operandText,
	hidden + "copy": copied,
}

// anyValue is the step *: the values of an object, arrays flattened.
func anyValue(c call) (any, error) {
	var out []any
	add := func(item any) {
		if items, ok := item.([]any); ok {
			out = appendFlat(out, items)
			return
		}
		if item == nil {
			item = Null
		}
		out = append(out, item)
	}
	switch x := c.focus.(type) {
	case Object:
		for _, key := range x.Keys() {
			item, _ := x.Get(key)
			add(item)
		}
	case map[string]any:
		if isRegex(x) {
			return nil, nil
		}
		for _, key := range sortedKeys(x) {
			add(x[key])
		}
	case []any:
		for _, item := range x {
			add(item)
		}
	}
	return sequence(out), c.spend()
}

func appendFlat(out, items []any) []any {
	for _, item := range items {
		if inner, ok := item.([]any); ok {
			out = appendFlat(out, inner)
			continue
		}
		out = append(out, item)
	}
	return out
}

// allValues is the step **: the focus and everything inside it but arrays, whose
// items count instead.
func allValues(c call) (any, error) {
	var out []any
	var walk func(v any, depth int) error
	walk = func(v any, depth int) error {
		if depth > 2*MaxDepth {
			return errDeepResult
		}
		if items, ok := v.([]any); ok {
			for _, item := range items {
				if err := walk(item, depth+1); err != nil {
					return err
				}
			}
			return nil
		}
		if v == nil {
			v = Null
		}
		if out = append(out, v); len(out)%spendEvery == 0 {
			if err := c.spend(); err != nil {
				return err
			}
		}
		switch x := v.(type) {
		case Object:
			for _, key := range x.Keys() {
				item, _ := x.Get(key)
				if err := walk(item, depth+1); err != nil {
					return err
				}
			}
		case map[string]any:
			for _, key := range sortedKeys(x) {
				if err := walk(x[key], depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if c.focus == nil {
		return nil, nil
	}
	err := walk(c.focus, 0)
	return sequence(out), err
}

// self is the step $ behind another one: the item itself.
func self(c call) (any, error) { return c.focus, nil }

// keep is [] behind a variable or a first name: an array whatever it is.
func keep(c call) (any, error) {
	switch x := c.arg(0).(type) {
	case nil, []any:
		return x, nil
	default:
		return []any{x}, nil
	}
}

// operandText is an operand of &: an array or an object as its JSON.
func operandText(c call) (any, error) {
	v := c.arg(0)
	switch x := v.(type) {
	case string:
		if len(x) > MaxText {
			return nil, &EvalError{Code: "size", Message: fmt.Sprintf("the operator & joins strings of up to %d MiB", MaxText>>20), Offset: -1}
		}
		if len(x) > 1<<16 {
			return x, c.spend()
		}
		return x, nil
	case nil, float64, bool:
		return v, nil
	}
	return stringOf(call{evaluation: c.evaluation, name: "string", args: []any{v}})
}

// copied is a copy of the update of a transform, down to its scalars.
func copied(c call) (any, error) {
	count := 0
	var walk func(v any, depth int) (any, error)
	walk = func(v any, depth int) (any, error) {
		if depth > MaxDepth {
			return nil, errDeepResult
		}
		if count++; count%spendEvery == 0 {
			if err := c.spend(); err != nil {
				return nil, err
			}
		}
		switch x := v.(type) {
		case []any:
			out := make([]any, len(x))
			for i, item := range x {
				var err error
				if out[i], err = walk(item, depth+1); err != nil {
					return nil, err
				}
			}
			return out, nil
		case Object:
			out := newOrdered()
			for _, key := range x.Keys() {
				item, _ := x.Get(key)
				item, err := walk(item, depth+1)
				if err != nil {
					return nil, err
				}
				out.Set(key, item)
			}
			return out, nil
		case map[string]any:
			if isRegex(x) {
				return x, nil
			}
			out := newOrdered()
			for _, key := range sortedKeys(x) {
				item, err := walk(x[key], depth+1)
				if err != nil {
					return nil, err
				}
				out.Set(key, item)
			}
			return out, nil
		}
		return v, nil
	}
	return walk(c.arg(0), 0)
}
