package shape

import "slices"

// Other is the step of a path that leads to the fields which an object has beside the listed ones, such as those of a group with computed keys.
const Other = "*"

// Map returns the shape of objects with fields of any name that all have values of the shape.
func Map(others Shape) Shape {
	return shapeOf(alternatives{kinds: kindObject, rest: open, others: others})
}

// any returns the shape of every field of the objects of the shape, and of a missing one; known is false when that is not known.
func (s Shape) any() (of Shape, known bool) {
	a := s.get()
	if a.kinds&^kindNothing != kindObject || a.rest == declared || a.rest == open && a.others.IsAny() {
		return Any(), false
	}
	of = Nothing()
	for _, f := range a.fields {
		of = union(of, f.Shape)
	}
	if a.rest == open {
		of = union(of, a.others)
	}
	return of, true
}

// Others returns the shape of the fields that the objects of the shape have beside the listed ones; Any when it is unknown.
func (s Shape) Others() Shape { return s.get().others }

// tidyOthers drops what is known of other fields where there are none, or where they are not expected.
func (a *alternatives) tidyOthers() {
	if !a.kinds.has(kindObject) || a.rest != open {
		a.others = Shape{}
	}
	if a.others = a.others.inside(); a.others.isNone() {
		a.others = Shape{}
	}
}

// uniteOthers returns the shape of the other fields of the objects of both shapes.
func uniteOthers(a, b *alternatives) Shape {
	switch {
	case !a.kinds.has(kindObject), a.rest == closed:
		return b.others
	case !b.kinds.has(kindObject), b.rest == closed:
		return a.others
	}
	return union(a.others, b.others)
}

// otherConflict reports whether a field of the objects is not as the other fields of the expected objects are.
func (a *alternatives) otherConflict(b *alternatives) (why *Conflict, differ bool) {
	if b.others.IsAny() {
		return nil, false
	}
	for _, f := range a.fields {
		if _, known := b.field(f.Name); known || f.Optional {
			continue
		}
		if c, differ := f.Shape.Conflict(b.others); differ {
			return c.within(f.Name), true
		}
	}
	if a.some && !a.others.IsAny() {
		if c, differ := a.others.Conflict(b.others); differ {
			return c.within(Other), true
		}
	}
	return nil, false
}

// isOfOthers reports whether the objects have any keys, none of them known, and values that have the field.
func (a *alternatives) isOfOthers(name string) bool {
	if a.rest != open || len(a.fields) > 0 || a.others.IsAny() {
		return false
	}
	objects, known := objectsOf(a.others, 0)
	return known && slices.ContainsFunc(objects, func(o *alternatives) bool { _, has := o.field(name); return has })
}
