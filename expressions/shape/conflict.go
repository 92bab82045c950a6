package shape

import "slices"

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
	return Conflict{Found: found.String(), Expected: expected.String()}, true
}

// conflict reports whether no value of the kind is in both; why is set when the reason
// lies inside.
func (a *alternatives) conflict(b *alternatives, kind kinds) (why *Conflict, differ bool) {
	switch kind {
	case kindNumber:
		return nil, disjoint(a.numbers, b.numbers) || a.allBroken() && b.whole || b.allBroken() && a.whole
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
		case known && (!own.Optional || !f.Optional):
			if c, differ := own.Shape.Conflict(f.Shape); differ {
				return c.within(f.Name), true
			}
		}
	}
	if b.rest != closed {
		return nil, false
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
