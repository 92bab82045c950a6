package shape

import (
	"cmp"
	"math"
	"slices"
)

// Union is the shape of what has any of the shapes; without any, of no value. There
// is one alternative of each kind: objects of several shapes become objects of one,
// in which what not all of them have is optional. Uniting again and again comes to
// an end, as shapes are bounded.
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
	switch a, b := s.get(), t.get(); {
	case s.IsAny() || t.IsAny():
		return Any()
	case a == b || b.kinds == 0:
		return s
	case a.kinds == 0:
		return t
	}
	a, b := s.of, t.of
	out := alternatives{kinds: a.kinds | b.kinds}
	out.numbers = uniteConstants(a.numbers, b.numbers, a.kinds.has(kindNumber), b.kinds.has(kindNumber))
	out.whole = (!a.kinds.has(kindNumber) || a.allWhole()) && (!b.kinds.has(kindNumber) || b.allWhole())
	out.strings = uniteConstants(a.strings, b.strings, a.kinds.has(kindString), b.kinds.has(kindString))
	switch inA, inB := a.kinds.has(kindArray), b.kinds.has(kindArray); {
	case inA && inB:
		out.items, out.filled = union(a.items, b.items), a.filled && b.filled
	case inA:
		out.items, out.filled = a.items, a.filled
	case inB:
		out.items, out.filled = b.items, b.filled
	}
	switch inA, inB := a.kinds.has(kindObject), b.kinds.has(kindObject); {
	case inA && inB:
		out.fields, out.rest = uniteFields(a, b), max(a.rest, b.rest)
	case inA:
		out.fields, out.rest = a.fields, a.rest
	case inB:
		out.fields, out.rest = b.fields, b.rest
	}
	return shapeOf(out)
}

// uniteConstants are the constants of both; nil for all that there are.
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

// allWhole tells whether no number of the shape has a fraction.
func (a *alternatives) allWhole() bool {
	return a.whole || a.numbers != nil && !slices.ContainsFunc(a.numbers, hasFraction)
}

func hasFraction(f float64) bool { return f != math.Trunc(f) }

// uniteFields are the fields of objects that are of one shape or the other.
func uniteFields(a, b *alternatives) []Field {
	out := make([]Field, 0, max(len(a.fields), len(b.fields)))
	seen := make(map[string]Field, len(b.fields))
	for _, f := range b.fields {
		seen[f.Name] = f
	}
	for _, f := range a.fields {
		if other, both := seen[f.Name]; both {
			delete(seen, f.Name)
			out = append(out, Field{f.Name, union(f.Shape, other.Shape), f.Optional || other.Optional})
			continue
		}
		out = append(out, f.beside(b.rest))
	}
	for _, f := range b.fields {
		if _, only := seen[f.Name]; only {
			out = append(out, f.beside(a.rest))
		}
	}
	return out
}

// beside is the field when the other objects do not name it.
func (f Field) beside(other rest) Field {
	f.Optional = true
	if other != closed {
		f.Shape = Any()
	}
	return f
}
