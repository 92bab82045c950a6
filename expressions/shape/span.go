package shape

import (
	"math"
	"slices"

	"toolgraph/expressions/value"
)

// span is a range of numbers; an open end is infinite. The ends are included, unless it says otherwise.
type span struct {
	least, most           float64
	aboveLeast, belowMost bool // least, and most, are not included
	computed              bool // the ends are computed from other ranges: no value needs to reach them
}

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

// uniteSpans returns the range of the numbers of both shapes; nil for all numbers. An end that a computed range moves is open,
// so that a loop that counts does not move it again and again.
func uniteSpans(a, b *alternatives) *span {
	switch {
	case !a.kinds.has(kindNumber):
		return b.span
	case !b.kinds.has(kindNumber):
		return a.span
	}
	one, other := a.numberSpan(), b.numberSpan()
	all := span{least: min(one.least, other.least), most: max(one.most, other.most), computed: one.computed || other.computed}
	all.aboveLeast = !one.reachesDown(all.least) && !other.reachesDown(all.least)
	all.belowMost = !one.reachesUp(all.most) && !other.reachesUp(all.most)
	if one.computed && one.least < other.least || other.computed && other.least < one.least {
		all.least = math.Inf(-1)
	}
	if one.computed && one.most > other.most || other.computed && other.most > one.most {
		all.most = math.Inf(1)
	}
	return &all
}

// reachesDown reports whether a range includes a lower end, or goes beyond it.
func (s span) reachesDown(end float64) bool { return s.least < end || s.least == end && !s.aboveLeast }

// reachesUp reports whether a range includes an upper end, or goes beyond it.
func (s span) reachesUp(end float64) bool { return s.most > end || s.most == end && !s.belowMost }

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
	return !one.reachesUp(other.least) || !other.reachesDown(one.most) || !other.reachesUp(one.least) || !one.reachesDown(other.most)
}

func (s span) has(f float64) bool { return s.reachesDown(f) && s.reachesUp(f) }

// largestInteger is the bound that generators of schemas give every integer: no bound.
const largestInteger = 1<<53 - 1

// spanOf returns the range that a schema gives numbers, of which only integers count when whole.
func spanOf(schema value.Value, whole bool) *span {
	s := allNumbers
	if f, isNumber := member(schema, "minimum").(float64); isNumber && f > -largestInteger {
		s.least = f
	}
	if f, isNumber := member(schema, "maximum").(float64); isNumber && f < largestInteger {
		s.most = f
	}
	if f, isNumber := member(schema, "exclusiveMinimum").(float64); isNumber && f > -largestInteger && s.reachesDown(f) {
		s.least, s.aboveLeast = f, true
	}
	if f, isNumber := member(schema, "exclusiveMaximum").(float64); isNumber && f < largestInteger && s.reachesUp(f) {
		s.most, s.belowMost = f, true
	}
	if whole && s.aboveLeast {
		s.least, s.aboveLeast = math.Floor(s.least)+1, false
	}
	if whole && s.belowMost {
		s.most, s.belowMost = math.Ceil(s.most)-1, false
	}
	return &s
}

// bounds returns the keywords of a schema for the range.
func (s *span) bounds() (keywords []keyword) {
	if s == nil || s.computed {
		return nil
	}
	least, most := "minimum", "maximum"
	if s.aboveLeast {
		least = "exclusiveMinimum"
	}
	if s.belowMost {
		most = "exclusiveMaximum"
	}
	if !math.IsInf(s.least, 0) {
		keywords = append(keywords, keyword{least, s.least})
	}
	if !math.IsInf(s.most, 0) {
		keywords = append(keywords, keyword{most, s.most})
	}
	return keywords
}
