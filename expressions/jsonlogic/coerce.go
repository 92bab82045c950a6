package jsonlogic

import (
	"encoding/json"
	"math"
	"strings"

	"toolgraph/expressions/value"
)

// scriptKind is a value's type in JavaScript.
type scriptKind uint8

const (
	kindUndefined scriptKind = iota
	kindNull
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// undefined is JavaScript's undefined: what a var gives that finds nothing and has no default.
// It is a value inside an evaluation only; ruleRun.finish makes null of it.
type undefined struct{}

func kindOf(v value.Value) scriptKind {
	switch v.(type) {
	case nil:
		return kindNull
	case undefined:
		return kindUndefined
	case bool:
		return kindBool
	case float64, json.Number:
		return kindNumber
	case string:
		return kindString
	case []any:
		return kindArray
	case map[string]any:
		return kindObject
	}
	if v == value.Null {
		return kindNull
	}
	return kindObject
}

// Truth reports whether a value is true for JSON Logic: as in JavaScript, but an empty array is false. A nil value is false.
func Truth(v value.Value) bool {
	switch x := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return x
	case float64:
		return x != 0 && !math.IsNaN(x)
	case string:
		return x != ""
	case []any:
		return len(x) > 0
	case json.Number:
		f := floatOf(x)
		return f != 0 && !math.IsNaN(f)
	case map[string]any:
		return true
	}
	return v != value.Null
}

// number is JavaScript's Number(v).
func (r *ruleRun) number(v value.Value) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case bool:
		if x {
			return 1, nil
		}
		return 0, nil
	case json.Number:
		return floatOf(x), nil
	case string:
		return numberFromText(x), r.read(len(x))
	}
	switch kindOf(v) {
	case kindUndefined:
		return math.NaN(), nil
	case kindNull:
		return 0, nil
	}
	s, err := r.text(v)
	if err != nil {
		return 0, err
	}
	return numberFromText(s), nil
}

// leading is JavaScript's parseFloat(v).
func (r *ruleRun) leading(v value.Value) (float64, error) {
	switch x := v.(type) {
	case float64:
		return x, nil
	case json.Number:
		return floatOf(x), nil
	}
	s, err := r.text(v)
	if err != nil {
		return 0, err
	}
	return numberPrefix(s), r.read(len(s))
}

// text is JavaScript's String(v).
func (r *ruleRun) text(v value.Value) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case []any:
		var b strings.Builder
		if err := r.join(&b, x, ",", 0); err != nil {
			return "", err
		}
		return b.String(), nil
	}
	return scalarText(v), nil
}

func scalarText(v value.Value) string {
	switch x := v.(type) {
	case bool:
		if x {
			return "true"
		}
		return "false"
	case float64:
		return value.NumberText(x)
	case json.Number:
		return string(x)
	case undefined:
		return "undefined"
	}
	if kindOf(v) == kindNull {
		return "null"
	}
	return "[object Object]"
}

// join is JavaScript's Array.join: null and undefined are empty, arrays inside are joined by commas.
func (r *ruleRun) join(b *strings.Builder, items []any, separator string, depth int) error {
	if depth > ruleValueDepth {
		return tooDeep()
	}
	size := 0
	for _, item := range items {
		if s, ok := item.(string); ok {
			size += len(s)
		}
	}
	if b.Len()+size > ruleValueBytes {
		return r.make(b.Len() + size)
	}
	b.Grow(size)
	for i, item := range items {
		if err := r.spend(1); err != nil {
			return err
		}
		if i > 0 {
			if b.Len() >= ruleValueBytes {
				return r.make(ruleValueBytes + 1)
			}
			b.WriteString(separator)
		}
		if inner, ok := item.([]any); ok {
			if err := r.join(b, inner, ",", depth+1); err != nil {
				return err
			}
			continue
		}
		if kindOf(item) <= kindNull {
			continue
		}
		s, ok := item.(string)
		if !ok {
			s = scalarText(item)
		}
		if b.Len()+len(s) > ruleValueBytes {
			return r.make(b.Len() + len(s))
		}
		if err := r.make(len(s)); err != nil {
			return err
		}
		b.WriteString(s)
	}
	return nil
}

// primitive is v, with arrays and objects turned into text.
func (r *ruleRun) primitive(v value.Value) (value.Value, error) {
	if kindOf(v) < kindArray {
		return v, nil
	}
	return r.text(v)
}
