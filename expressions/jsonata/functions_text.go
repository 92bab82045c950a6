package jsonata

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"toolgraph/expressions/value"
)

const (
	// maxText is the longest string in bytes that a function makes.
	maxText = 64 << 20
	// maxItems is the longest array that functions make, and the longest that functions
	// accept which cannot be interrupted.
	maxItems = 2_000_000
)

// textFunctions make strings, within maxText, and end with the evaluation.
var textFunctions = []builtin{
	{name: "string", types: "<x-b?:s>", arity: 1, lists: true, fn: stringOf},
	{name: "length", types: "<s-:n>", arity: 1, fn: ofText(func(s string) any { return float64(utf8.RuneCountInString(s)) })},
	{name: "substring", types: "<s-nn?:s>", arity: 3, fn: withText(substring)},
	{name: "substringBefore", types: "<s-s:s>", arity: 2, fn: withText(substringBefore)},
	{name: "substringAfter", types: "<s-s:s>", arity: 2, fn: withText(substringAfter)},
	{name: "lowercase", types: "<s-:s>", arity: 1, fn: ofText(func(s string) any { return lower(s) })},
	{name: "uppercase", types: "<s-:s>", arity: 1, fn: ofText(func(s string) any { return upper(s) })},
	{name: "trim", types: "<s-:s>", arity: 1, fn: ofText(trim)},
	{name: "pad", types: "<s-ns?:s>", arity: 3, fn: withText(pad)},
	{name: "join", types: "<a<s>s?:s>", arity: 2, fn: join},
}

// withText is a function whose first argument is a string.
func withText(f func(c call, text string) (any, error)) function {
	return func(c call) (any, error) { return f(c, c.string(0)) }
}

// ofText is a function of one string.
func ofText(f func(s string) any) function {
	return withText(func(_ call, text string) (any, error) { return f(text), nil })
}

// trim removes blanks at both ends and replaces each run of blanks by one.
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
func pad(c call, s string) (any, error) {
	width, _ := number(c.arg(1)) // without one nothing is missing
	with := c.string(2)
	if with == "" {
		with = " "
	}
	missing := math.Abs(math.Trunc(width)) - float64(utf8.RuneCountInString(s))
	if missing <= 0 {
		return s, nil
	}
	if missing*float64(len(with)) > maxText {
		return nil, c.tooLong()
	}
	n := int(missing)
	filling := strings.Repeat(with, n/utf8.RuneCountInString(with)+1)
	filling = filling[:byteOfRune(filling, float64(n))]
	if err := c.Make(len(s) + len(filling)); err != nil {
		return nil, err
	}
	if width < 0 {
		return filling + s, nil
	}
	return s + filling, nil
}

// substring is $substring(text, start, length), in characters; a negative start
// counts from the end.
func substring(c call, text string) (any, error) {
	start, isNumber := number(c.arg(1))
	length, isLength := number(c.arg(2))
	switch {
	case isLength && (length <= 0 || !isNumber):
		return "", nil
	case !isNumber:
		return text, nil
	}
	count := float64(utf8.RuneCountInString(text))
	if count+start < 0 {
		start = 0
	}
	from, end := math.Trunc(start), start+length
	if start < 0 {
		end += count
	}
	if from < 0 {
		from += count
	}
	rest := text[byteOfRune(text, from):]
	if !isLength {
		return rest, nil
	}
	return rest[:byteOfRune(rest, math.Trunc(end)-from)], nil
}

func substringBefore(c call, text string) (any, error) {
	chars, ok := c.arg(1).(string)
	if !ok {
		return text, nil
	}
	before, _, _ := strings.Cut(text, chars)
	return before, nil
}

func substringAfter(c call, text string) (any, error) {
	if chars, ok := c.arg(1).(string); !ok {
		return text, nil
	} else if _, after, found := strings.Cut(text, chars); found {
		return after, nil
	}
	return text, nil
}

// byteOfRune is where the n-th character of text begins, or its end.
func byteOfRune(text string, n float64) int {
	if n >= float64(len(text)) {
		return len(text)
	}
	i := 0
	for ; n >= 1 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// upper is $uppercase(text) by Unicode's full mappings, which may make it longer: ß
// becomes SS.
func upper(text string) string {
	if isASCII(text) {
		return strings.ToUpper(text)
	}
	return cases.Upper(language.Und).String(text)
}

// lower is $lowercase(text) by Unicode's full mappings: Σ becomes ς at the end of a word.
func lower(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return cases.Lower(language.Und).String(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (c *call) tooLong() error {
	return c.fail("size", fmt.Sprintf("makes a string of more than %d MiB", maxText>>20))
}

func (c *call) tooMany() error {
	return c.fail("size", fmt.Sprintf("would process more than %d items", maxItems))
}

// stringOf is $string(value, pretty): JSON, but strings as they are and numbers
// with a fraction with at most 15 digits; of a function the empty text.
func stringOf(c call) (any, error) {
	if text, ok := c.args[0].(string); ok {
		return text, nil
	}
	if isFunction(c.args[0]) {
		return "", nil
	}
	if f, isNumber := c.args[0].(float64); isNumber {
		if text, err := textOfNumber(f); err == nil {
			return c.fresh(text), nil
		}
		return nil, c.fail("D3001", "cannot write a number that is not finite")
	}
	w := writer{meter: &c.Meter, pretty: c.arg(1) == true}
	err := w.value(c.plain(c.args[0]), 0)
	if err != nil {
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
	separator := c.string(1)
	items := c.items(0)
	size := len(separator) * max(0, len(items)-1)
	for _, item := range items {
		s, _ := item.(string)
		size += len(s)
	}
	if size > maxText {
		return nil, c.tooLong()
	}
	if err := c.Make(size); err != nil {
		return nil, err
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
	return b.String(), nil
}

// limit is the optional argument i, a number from 0; without it the limit is very large.
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
