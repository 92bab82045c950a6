package jsonata

import (
	"errors"
	"fmt"
	"math"

	"toolgraph/expressions/value"
)

// operator is a binary operator.
func (m *machine) operator(n *node, input any, env *bindings) (any, error) {
	left, err := m.eval(n.parts[0], input, env)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case opAnd, opOr:
		if m.truth(left) == (n.op == opOr) {
			return n.op == opOr, nil
		}
		right, err := m.eval(n.parts[1], input, env)
		return m.truth(right), err
	default:
	}
	right, err := m.eval(n.parts[1], input, env)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case opAdd, opSubtract, opMultiply, opDivide, opRemainder:
		return m.compute(n, left, right)
	case opEqual:
		if left == nil || right == nil {
			return false, nil
		}
		return m.equal(left, right)
	case opUnequal:
		if left == nil || right == nil {
			return false, nil
		}
		equal, err := m.equal(left, right)
		return !equal, err
	case opLess, opAtMost, opGreater, opAtLeast:
		return m.comparison(n, left, right)
	case opJoin:
		return m.concatenation(n, left, right)
	case opRange:
		return m.span(n, left, right)
	case opIn:
		return m.includes(left, right)
	case noOperation, opAnd, opOr:
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
	switch n.op {
	case opAdd:
		x += y
	case opSubtract:
		x -= y
	case opMultiply:
		x *= y
	case opDivide:
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

func (m *machine) comparison(n *node, left, right any) (any, error) {
	order, code := m.compare(left, right) // of two values that are missing it charges nothing
	if left == nil || right == nil {
		if left != nil && !comparable(left) || right != nil && !comparable(right) {
			return nil, failure("T2010", n)
		}
		return nil, nil
	}
	if code != "" {
		return nil, failure(code, n)
	}
	switch n.op {
	case opLess:
		return order < 0, nil
	case opAtMost:
		return order <= 0, nil
	case opGreater:
		return order > 0, nil
	default:
		return order >= 0, nil
	}
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
	if size > maxText {
		return nil, &Error{Code: "size", Message: fmt.Sprintf("the operator & joins strings of up to %d MiB", maxText>>20), Offset: n.at}
	}
	if size > 256 { // less is part of the operator's own step
		if err := m.Make(size); err != nil {
			return nil, err
		}
	}
	if x == "" || y == "" { // then the other one is not copied
		return x + y, nil
	}
	return m.fresh(x + y), nil
}

// text is the operand of & as a string; undefined is empty.
func (m *machine) text(v any) (string, error) {
	switch x := v.(type) {
	case nil:
		return "", nil
	case string:
		return x, nil
	case float64:
		if text, err := textOfNumber(x); err == nil {
			return text, nil
		}
	}
	value, err := stringOf(call{machine: m, name: "string", args: []any{v}})
	text, _ := value.(string)
	return text, err
}

// mostBoxed is the longest text in bytes that shares memory with its neighbours: it keeps them there.
const mostBoxed = 64

// fresh is a text that was just made as a value. One that is a part of another text is not fresh: its neighbours
// would keep the whole one in memory.
func (m *machine) fresh(text string) any {
	if len(text) > mostBoxed {
		return text
	}
	return m.box.String(text)
}

// maxRange is the longest range a..b, as in jsonata-js.
const maxRange = 10_000_000

const (
	// batch is how many items functions make between two charges.
	batch = 1024
	// itemBytes is the memory of an item of an array, and of a number in it.
	itemBytes = 24
)

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
		if out = append(out, b.Number(f)); len(out)%batch == 0 {
			if err := m.Make(batch * itemBytes); err != nil {
				return nil, err
			}
		}
	}
	return sequenceOf(out), m.Make(len(out) % batch * itemBytes)
}

// includes reports whether an array holds a value: the same scalar, or the very same
// array or object.
func (m *machine) includes(left, right any) (bool, error) {
	if left == nil || right == nil {
		return false, nil
	}
	items, ok := itemsOf(right)
	if !ok {
		items = []any{right}
	}
	text, _ := left.(string)
	each := 1 + len(text)>>8
	for _, item := range items {
		if err := m.Spend(each); err != nil {
			return false, err
		}
		if value.SameScalar(left, item) || identical(left, item) {
			return true, nil
		}
	}
	return false, nil
}

// identical reports whether a and b are one array or object.
func identical(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && len(x) > 0 && len(x) == len(y) && &x[0] == &y[0]
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && sameMap(x, y)
	}
	return false
}

// equal is the operator =.
func (m *machine) equal(a, b any) (bool, error) {
	equal, err := value.Equal(&m.Meter, a, b)
	if errors.Is(err, value.ErrTooDeep) {
		return false, &Error{Code: "depth", Message: "the values to compare are " + err.Error(), Offset: -1}
	}
	return equal, err
}

func isObject(v any) bool {
	_, ok := value.ObjectOf(v)
	return ok
}
