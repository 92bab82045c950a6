package jsonata

// typeFunctions return a value's type, or end an evaluation with the author's own words,
// the only message that may contain values of the context.
var typeFunctions = []builtin{
	{name: "type", types: "<x:s>", arity: 1, lists: true, fn: typeOf},
	{name: "exists", types: "<x:b>", arity: 1, lists: true, total: true, fn: func(c call) (any, error) { return c.args[0] != nil, nil }},
	{name: "boolean", types: "<x-:b>", arity: 1, lists: true, fn: boolean},
	{name: "not", types: "<x-:b>", arity: 1, lists: true, fn: not},
	{name: "error", types: "<s?:x>", arity: 1, total: true, fn: func(c call) (any, error) {
		err := authorError("D3137", c.arg(0), "$error() function evaluated")
		err.Raised = err.Message
		return nil, err
	}},
	{name: "assert", types: "<bs?:x>", arity: 2, total: true, fn: func(c call) (any, error) {
		if c.args[0] == true {
			return nil, nil
		}
		return nil, authorError("D3141", c.arg(1), "$assert() statement failed")
	}},
}

func authorError(code string, message any, otherwise string) *Error {
	text, _ := message.(string)
	if text == "" {
		text = otherwise
	}
	return &Error{Code: code, Message: text, Offset: -1}
}

var typeNames = map[byte]string{
	's': "string", 'n': "number", 'b': "boolean", 'l': "null", 'a': "array", 'f': "function", 'o': "object",
}

func typeOf(c call) (any, error) { return typeNames[typeLetter(c.args[0])], nil }

func boolean(c call) (any, error) {
	v := c.args[0]
	for items, ok := itemsOf(v); ok && len(items) == 1; items, ok = itemsOf(v) {
		v = items[0]
	}
	if v == nil { // an array of an undefined value, as a predicate can find it
		return nil, nil
	}
	return c.truth(v), nil
}

func not(c call) (any, error) { return !c.truth(c.args[0]), nil }
