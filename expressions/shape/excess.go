package shape

import (
	"math"
	"slices"
	"strconv"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Excess is a part of a value that only some values of a shape have as an expected shape wants it.
type Excess struct {
	Path     []string // names of fields; "[]" for the items of an array
	Found    string   // what such a value may be, for people; "missing" for a field that it may not have
	Expected string   // what is expected instead, for people
	Word     string   // the string that is not expected, when it is one
	AnyText  bool     // the value may be any text
	Null     bool     // the value may be null
	Several  bool     // the value is a list when there are several, where one is expected
	Extra    bool     // the value may have the last field of Path, which is not expected
	Empty    bool     // of a missing field: its value is missing because a list is empty; set by the user of the package
	Fraction bool     // the value may be a number with a fraction, where an integer is expected
}

// Exceeds returns the parts of values of the shape that the expected shape allows only sometimes, as far as schemas and
// constants say so: a string or a number beside those that are expected, a range that is wider, and an optional field that is
// required.
func (s Shape) Exceeds(expected Shape) []Excess { return s.exceeds(expected, nil, nil, 0) }

func (s Shape) exceeds(expected Shape, found []Excess, path []string, depth int) []Excess {
	if s.IsAny() || expected.IsAny() || depth > maxDepth {
		return found
	}
	a, b := s.get(), expected.get()
	add := func(e Excess) {
		e.Path = path
		found = append(found, e)
	}
	if a.kinds.has(kindString) && b.kinds.has(kindString) && b.strings != nil {
		for _, word := range a.strings {
			if !slices.Contains(b.strings, word) {
				add(Excess{Found: strconv.Quote(word), Expected: expected.only(kindString).String(), Word: word})
				break
			}
		}
	}
	if a.kinds == kindString && a.strings == nil && b.kinds == kindString && b.strings != nil {
		add(Excess{Found: "any text", Expected: expected.String(), AnyText: true})
	}
	if a.kinds.has(kindNumber) && b.kinds.has(kindNumber) {
		if beyond, is := a.beyond(b); is {
			add(Excess{Found: value.NumberText(beyond), Expected: b.spanText()})
		} else if a.kinds&^kindNumber == 0 && b.whole && !a.allWhole() {
			add(Excess{Found: "a number with a fraction", Expected: "an integer", Fraction: true})
		}
	}
	if a.kinds.has(kindNull) && a.kinds&b.kinds != 0 && !b.kinds.has(kindNull) && a.kinds&kindValue != kindValue {
		add(Excess{Found: "null", Expected: expected.String(), Null: true})
	}
	if s.severalFor(b.kinds) {
		add(Excess{Found: "a list", Expected: expected.String(), Several: true})
	}
	if a.kinds.has(kindArray) && b.kinds.has(kindArray) {
		found = a.items.exceeds(b.items, found, below(path, "[]"), depth+1)
	}
	if a.kinds.has(kindObject) && b.kinds.has(kindObject) {
		for _, f := range b.fields {
			own, known := a.field(f.Name)
			switch {
			case !known && !f.Optional && a.rest == declared:
				found = append(found, Excess{Path: below(path, f.Name), Found: missing, Expected: f.Shape.String()})
			case !known:
			case own.Optional && !f.Optional && a.rest != open:
				found = append(found, Excess{Path: below(path, f.Name), Found: missing, Expected: f.Shape.String()})
			default:
				found = own.Shape.exceeds(f.Shape, found, below(path, f.Name), depth+1)
			}
		}
		for _, f := range a.fields {
			if _, known := b.field(f.Name); !known && b.rest == closed && f.Optional {
				found = append(found, Excess{Path: below(path, f.Name), Found: f.Shape.String(), Expected: wording.List(b.names()), Extra: true})
			} else if !known {
				found = f.Shape.exceeds(b.others, found, below(path, f.Name), depth+1)
			}
		}
		found = a.others.exceeds(b.others, found, below(path, Other), depth+1)
	}
	return found
}

// severalFor reports whether the value is one that is expected, or a list of such values as a path gives it.
func (s Shape) severalFor(expected kinds) bool {
	item, may := s.Bare()
	return may && s.get().forms&formGuarded == 0 && !expected.has(kindArray) && item.get().kinds&^expected == 0
}

// beyond returns a number of the shape that is not expected.
func (a *alternatives) beyond(b *alternatives) (f float64, is bool) {
	for _, f := range a.numbers {
		if !b.numberSpan().has(f) || b.numbers != nil && !slices.Contains(b.numbers, f) {
			return f, true
		}
	}
	if a.span == nil || a.span.computed {
		return 0, false
	}
	own, want := *a.span, b.numberSpan()
	switch {
	case math.IsInf(own.least, 0) || own.least >= want.least && (own.aboveLeast || want.reachesDown(own.least)):
	case own.aboveLeast:
		return (own.least + min(own.most, want.least)) / 2, true
	default:
		return own.least, true
	}
	switch {
	case math.IsInf(own.most, 0) || own.most <= want.most && (own.belowMost || want.reachesUp(own.most)):
	case own.belowMost:
		return (own.most + max(own.least, want.most)) / 2, true
	default:
		return own.most, true
	}
	return 0, false
}

// Range returns the numbers of the shape, for people.
func (s Shape) Range() string { return s.get().spanText() }

// spanText returns the numbers of the shape, for people.
func (a *alternatives) spanText() string {
	s := a.numberSpan()
	least, most := "at least ", "at most "
	if s.aboveLeast {
		least = "more than "
	}
	if s.belowMost {
		most = "less than "
	}
	switch {
	case a.numbers != nil:
		return Shape{a}.only(kindNumber).String()
	case math.IsInf(s.least, 0):
		return most + value.NumberText(s.most)
	case math.IsInf(s.most, 0):
		return least + value.NumberText(s.least)
	case s.aboveLeast || s.belowMost:
		return least + value.NumberText(s.least) + " and " + most + value.NumberText(s.most)
	}
	return value.NumberText(s.least) + " to " + value.NumberText(s.most)
}
