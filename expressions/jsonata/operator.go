package jsonata

import (
	"encoding/json"
	"fmt"
	"math"

	"toolgraph/expressions"
	"toolgraph/expressions/value"
)

// operator is a binary operator.
func (m *machine) operator(n *node, input any, env *bindings) (any, error) {
	left, err := m.eval(n.parts[0], input, env)
	if err != nil {
		return nil, err
	}
	switch n.text {
	case "and", "or":
		if truth(left) == (n.text == "or") {
			return n.text == "or", nil
		}
		right, err := m.eval(n.parts[1], input, env)
		return truth(right), err
	}
	right, err := m.eval(n.parts[1], input, env)
	if err != nil {
		return nil, err
	}
	switch n.text {
	case "+", "-", "*", "/", "%":
		return m.compute(n, left, right)
	case "=":
		return left != nil && right != nil && equal(left, right), nil
	case "!=":
		return left != nil && right != nil && !equal(left, right), nil
	case "<", "<=", ">", ">=":
		return comparison(n, left, right)
	case "&":
		return m.concatenation(n, left, right)
	case "..":
		return m.span(n, left, right)
	case "in":
		return includes(left, right), nil
	}
	return nil, failure("internal", n)
}

func (m *machine) compute(n *node, left, right any) (any, error) {
	x, ok := number(left)
	switch {
	case left != nil && (!ok || math.IsNaN(x)):
		return nil, arithmeticError("T2001", n)
	case math.IsInf(x, 0):
		return nil, failure("D1001", n)
	}
	y, ok := number(right)
	switch {
	case right != nil && (!ok || math.IsNaN(y)):
		return nil, arithmeticError("T2002", n)
	case math.IsInf(y, 0):
		return nil, failure("D1001", n)
	case left == nil || right == nil:
		return nil, nil
	}
	switch n.text {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	case "/":
		x /= y
	default:
		x = math.Mod(x, y)
	}
	return m.box.Number(x), nil
}

func arithmeticError(code string, n *node) error {
	err := failure(code, n)
	if n.text == "+" {
		err.Message += "; use & to join strings"
	}
	return err
}

func comparison(n *node, left, right any) (any, error) {
	order, code := compare(left, right)
	if left == nil || right == nil {
		if left != nil && !comparable(left) || right != nil && !comparable(right) {
			return nil, failure("T2010", n)
		}
		return nil, nil
	}
	if code != "" {
		return nil, failure(code, n)
	}
	switch n.text {
	case "<":
		return order < 0, nil
	case "<=":
		return order <= 0, nil
	case ">":
		return order > 0, nil
	}
	return order >= 0, nil
}

func comparable(v any) bool {
	_, isNumber := number(v)
	_, isText := v.(string)
	return isNumber || isText
}

func (m *machine) concatenation(n *node, left, right any) (any, error) {
	x, err := m.text(left)
	if err != nil {
		return nil, err
	}
	y, err := m.text(right)
	if err != nil {
		return nil, err
	}
	size := len(x) + len(y)
	if size > MaxText {
		return nil, &expressions.EvalError{Code: "size", Message: fmt.Sprintf("the operator & joins strings of up to %d MiB", MaxText>>20), Offset: n.at}
	}
	if size > 1<<16 {
		if err := m.spend(); err != nil {
			return nil, err
		}
	}
	return x + y, nil
}

// text is the operand of & as a string; undefined is empty.
func (m *machine) text(v any) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	}
	value, err := stringOf(call{machine: m, name: "string", args: []any{v}})
	text, _ := value.(string)
	return text, err
}

// maxRange is the longest range a..b, as in jsonata-js.
const maxRange = 10_000_000

// span is a..b.
func (m *machine) span(n *node, left, right any) (any, error) {
	first, ok := number(left)
	if left != nil && (!ok || first != math.Trunc(first)) {
		return nil, failure("T2003", n)
	}
	last, ok := number(right)
	switch {
	case right != nil && (!ok || last != math.Trunc(last)):
		return nil, failure("T2004", n)
	case left == nil || right == nil || first > last:
		return nil, nil
	case last-first+1 > maxRange:
		return nil, failure("D2014", n)
	}
	out := make([]any, 0, int(last-first)+1)
	var b value.Box
	for f := first; f <= last; f++ {
		if out = append(out, b.Number(f)); len(out)%(16*spendEvery) == 0 {
			if err := m.spend(); err != nil {
				return nil, err
			}
		}
	}
	return sequenceOf(out), m.spend()
}

// includes reports whether an array holds a value: the same scalar, or the very same
// array or object.
func includes(left, right any) bool {
	if left == nil || right == nil {
		return false
	}
	items, ok := itemsOf(right)
	if !ok {
		items = []any{right}
	}
	for _, item := range items {
		if scalarEqual(left, item) || identical(left, item) {
			return true
		}
	}
	return false
}

// identical reports whether a and b are one array, object or function.
func identical(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && len(x) > 0 && len(x) == len(y) && &x[0] == &y[0]
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && sameMap(x, y)
	case *list, *value.Map, *lambda, *builtin, *regex:
		return a == b
	}
	return false
}

func scalarEqual(a, b any) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case float64, json.Number:
		return numbersEqual(a, b)
	case value.NullType:
		return value.IsNull(b)
	}
	return a == nil && b == nil
}

// numbersEqual compares two numbers; integers beyond 2^53 by their digits.
func numbersEqual(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		if y, ok := b.(json.Number); ok {
			return x == y
		}
	}
	x, aNumber := number(a)
	y, bNumber := number(b)
	return aNumber && bNumber && x == y
}

// equal is the operator =: arrays and objects by their contents, whatever the order
// of keys.
func equal(a, b any) bool {
	if items, ok := itemsOf(a); ok {
		others, ok := itemsOf(b)
		if !ok || len(items) != len(others) {
			return false
		}
		for i := range items {
			if !equal(items[i], others[i]) {
				return false
			}
		}
		return true
	}
	x, ok := value.ObjectOf(a)
	if !ok {
		return scalarEqual(a, b) || identical(a, b)
	}
	y, ok := value.ObjectOf(b)
	if !ok || x.Len() != y.Len() {
		return false
	}
	for _, key := range x.Keys() {
		item, _ := x.Get(key)
		if other, ok := y.Get(key); !ok || !equal(item, other) {
			return false
		}
	}
	return true
}

func isObject(v any) bool {
	_, ok := value.ObjectOf(v)
	return ok
}
