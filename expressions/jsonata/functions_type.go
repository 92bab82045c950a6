package jsonata

import "toolgraph/expressions"

// typeFunctions look at a value's type, or end an evaluation with the author's own
// words, which alone may hold values of the context.
var typeFunctions = []builtin{
	{name: "type", signature: mustSignature("<x:s>"), arity: 1, lists: true, fn: typeOf},
	{name: "exists", signature: mustSignature("<x:b>"), arity: 1, lists: true, fn: func(c call) (any, error) { return c.args[0] != nil, nil }},
	{name: "boolean", signature: mustSignature("<x-:b>"), arity: 1, lists: true, fn: boolean(true)},
	{name: "not", signature: mustSignature("<x-:b>"), arity: 1, lists: true, fn: boolean(false)},
	{name: "error", signature: mustSignature("<s?:x>"), arity: 1, fn: func(c call) (any, error) {
		return nil, authorError("D3137", c.arg(0), "$error() function evaluated")
	}},
	{name: "assert", signature: mustSignature("<bs?:x>"), arity: 2, fn: func(c call) (any, error) {
		if c.args[0] == true {
			return nil, nil
		}
		return nil, authorError("D3141", c.arg(1), "$assert() statement failed")
	}},
}

func authorError(code string, message any, otherwise string) error {
	text, _ := message.(string)
	if text == "" {
		text = otherwise
	}
	return &expressions.EvalError{Code: code, Message: text, Offset: -1}
}

func typeOf(c call) (any, error) {
	switch typeLetter(c.args[0]) {
	case 'm':
		return nil, nil
	case 's':
		return "string", nil
	case 'n':
		return "number", nil
	case 'b':
		return "boolean", nil
	case 'l':
		return "null", nil
	case 'a':
		return "array", nil
	case 'f':
		return "function", nil
	}
	return "object", nil
}

func boolean(want bool) function {
	return func(c call) (any, error) {
		if c.args[0] == nil {
			return nil, nil
		}
		return truth(c.args[0]) == want, nil
	}
}
