package shape

// forms are the kinds of arrays that the evaluation of an expression distinguishes, one bit each, as
// jsonata's machine does. They do not count in Equal.
type forms uint8

const (
	// formPlain is an array of the data or of a function.
	formPlain forms = 1 << iota
	// formMany is a sequence of several items.
	formMany
	// formKeepArray is a sequence with [] behind it, which stays an array with one item.
	formKeepArray
	// formLoose is a sequence of any length that becomes nothing or its item when it is read: what a
	// function of the library returns to another one.
	formLoose
	// formCons is an array constructor in a path, which is not flattened.
	formCons
	// formGuarded is an array on a branch whose condition asks how many items there are.
	formGuarded
)

// withForms returns the shape with arrays of these forms.
func (s Shape) withForms(f forms) Shape {
	a := *s.get()
	if !a.kinds.has(kindArray) {
		return s
	}
	a.forms, a.formed = f, true
	return Shape{&a}
}

// arrays returns the arrays of the shape that may be of one of the forms, with these forms.
func (s Shape) arrays(f forms) Shape {
	if f &= s.get().forms; f == 0 {
		return none
	}
	return s.only(kindArray).withForms(f)
}

// loose returns the shape of a sequence that a function of the library makes.
func loose(item Shape, filled bool) Shape { return array(item, filled).withForms(formLoose) }

// raw is what a part of an expression yields before a sequence becomes nothing, its only item, or an
// array of several: the value itself, or else a sequence.
type raw struct {
	fact           // its shape is that of a value that is no sequence
	sequence bool  // it may be a sequence
	items    Shape // of the sequence; nothing among them is an item without a value
	filled   bool  // the sequence has at least one item
	one      bool  // the sequence has at most one item
	keep     bool  // the sequence stays an array
}

// rawOf takes the sequences that a function returned out of the shape of a value.
func rawOf(v fact) raw {
	out := raw{fact: v, items: none}
	if v.shape.IsAny() || v.shape.get().forms&formLoose == 0 {
		return out
	}
	a := v.shape.get()
	out.sequence, out.items, out.filled = true, a.items, a.filled
	if out.shape = v.shape.without(kindArray); a.forms != formLoose {
		out.shape = union(out.shape, v.shape.arrays(^formLoose))
	}
	return out
}

// collapsed returns the value at the end of the evaluation of a part; keeps says that [] is behind it.
func (r raw) collapsed(keeps bool) fact {
	out := r.fact
	if !r.sequence || r.shape.IsAny() {
		return out
	}
	one, many := r.items.without(kindNothing), several(r.items)
	if !r.filled || r.items.MayBeNothing() {
		out.shape = union(out.shape, Nothing())
	}
	if r.keep || keeps {
		out.shape = union(out.shape, many.withForms(formKeepArray))
		return out
	}
	if out.shape = union(out.shape, one); !r.one {
		out.shape = union(out.shape, many.withForms(formMany))
	}
	return out
}

// several returns the shape of an array of such items, of which those without a value are null in the
// end.
func several(items Shape) Shape {
	if items.MayBeNothing() {
		items = Any()
	}
	return filledArray(items)
}

// asLoose returns the value as it is passed on to another function without being read.
func (r raw) asLoose() fact {
	out := r.fact
	if r.sequence {
		out.shape = union(out.shape, loose(r.items, r.filled))
	}
	return out
}

// each returns the items of the value, and whether there certainly is one or at most one. Nothing
// counts as an item without a value.
func (r raw) each() (item Shape, filled, one bool) {
	if r.shape.IsAny() {
		return Any(), false, false
	}
	item, filled, one = r.shape.without(kindArray), true, true
	if r.shape.can(kindArray) {
		item, filled, one = union(item, r.shape.Items()), r.shape.get().filled, false
	}
	if r.sequence {
		item, filled, one = union(item, r.items), filled && r.filled, one && r.one
	}
	return item, filled, one
}

// flattened returns the items that the value adds to the result of a step: those of an array, unless
// it is an array constructor.
func (r raw) flattened() (item Shape, filled, one bool) {
	if r.shape.IsAny() {
		return Any(), false, false
	}
	item, filled, one = r.shape.without(kindArray|kindNothing), !r.shape.MayBeNothing(), true
	if inner := r.shape.arrays(^formCons); !inner.isNone() {
		item, filled, one = union(item, inner.Items()), filled && inner.get().filled, false
	}
	item = union(item, r.shape.arrays(formCons))
	if r.sequence {
		item, filled, one = union(item, r.items), filled && r.filled, one && r.one
	}
	return item, filled, one
}

// surelyFilled reports whether the value, as an array, certainly has an item.
func surelyFilled(s Shape) bool { return !s.can(kindArray) || s.get().filled }

// MayBeEmpty reports whether the value may be an array without items; unknown values are not.
func (s Shape) MayBeEmpty() bool { return !s.IsAny() && s.can(kindArray) && !s.get().filled }

// IsList reports whether the value may be an array.
func (s Shape) IsList() bool { return s.can(kindArray) }

// bare returns the shape without the forms of its arrays: that of JSON.
func (s Shape) bare() Shape {
	a := s.get()
	if s.IsAny() || !a.formed {
		return s
	}
	copied := *a
	copied.forms = 0
	copied.items, copied.others = a.items.bare(), a.others.bare()
	copied.fields = make([]Field, len(a.fields))
	for i, f := range a.fields {
		f.Shape = f.Shape.bare()
		copied.fields[i] = f
	}
	return shapeOf(copied)
}

// sequence returns the shape of a sequence of such items as a value: nothing, one item, or an array
// of several.
func sequence(item Shape) Shape {
	return raw{fact: fact{shape: none}, sequence: true, items: item}.collapsed(false).shape
}
