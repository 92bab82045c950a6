package jsonlogic

import (
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// rulePath is a var's string where it is no more than names and dots, which is
// most often: walked without an expression's set-up.
type rulePath struct {
	steps  []string
	offset int  // of the first step in the string
	outer  bool // begins with $ctx
	// indexed is set when a step is a number, which JSON Logic knows and JSONata
	// does not: such a path is never an expression.
	indexed bool
}

// parseRulePath reads $.a.b, $ctx.a.b, a.b and a.0.b; false for what is more than that.
func parseRulePath(s string) (rulePath, bool) {
	var p rulePath
	switch {
	case s == "$" || s == "$$":
		return p, true
	case s == "$ctx":
		p.outer = true
		return p, true
	case strings.HasPrefix(s, "$ctx."):
		p.outer, p.offset = true, len("$ctx.")
	case strings.HasPrefix(s, "$."):
		p.offset = len("$.")
	case strings.HasPrefix(s, "$$."):
		p.offset = len("$$.")
	}
	for step := range strings.SplitSeq(s[p.offset:], ".") {
		switch {
		case isIndex(step):
			p.indexed = true
		case !isFieldName(step):
			return p, false
		}
		p.steps = append(p.steps, step)
	}
	return p, true
}

func isIndex(s string) bool { return s != "" && countDigits(s) == len(s) }

// isFieldName reports whether JSONata reads s as a field's name wherever it stands.
func isFieldName(s string) bool {
	switch s {
	case "", "and", "or", "in", "true", "false", "null", "function":
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// walk follows the steps; nil is nothing there. It gives up, with ok false, where
// a name meets an array: what that means is for JSONata to say.
func (p rulePath) walk(v value.Value) (found value.Value, ok bool) {
	if p.indexed {
		return walkIndexed(v, p.steps), true
	}
	for _, step := range p.steps {
		if _, isArray := v.([]any); isArray {
			return nil, false
		}
		if v, ok = fieldOf(v, step); !ok || v == nil {
			return nil, true
		}
	}
	return v, true
}

// walkIndexed follows a path as JSON Logic itself does: numbers are indexes, and a
// name has nothing to say about an array.
func walkIndexed(v value.Value, steps []string) value.Value {
	for _, step := range steps {
		switch x := v.(type) {
		case []any:
			v = elementAt(x, step)
		case string:
			v = letterAt(x, step)
		default:
			v, _ = fieldOf(v, step)
		}
		if v == nil {
			return nil
		}
	}
	return v
}

func elementAt(items []any, step string) value.Value {
	i, ok := indexOf(step)
	if !ok || i >= len(items) {
		return nil
	}
	if items[i] == nil {
		return value.Null
	}
	return items[i]
}

func letterAt(s, step string) value.Value {
	i, ok := indexOf(step)
	if !ok || i >= len(s) {
		return nil
	}
	for _, r := range s {
		if i == 0 {
			return string(r)
		}
		i--
	}
	return nil
}

// indexOf reads an index as JavaScript writes it: 01 is a name.
func indexOf(step string) (int, bool) {
	if !isIndex(step) || len(step) > 1 && step[0] == '0' {
		return 0, false
	}
	i, err := strconv.Atoi(step)
	return i, err == nil
}
