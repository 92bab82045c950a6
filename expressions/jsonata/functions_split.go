package jsonata

import (
	"math"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// split is $split(text, separator, limit).
func split(c call) (any, error) {
	text := c.string(0)
	limit, err := c.limit(2, "D3020")
	if err != nil {
		return nil, err
	}
	switch separator := c.arg(1).(type) {
	case *regex:
		return splitByPattern(c, separator, text, limit)
	case string:
		if f, ok := number(c.arg(2)); ok && f < float64(limit) {
			limit-- // a fraction of an item does not count here
		}
		if separator == "" {
			return splitRunes(c, text, limit)
		}
		return splitByText(c, separator, text, limit)
	}
	return nil, c.wrong(1, "a string or a regular expression")
}

func splitByText(c call, separator, text string, limit int) (any, error) {
	count, err := c.countOf(text, separator, limit)
	if err != nil {
		return nil, err
	}
	parts, out := make([]string, count), make([]any, count)
	for i := range parts {
		end, next := len(text), len(text)
		if found := indexOfText(text, separator); found >= 0 {
			end, next = found, found+len(separator)
		}
		parts[i] = text[:end] // once: the collector follows each pointer that is written while it marks
		value.SetString(&out[i], &parts[i])
		text = text[next:]
	}
	return out, nil
}

// countOf returns how many parts a text has, limit at most, and counts them as made.
func (c *call) countOf(text, separator string, limit int) (int, error) {
	count := min(strings.Count(text, separator)+1, limit)
	if count > maxItems {
		return 0, c.tooMany()
	}
	return count, c.Make(count * itemBytes)
}

// indexOfText is strings.Index without its calls for one byte, as most separators are.
func indexOfText(text, separator string) int {
	if len(separator) == 1 {
		return strings.IndexByte(text, separator[0])
	}
	return strings.Index(text, separator)
}

func splitRunes(c call, text string, limit int) (any, error) {
	count := min(utf8.RuneCountInString(text), limit)
	if count > maxItems {
		return nil, c.tooMany()
	}
	if err := c.Make(count * itemBytes); err != nil {
		return nil, err
	}
	parts := make([]any, 0, count)
	for len(parts) < count {
		_, size := utf8.DecodeRuneInString(text)
		parts = append(parts, text[:size])
		text = text[size:]
	}
	return parts, nil
}

// countsParts reports whether a call is $count($split(text, separator)) as it is written. How many parts a text has
// is known without the parts, which are most of the work.
func countsParts(n *node) bool {
	calls := func(n *node, name string, args int) bool {
		return n.kind == nodeCall && len(n.parts) == args && n.fn.kind == nodeVariable && n.fn.bare && n.fn.text == name
	}
	return calls(n, "count", 1) && calls(n.parts[0], "split", 2) && n.parts[0].bare && !n.parts[0].keepArray
}

// countParts is the value of such a call. It is charged as if the parts were made, so that limits hold for the same
// texts. It is not ok, and nothing is evaluated yet, when the expression has other functions of these names.
func (m *machine) countParts(n *node, input any, env *bindings) (_ any, ok bool, _ error) {
	inner := n.parts[0]
	for _, name := range []string{n.fn.text, inner.fn.text} {
		if _, bound := env.lookup(name); bound || m.depth+2 > maxOpen {
			return nil, false, nil
		}
	}
	for range 2 { // the nodes of $count and of the call of $split
		if err := m.Spend(1); err != nil {
			return nil, true, err
		}
	}
	defer m.stack.Cut(m.stack.Top())
	m.depth++
	fn, args, err := m.callee(inner, input, env, nil)
	m.depth--
	if err != nil {
		return nil, true, err
	}
	text, isText := args[0].(string)
	separator, isString := args[1].(string)
	if !isText || !isString || separator == "" {
		parts, err := m.apply(fn, args, input)
		if l, isList := parts.(*list); isList {
			parts = l.collapsed()
		}
		if err != nil {
			return nil, true, placed(err, inner)
		}
		found, err := m.apply(n.fn.builtin, []any{parts}, input)
		return found, true, placed(err, n)
	}
	if err := m.Spend(lengthOf(args)); err != nil {
		return nil, true, err
	}
	c := call{machine: m, name: "split", args: args}
	found, err := c.countOf(text, separator, math.MaxInt32)
	if err == nil {
		err = m.Items(found)
	}
	return m.box.Number(float64(found)), true, placed(err, inner)
}
