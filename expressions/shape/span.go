package shape

import (
	"math"
	"slices"

	"toolgraph/expressions/value"
)

// span is a range of numbers, both ends included; an open end is infinite.
type span struct{ least, most float64 }

var allNumbers = span{least: math.Inf(-1), most: math.Inf(1)}

// between returns the shape of the numbers of a range.
func between(least, most float64, whole bool) Shape {
	return shapeOf(alternatives{kinds: kindNumber, whole: whole, span: &span{least: least, most: most}})
}

// Counting returns the shape of the whole numbers from 0, such as an index or a count.
func Counting() Shape { return between(0, math.Inf(1), true) }

// numberSpan returns the range of the numbers of the shape; all numbers when it has none.
func (a *alternatives) numberSpan() span {
	switch {
	case len(a.numbers) > 0:
		return span{least: slices.Min(a.numbers), most: slices.Max(a.numbers)}
	case a.span != nil:
		return *a.span
	}
	return allNumbers
}

// uniteSpans returns the range of the numbers of both shapes; nil for all numbers.
func uniteSpans(a, b *alternatives) *span {
	switch {
	case !a.kinds.has(kindNumber):
		return b.span
	case !b.kinds.has(kindNumber):
		return a.span
	}
	one, other := a.numberSpan(), b.numberSpan()
	return &span{min(one.least, other.least), max(one.most, other.most)}
}

// tidySpan drops a range that says nothing, or less than the listed numbers.
func (a *alternatives) tidySpan() {
	if a.span != nil && (!a.kinds.has(kindNumber) || a.numbers != nil || math.IsInf(a.span.least, -1) && math.IsInf(a.span.most, 1)) {
		a.span = nil
	}
}

func sameSpan(a, b *span) bool { return a == b || a != nil && b != nil && *a == *b }

// apart reports whether the numbers of two shapes have nothing in common, as far as their ranges say.
func (a *alternatives) apart(b *alternatives) bool {
	one, other := a.numberSpan(), b.numberSpan()
	return one.most < other.least || other.most < one.least
}

func (s span) has(f float64) bool { return s.least <= f && f <= s.most }

// largestInteger is the bound that generators of schemas give every integer: no bound.
const largestInteger = 1<<53 - 1

// spanOf returns the range that a schema gives numbers; nil for all.
func spanOf(schema value.Value) *span {
	s := allNumbers
	for _, keyword := range []string{"minimum", "exclusiveMinimum"} {
		if f, isNumber := member(schema, keyword).(float64); isNumber && f > -largestInteger {
			s.least = max(s.least, f)
		}
	}
	for _, keyword := range []string{"maximum", "exclusiveMaximum"} {
		if f, isNumber := member(schema, keyword).(float64); isNumber && f < largestInteger {
			s.most = min(s.most, f)
		}
	}
	return &s
}

// bounds returns the keywords of a schema for the range.
func (s *span) bounds() (keywords []keyword) {
	if s == nil {
		return nil
	}
	if !math.IsInf(s.least, 0) {
		keywords = append(keywords, keyword{"minimum", s.least})
	}
	if !math.IsInf(s.most, 0) {
		keywords = append(keywords, keyword{"maximum", s.most})
	}
	return keywords
}
