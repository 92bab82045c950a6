package shape

import "slices"

// Conflict is why no value of a shape can be what is wanted.
type Conflict struct {
	Path            []string // names of fields; "[]" for the items of an array
	Found, Expected string   // for people
}

// Conflict tells whether it is certain that no value of the shape is one of want,
// and where they differ. That there may be nothing is no conflict.
func (s Shape) Conflict(want Shape) (c Conflict, conflicts bool) {
	if s.IsAny() || want.IsAny() {
		return Conflict{}, false
	}
	found := s
	if !s.IsNothing() {
		found = s.without(kindNothing)
	}
	a, b := found.get(), want.get()
	if a.kinds == 0 {
		return Conflict{}, false
	}
	var inner *Conflict
	for _, kind := range []kinds{kindNothing, kindNull, kindTrue, kindFalse, kindNumber, kindString, kindArray, kindObject, kindFunction} {
		if !a.kinds.has(kind) || !b.kinds.has(kind) {
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
	return Conflict{Found: found.String(), Expected: want.String()}, true
}

// conflict tells whether no value of the kind is in both; why is set when the
// reason lies inside.
func (a *alternatives) conflict(b *alternatives, kind kinds) (why *Conflict, differ bool) {
	switch kind {
	case kindNumber:
		return nil, apart(a.numbers, b.numbers) || a.allBroken() && b.whole || b.allBroken() && a.whole
	case kindString:
		return nil, apart(a.strings, b.strings)
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

// allBroken tells whether each number of the shape has a fraction.
func (a *alternatives) allBroken() bool {
	return a.numbers != nil && !slices.ContainsFunc(a.numbers, func(f float64) bool { return !hasFraction(f) })
}

// apart tells whether two sets of constants, nil for all, have nothing in common.
func apart[T comparable](a, b []T) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(v T) bool { return slices.Contains(b, v) })
}

func (c Conflict) within(name string) *Conflict {
	c.Path = append([]string{name}, c.Path...)
	return &c
}

// fieldConflict tells whether no object is of both shapes.
func (a *alternatives) fieldConflict(b *alternatives) (why *Conflict, differ bool) {
	for _, f := range b.fields {
		own, known := a.field(f.Name)
		switch {
		case !known && !f.Optional && a.rest == closed:
			c := Conflict{Found: "nothing", Expected: f.Shape.String()}
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
			c := Conflict{Found: f.Shape.String(), Expected: "nothing"}
			return c.within(f.Name), true
		}
	}
	return nil, false
}
