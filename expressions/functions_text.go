package expressions

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	// MaxText is the longest string in bytes that a function makes.
	MaxText = 64 << 20
	// maxItems is the longest array that functions take which cannot be interrupted,
	// and the longest that our own make.
	maxItems = 2_000_000
	// spendEvery is after how many units of work our functions look at the budget.
	spendEvery = 4096
)

// textFunctions make strings, within MaxText, and end with the evaluation.
var textFunctions = map[string]function{
	"string": stringOf,
	"join":   join,
	"split":  split,

	"substring": substring,
}

func (c *call) tooLong() error {
	return c.fail("size", fmt.Sprintf("makes a string of more than %d MiB", MaxText>>20))
}

func (c *call) tooMany() error {
	return c.fail("size", fmt.Sprintf("would handle more than %d items", maxItems))
}

// stringOf is $string(value, pretty): JSON, but strings as they are and numbers
// with at most 15 digits.
func stringOf(c call) (any, error) {
	if len(c.args) > 2 {
		return nil, c.fail("T0410", "expects at most two arguments")
	}
	value := c.arg(0)
	if len(c.args) == 0 {
		if value = c.focus; isFunction(value) && !isNull(value) {
			return nil, nil
		}
	}
	pretty, ok := c.arg(1).(bool)
	switch {
	case !ok && c.arg(1) != nil:
		return nil, c.wrong(1, "true or false")
	case value == nil:
		return nil, nil
	}
	if s, ok := value.(string); ok {
		return s, nil
	}
	w := writer{ev: c.evaluation, pretty: pretty}
	if err := w.value(value, 0); err != nil {
		if errors.Is(err, errTooLong) {
			return nil, c.tooLong()
		}
		if errors.Is(err, errNotFinite) {
			return nil, c.fail("D3001", "cannot write a number that is not finite")
		}
		return nil, err
	}
	return string(w.out), nil
}

// join is $join(strings, separator).
func join(c call) (any, error) {
	if len(c.args) == 0 {
		return nil, c.fail("T0410", "expects an array of strings as argument 1")
	}
	items, ok := c.args[0].([]any)
	if !ok {
		// One string, nothing, or an error.
		return c.engine("join", c.args)
	}
	separator := ""
	if c.arg(1) != nil {
		var err error
		if separator, err = c.text(1); err != nil {
			return nil, err
		}
	}
	size := len(separator) * max(0, len(items)-1)
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return nil, c.fail("T0412", "expects an array of strings as argument 1")
		}
		size += len(s)
	}
	if size > MaxText {
		return nil, c.tooLong()
	}
	var b strings.Builder
	b.Grow(size)
	for i, item := range items {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(item.(string))
	}
	return b.String(), nil
}

// split is $split(text, separator, limit).
func split(c call) (any, error) {
	text, isText := c.arg(0).(string)
	separator, isSeparator := c.arg(1).(string)
	_, isPattern := c.arg(1).(map[string]any)
	if !isText || !isSeparator && !isPattern {
		return c.engine("split", c.args)
	}
	limit, err := c.limit(2, "D3020")
	if err != nil {
		return nil, err
	}
	if isPattern {
		return splitByPattern(c, text, limit)
	}
	if separator == "" {
		return splitRunes(c, text, limit)
	}
	count := min(strings.Count(text, separator)+1, limit)
	if count > maxItems {
		return nil, c.tooMany()
	}
	parts, out := make([]string, count), make([]any, count)
	for i := range parts {
		parts[i] = text
		if end := strings.Index(text, separator); end >= 0 {
			parts[i], text = text[:end], text[end+len(separator):]
		}
		setString(&out[i], &parts[i])
	}
	return out, nil
}

func splitRunes(c call, text string, limit int) (any, error) {
	count := min(utf8.RuneCountInString(text), limit)
	if count > maxItems {
		return nil, c.tooMany()
	}
	parts := make([]any, 0, count)
	for len(parts) < count {
		_, size := utf8.DecodeRuneInString(text)
		parts = append(parts, text[:size])
		text = text[size:]
	}
	return parts, nil
}

// limit is the optional argument i, a number from 0; without it there is none.
func (c *call) limit(i int, code string) (int, error) {
	const none = math.MaxInt32
	if c.arg(i) == nil {
		return none, nil
	}
	f, ok := number(c.arg(i))
	switch {
	case !ok:
		return 0, c.wrong(i, "a number")
	case f < 0:
		return 0, c.fail(code, "expects a number from 0 as argument "+string(rune('1'+i)))
	case f >= none:
		return none, nil
	}
	return int(f), nil
}
