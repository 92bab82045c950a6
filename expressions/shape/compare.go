package shape

import (
	"cmp"
	"math"
	"slices"
)

// Union returns the shape of all values that have any of the shapes; without shapes, of
// no value. A shape has one alternative of each kind: objects of several shapes become
// objects of one, in which a field is optional unless all have it. Repeated unions come to
// an end, since shapes are bounded.
func Union(shapes ...Shape) Shape {
	switch n := len(shapes); n {
	case 0:
		return none
	case 1:
		return shapes[0]
	default:
		// By halves: one after the other, objects of n names would be copied n times.
		return union(Union(shapes[:n/2]...), Union(shapes[n/2:]...))
	}
}

func union(s, t Shape) Shape {
	switch {
	case s.IsAny() || t.IsAny():
		return Any()
	case s.of == t.of || t.isNone():
		return s
	case s.isNone():
		return t
	}
	a, b := s.of, t.of
	out := alternatives{
		kinds:   a.kinds | b.kinds,
		numbers: uniteConstants(a.numbers, b.numbers, a.kinds.has(kindNumber), b.kinds.has(kindNumber)),
		whole:   (!a.kinds.has(kindNumber) || a.allWhole()) && (!b.kinds.has(kindNumber) || b.allWhole()),
		strings: uniteConstants(a.strings, b.strings, a.kinds.has(kindString), b.kinds.has(kindString)),
	}
	out.span, out.forms, out.others = uniteSpans(a, b), a.forms|b.forms, uniteOthers(a, b)
	switch {
	case !a.kinds.has(kindArray):
		out.items, out.filled = b.items, b.filled
	case !b.kinds.has(kindArray):
		out.items, out.filled = a.items, a.filled
	default:
		out.items, out.filled = union(a.items, b.items), a.filled && b.filled
	}
	switch {
	case !a.kinds.has(kindObject):
		out.fields, out.rest = b.fields, b.rest
	case !b.kinds.has(kindObject):
		out.fields, out.rest = a.fields, a.rest
	default:
		out.fields, out.rest = uniteFields(a, b), max(a.rest, b.rest)
	}
	return shapeOf(out)
}

// uniteConstants returns the constants of both shapes; nil for all that there are.
func uniteConstants[T cmp.Ordered](a, b []T, inA, inB bool) []T {
	switch {
	case !inA:
		return b
	case !inB:
		return a
	case a == nil || b == nil:
		return nil
	}
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// allWhole reports whether no number of the shape has a fraction.
func (a *alternatives) allWhole() bool {
	return a.whole || a.numbers != nil && !slices.ContainsFunc(a.numbers, hasFraction)
}

func hasFraction(f float64) bool { return f != math.Trunc(f) }

// uniteFields returns the fields of objects that are of one shape or the other.
func uniteFields(a, b *alternatives) []Field {
	out := make([]Field, 0, max(len(a.fields), len(b.fields)))
	inB := make(map[string]Field, len(b.fields))
	for _, f := range b.fields {
		inB[f.Name] = f
	}
	for _, f := range a.fields {
		if other, both := inB[f.Name]; both {
			delete(inB, f.Name)
			out = append(out, Field{f.Name, union(f.Shape, other.Shape), f.Optional || other.Optional})
			continue
		}
		out = append(out, f.beside(b.rest))
	}
	for _, f := range b.fields {
		if _, only := inB[f.Name]; only {
			out = append(out, f.beside(a.rest))
		}
	}
	return out
}

// beside returns the field of a union with objects that do not list it.
func (f Field) beside(other rest) Field {
	f.Optional = true
	if other != closed {
		f.Shape = Any()
	}
	return f
}

// Equal reports whether the shapes are the same set of values, as far as is known. The
// order of fields does not count.
func (s Shape) Equal(t Shape) bool {
	if s.of == t.of {
		return true
	}
	a, b := s.get(), t.get()
	if a.kinds != b.kinds || a.whole != b.whole || !sameSpan(a.span, b.span) || a.filled != b.filled || a.rest != b.rest || a.size != b.size || len(a.fields) != len(b.fields) ||
		(a.numbers == nil) != (b.numbers == nil) || (a.strings == nil) != (b.strings == nil) ||
		!slices.Equal(a.numbers, b.numbers) || !slices.Equal(a.strings, b.strings) || !a.items.Equal(b.items) || !a.others.Equal(b.others) {
		return false
	}
	for i, f := range a.fields {
		other, known := b.fields[i], true
		if other.Name != f.Name {
			other, known = b.field(f.Name)
		}
		if !known || f.Optional != other.Optional || !f.Shape.Equal(other.Shape) {
			return false
		}
	}
	return true
}

// Conflict is the reason why no value of a shape can be one of an expected shape.
type Conflict struct {
	Path            []string // names of fields; "[]" for the items of an array
	Found, Expected string   // shapes for people; "missing" for a field that objects do not have
	Allowed         []string // names of the expected fields, when the field at Path is not one of them
}

// Conflict reports whether certainly no value of the shape is one of the expected shape,
// and where they differ. A value that may be missing is no conflict.
func (s Shape) Conflict(expected Shape) (c Conflict, conflicts bool) {
	if s.IsAny() || expected.IsAny() {
		return Conflict{}, false
	}
	found := s
	if !s.IsNothing() {
		found = s.without(kindNothing)
	}
	if found.isNone() {
		return Conflict{}, false
	}
	a, b := found.get(), expected.get()
	var inner *Conflict
	for kind := kindNothing; kind <= kindFunction; kind <<= 1 {
		if !(a.kinds & b.kinds).has(kind) {
			continue
		}
		reason, differ := a.conflict(b, kind)
		if !differ {
			return Conflict{}, false
		}
		if inner == nil {
			inner = reason
		}
	}
	if inner != nil {
		return *inner, true
	}
	c = Conflict{Found: found.String(), Expected: expected.String()}
	if b.kinds == kindNumber && b.span != nil && a.kinds.has(kindNumber) {
		c.Expected += ", " + b.spanText()
		if a.kinds == kindNumber && a.span != nil {
			c.Found += ", " + a.spanText()
		}
	}
	return c, true
}

// Filled returns the shape of those values in which no array, and no object with fields of any name, is empty, as far as arrays can have items, and
// no field is missing.
func (s Shape) Filled() Shape {
	if s.IsAny() {
		return s
	}
	a := *s.of
	if a.kinds.has(kindArray) && !a.items.isNone() {
		a.items, a.filled = a.items.Filled(), true
	}
	a.some, a.others = true, a.others.Filled()
	a.fields = slices.Clone(a.fields)
	for i := range a.fields {
		a.fields[i].Shape = a.fields[i].Shape.Filled()
	}
	return shapeOf(a)
}

// conflict reports whether no value of the kind is in both; why is set when the reason
// lies inside.
func (a *alternatives) conflict(b *alternatives, kind kinds) (why *Conflict, differ bool) {
	switch kind {
	case kindNumber:
		return nil, disjoint(a.numbers, b.numbers) || a.apart(b) || a.allBroken() && b.whole || b.allBroken() && a.whole
	case kindString:
		return nil, disjoint(a.strings, b.strings)
	case kindArray:
		if !a.filled {
			return nil, false
		}
		c, differ := a.items.Conflict(b.items)
		return c.within("[]"), differ
	case kindObject:
		return a.fieldConflict(b)
	default:
		return nil, false
	}
}

// allBroken reports whether each number of the shape has a fraction.
func (a *alternatives) allBroken() bool {
	return a.numbers != nil && !slices.ContainsFunc(a.numbers, func(f float64) bool { return !hasFraction(f) })
}

// disjoint reports whether two sets of constants, nil for all, have nothing in common.
func disjoint[T comparable](a, b []T) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(v T) bool { return slices.Contains(b, v) })
}

func (c Conflict) within(name string) *Conflict {
	c.Path = append([]string{name}, c.Path...)
	return &c
}

// fieldConflict reports whether no object is of both shapes.
func (a *alternatives) fieldConflict(b *alternatives) (why *Conflict, differ bool) {
	for _, f := range b.fields {
		own, known := a.field(f.Name)
		switch {
		case !known && !f.Optional && a.rest == closed:
			c := Conflict{Found: missing, Expected: f.Shape.String()}
			return c.within(f.Name), true
		case known && (!own.Optional || !f.Optional || a.some):
			if c, differ := own.Shape.Conflict(f.Shape); differ {
				return c.within(f.Name), true
			}
		}
	}
	if b.rest != closed {
		return a.otherConflict(b)
	}
	for _, f := range a.fields {
		if _, known := b.field(f.Name); !known && !f.Optional {
			c := Conflict{Found: f.Shape.String(), Expected: missing, Allowed: b.names()}
			return c.within(f.Name), true
		}
	}
	return nil, false
}

// names returns the names of the known fields, in order.
func (a *alternatives) names() []string {
	names := make([]string, len(a.fields))
	for i, f := range a.fields {
		names[i] = f.Name
	}
	return names
}

// Lacks reports whether a value of the shape may lack a field that every value of the
// other shape has, because the field is declared as optional, and returns the path of the
// first one.
func (s Shape) Lacks(other Shape) (path []string, lacks bool) {
	a := s.get()
	if a.kinds != kindObject || a.rest == open {
		return nil, false
	}
	for _, f := range other.get().fields {
		own, known := a.field(f.Name)
		switch {
		case f.Optional || !known:
		case own.Optional:
			return []string{f.Name}, true
		default:
			if path, lacks := own.Shape.Lacks(f.Shape); lacks {
				return append([]string{f.Name}, path...), true
			}
		}
	}
	return nil, false
}
