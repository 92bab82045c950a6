package jsonlogic

import (
	"errors"
	"strings"

	"toolgraph/expressions/value"
)

// loose is JavaScript's a == b, but that arrays and objects are equal when their
// contents are.
func (r *ruleRun) loose(a, b value.Value) (bool, error) {
	ka, kb := kindOf(a), kindOf(b)
	switch {
	case ka == kb:
		return r.equal(a, b)
	case ka <= kindNull || kb <= kindNull:
		return max(ka, kb) == kindNull, nil
	case ka >= kindArray && kb >= kindArray:
		return false, nil
	}
	a, err := r.primitive(a)
	if err != nil {
		return false, err
	}
	if b, err = r.primitive(b); err != nil {
		return false, err
	}
	if kindOf(a) == kindString && kindOf(b) == kindString {
		return a == b, nil
	}
	// Kinds that differ meet as numbers; one that is a number already keeps its digits.
	x, err := r.comparable(a)
	if err != nil {
		return false, err
	}
	y, err := r.comparable(b)
	if err != nil {
		return false, err
	}
	order, ok := compareNumbers(x, y)
	return ok && order == 0, nil
}

// same is equality without conversion: JavaScript's ===, and contents for arrays
// and objects.
func (r *ruleRun) same(a, b value.Value) (bool, error) { return r.equal(a, b) }

// equal compares arrays and objects by their contents.
func (r *ruleRun) equal(a, b value.Value) (bool, error) {
	if err := r.spend(1); err != nil {
		return false, err
	}
	equal, err := value.EqualBy(&r.Meter, a, b, sameScalar)
	switch {
	case errors.Is(err, value.ErrTooDeep):
		return false, tooDeep()
	case err != nil:
		return false, r.failure()
	}
	return equal, nil
}

// sameScalar reports whether two values that are neither arrays nor objects are the same.
func sameScalar(a, b value.Value) bool {
	kind := kindOf(a)
	switch {
	case kind != kindOf(b):
		return false
	case kind == kindNumber:
		order, ok := compareNumbers(a, b)
		return ok && order == 0
	case kind <= kindNull:
		return true
	}
	return a == b
}

// order is JavaScript's a < b and its kin; ok is false where nothing holds, as
// with NaN.
func (r *ruleRun) order(a, b value.Value) (order int, ok bool, err error) {
	if a, err = r.primitive(a); err != nil {
		return 0, false, err
	}
	if b, err = r.primitive(b); err != nil {
		return 0, false, err
	}
	s, isText := a.(string)
	if t, ok := b.(string); ok && isText {
		return value.CompareText(s, t), true, r.read(min(len(s), len(t)))
	}
	x, err := r.comparable(a)
	if err != nil {
		return 0, false, err
	}
	y, err := r.comparable(b)
	if err != nil {
		return 0, false, err
	}
	order, ok = compareNumbers(x, y)
	return order, ok, nil
}

// comparable is v as a number; a number stays as it is, with all its digits.
func (r *ruleRun) comparable(v value.Value) (value.Value, error) {
	if kindOf(v) == kindNumber {
		return v, nil
	}
	return r.number(v)
}

// contains is JSON Logic's "in": text in text, or an element of an array. undefined is in none
// (JavaScript looks for the word in a text).
func (r *ruleRun) contains(list, item value.Value) (bool, error) {
	if kindOf(item) == kindUndefined {
		return false, nil
	}
	switch x := list.(type) {
	case string:
		if x == "" {
			return false, nil
		}
		s, err := r.text(item)
		if err != nil {
			return false, err
		}
		return strings.Contains(x, s), r.read(len(x))
	case []any:
		for _, element := range x {
			if same, err := r.equal(element, item); same || err != nil {
				return same, err
			}
		}
		if err := r.spend(len(x)); err != nil {
			return false, err
		}
	}
	return false, nil
}

// fieldOf is the value at a key of an object; false for anything but an object.
func fieldOf(v value.Value, key string) (value.Value, bool) {
	o, ok := value.ObjectOf(v)
	if !ok {
		return nil, false
	}
	item, ok := o.Get(key)
	if ok && item == nil {
		return value.Null, true
	}
	return item, ok
}
