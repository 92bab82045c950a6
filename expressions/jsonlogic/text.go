package jsonlogic

import (
	"math"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

func applyCat(run *ruleRun, args []value.Value) (value.Value, error) {
	var b strings.Builder
	if err := run.join(&b, args, "", 0); err != nil {
		return nil, err
	}
	return b.String(), nil
}

// applySubstr is substr(text, start[, length]) in code points; a negative start
// counts from the end, a negative length leaves so many off the end.
func applySubstr(run *ruleRun, args []value.Value) (value.Value, error) {
	s, err := run.text(args[0])
	if err != nil {
		return nil, err
	}
	if err := run.read(len(s)); err != nil {
		return nil, err
	}
	start, err := run.number(args[1])
	if err != nil {
		return nil, err
	}
	total := utf8.RuneCountInString(s)
	from := position(start, total)
	length := float64(total - from)
	if len(args) == 3 {
		length, err = run.substrLength(args[2], total-from)
		if err != nil {
			return nil, err
		}
	}
	to := from + int(math.Max(0, math.Min(length, float64(total-from))))
	return sliceRunes(s, from, to), nil
}

// substrLength is how many of the rest's code points are asked for.
func (r *ruleRun) substrLength(v value.Value, rest int) (float64, error) {
	length, err := r.number(v)
	if err != nil {
		return 0, err
	}
	if length < 0 {
		if kindOf(v) != kindNumber {
			return 0, nil // "-1" is put behind the length there, not added to it
		}
		length += float64(rest)
	}
	if math.IsNaN(length) {
		return 0, nil
	}
	return math.Trunc(length), nil
}

// position is a start in a text of so many code points.
func position(start float64, total int) int {
	if math.IsNaN(start) {
		return 0
	}
	start = math.Trunc(start)
	if start < 0 {
		start = math.Max(0, start+float64(total))
	}
	return int(math.Min(start, float64(total)))
}

// sliceRunes is s from one code point to another; both are inside s.
func sliceRunes(s string, from, to int) string {
	i, start := 0, len(s)
	for offset := range s {
		if i == from {
			start = offset
		}
		if i == to {
			return s[start:offset]
		}
		i++
	}
	return s[start:]
}
