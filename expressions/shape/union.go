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
	if a.kinds != b.kinds || a.whole != b.whole || a.filled != b.filled || a.rest != b.rest || a.size != b.size || len(a.fields) != len(b.fields) ||
		(a.numbers == nil) != (b.numbers == nil) || (a.strings == nil) != (b.strings == nil) ||
		!slices.Equal(a.numbers, b.numbers) || !slices.Equal(a.strings, b.strings) || !a.items.Equal(b.items) {
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
