package jsonata

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
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
var textFunctions = []builtin{
	{name: "string", signature: mustSignature("<x-b?:s>"), arity: 1, lists: true, fn: stringOf},
	{name: "length", signature: mustSignature("<s-:n>"), arity: 1, fn: ofText(func(s string) any { return float64(utf8.RuneCountInString(s)) })},
	{name: "substring", signature: mustSignature("<s-nn?:s>"), arity: 3, fn: substring},
	{name: "substringBefore", signature: mustSignature("<s-s:s>"), arity: 2, fn: substringBefore},
	{name: "substringAfter", signature: mustSignature("<s-s:s>"), arity: 2, fn: substringAfter},
	{name: "lowercase", signature: mustSignature("<s-:s>"), arity: 1, fn: ofText(func(s string) any { return lower(s) })},
	{name: "uppercase", signature: mustSignature("<s-:s>"), arity: 1, fn: ofText(func(s string) any { return upper(s) })},
	{name: "trim", signature: mustSignature("<s-:s>"), arity: 1, fn: ofText(trim)},
	{name: "pad", signature: mustSignature("<s-ns?:s>"), arity: 3, fn: pad},
	{name: "join", signature: mustSignature("<a<s>s?:s>"), arity: 2, fn: join},
}

// ofText is a function of one string.
func ofText(f func(s string) any) function {
	return func(c call) (any, error) {
		s, ok := c.args[0].(string)
		if !ok {
			return nil, nil
		}
		return f(s), nil
	}
}

// trim makes one blank of each run of blanks and takes those at the ends away.
func trim(s string) any {
	const blanks = " \t\n\r"
	var b strings.Builder
	for s = strings.Trim(s, blanks); s != ""; s = strings.TrimLeft(s, blanks) {
		word := s
		if end := strings.IndexAny(s, blanks); end >= 0 {
			word = s[:end]
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		s = s[len(word):]
	}
	return b.String()
}

// pad is $pad(text, width, with): filled up behind it, or before it when the width is
// negative.
func pad(c call) (any, error) {
	s, ok := c.args[0].(string)
	width, isNumber := number(c.arg(1))
	if !ok || !isNumber {
		return nil, nil
	}
	with, _ := c.arg(2).(string)
	if with == "" {
		with = " "
	}
	missing := math.Abs(math.Trunc(width)) - float64(utf8.RuneCountInString(s))
	if missing <= 0 {
		return s, nil
	}
	if missing*float64(len(with)) > MaxText {
		return nil, c.tooLong()
	}
	n := int(missing)
	filling := strings.Repeat(with, n/utf8.RuneCountInString(with)+1)
	filling = filling[:byteOfRune(filling, float64(n))]
	if width < 0 {
		return filling + s, c.spend()
	}
	return s + filling, c.spend()
}

func (c *call) tooLong() error {
	return c.fail("size", fmt.Sprintf("makes a string of more than %d MiB", MaxText>>20))
}

func (c *call) tooMany() error {
	return c.fail("size", fmt.Sprintf("would handle more than %d items", maxItems))
}

// stringOf is $string(value, pretty): JSON, but strings as they are and numbers
// with at most 15 digits; of a function the empty text.
func stringOf(c call) (any, error) {
	switch v := c.args[0].(type) {
	case nil:
		return nil, nil
	case string:
		return v, nil
	}
	if isFunction(c.args[0]) {
		return "", nil
	}
	w := writer{ev: c.evaluation, pretty: c.arg(1) == true}
	if err := w.value(plain(c.args[0]), 0); err != nil {
		if errors.Is(err, errTooLong) {
			return nil, c.tooLong()
		}
		if errors.Is(err, value.ErrNotFinite) {
			return nil, c.fail("D3001", "cannot write a number that is not finite")
		}
		return nil, err
	}
	return string(w.out), nil
}

// join is $join(strings, separator).
func join(c call) (any, error) {
	if c.args[0] == nil {
		return nil, nil
	}
	separator, _ := c.arg(1).(string)
	items := c.items(0)
	size := len(separator) * max(0, len(items)-1)
	for _, item := range items {
		s, _ := item.(string)
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
		s, _ := item.(string)
		b.WriteString(s)
	}
	return b.String(), c.spend()
}

// split is $split(text, separator, limit).
func split(c call) (any, error) {
	if c.args[0] == nil {
		return nil, nil
	}
	text := c.args[0].(string)
	limit, err := c.limit(2, "D3020")
	if err != nil {
		return nil, err
	}
	switch separator := c.arg(1).(type) {
	case *regex:
		return splitByPattern(c, separator, text, limit)
	case string:
		if f, ok := number(c.arg(2)); ok && f < float64(limit) {
			limit-- // here a part of a number does not count
		}
		if separator == "" {
			return splitRunes(c, text, limit)
		}
		return splitByText(c, separator, text, limit)
	}
	return nil, c.wrong(1, "a string or a regular expression")
}

func splitByText(c call, separator, text string, limit int) (any, error) {
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
		value.SetString(&out[i], &parts[i])
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
	f, _ := number(c.arg(i))
	switch {
	case f < 0:
		return 0, c.fail(code, "expects a number from 0 as argument "+strconv.Itoa(i+1))
	case f >= none:
		return none, nil
	}
	return int(math.Ceil(f)), nil
}
