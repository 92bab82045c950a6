package shape

// Shape is a set of values as far as it is known: JSON values, functions, and
// nothing (JSONata's undefined). It is immutable. The zero Shape is Any.
type Shape struct{ of *alternatives }

// alternatives are the kinds of values of a shape, and what is known of each. What
// belongs to a kind that is absent is zero.
type alternatives struct {
	kinds   kinds
	numbers []float64 // sorted; no others, when not nil
	whole   bool      // of numbers that are not listed: none has a fraction
	strings []string  // sorted; no others, when not nil
	items   Shape     // of arrays, which never hold nothing
	filled  bool      // arrays have an item at least
	fields  []Field   // of objects
	rest    rest
	depth   int // shapes inside each other
	size    int // shapes, this one included
}

// rest is what objects may have besides their fields.
type rest uint8

const (
	closed   rest = iota // no other fields
	declared             // others are allowed, but whoever told the fields told all
	open                 // others are to be expected
)

const (
	// maxDepth and maxSize bound what is known of a shape: what lies deeper is any
	// value. A shape that grows with each turn of a loop stops growing there.
	maxDepth = 12
	maxSize  = 4000
	// maxConstants are how many numbers or strings are told apart.
	maxConstants = 48
)

// everything is what Any stands for.
var everything = &alternatives{kinds: kindAll, rest: open, size: 1}

// Any is the shape of everything, nothing included: all is silent about it.
func Any() Shape { return Shape{} }

// none is the shape that no value has, not even nothing.
var none = Shape{&alternatives{size: 1}}

func simple(k kinds) Shape { return shapeOf(alternatives{kinds: k}) }

// Nothing is the shape of no value at all, as a path that leads nowhere has it.
func Nothing() Shape { return simple(kindNothing) }

// Null is the shape of JSON null.
func Null() Shape { return simple(kindNull) }

// Boolean is the shape of true and false.
func Boolean() Shape { return simple(kindBoolean) }

// Number is the shape of all numbers.
func Number() Shape { return simple(kindNumber) }

// Integer is the shape of all numbers without a fraction.
func Integer() Shape { return shapeOf(alternatives{kinds: kindNumber, whole: true}) }

// String is the shape of all strings.
func String() Shape { return simple(kindString) }

// Value is the shape of all JSON values: Any without nothing and functions.
func Value() Shape { return Any().only(kindValue) }

// Array is the shape of arrays of any length with such items.
func Array(items Shape) Shape { return shapeOf(alternatives{kinds: kindArray, items: items}) }

// filledArray is the shape of arrays with at least one such item.
func filledArray(items Shape) Shape {
	return shapeOf(alternatives{kinds: kindArray, items: items, filled: true})
}

// Object is the shape of objects with these fields, in this order; of two with the
// same name the last one counts. An open one may have others, of any shape.
func Object(fields []Field, isOpen bool) Shape {
	r := closed
	if isOpen {
		r = open
	}
	return object(fields, r)
}

func object(fields []Field, r rest) Shape {
	return shapeOf(alternatives{kinds: kindObject, fields: distinct(fields), rest: r})
}

// shapeOf is the one place where shapes are made: equal ones are written equally,
// and none is too large.
func shapeOf(a alternatives) Shape {
	a.tidy()
	a.measure()
	for depth := maxDepth - 1; a.depth > maxDepth || a.size > maxSize; depth-- {
		a.prune(depth)
		a.measure()
	}
	if a.kinds == kindAll && a.plain() {
		return Any()
	}
	return Shape{&a}
}

// plain tells whether nothing is known but the kinds.
func (a *alternatives) plain() bool {
	return a.numbers == nil && !a.whole && a.strings == nil && a.items.IsAny() && !a.filled && len(a.fields) == 0 && a.rest == open
}

// tidy drops what belongs to kinds that are absent, and what means nothing.
func (a *alternatives) tidy() {
	if !a.kinds.has(kindNumber) || len(a.numbers) > maxConstants {
		a.numbers = nil
	}
	a.whole = a.whole && a.kinds.has(kindNumber) && a.numbers == nil
	if !a.kinds.has(kindString) || len(a.strings) > maxConstants {
		a.strings = nil
	}
	if !a.kinds.has(kindArray) {
		a.items, a.filled = Shape{}, false
	} else {
		a.items = a.items.inside()
	}
	if a.kinds.has(kindArray) && a.filled && a.items.get().kinds == 0 {
		a.kinds, a.items, a.filled = a.kinds&^kindArray, Shape{}, false
	}
	if !a.kinds.has(kindObject) {
		a.fields, a.rest = nil, closed
		return
	}
	kept := make([]Field, 0, len(a.fields))
	for _, f := range a.fields {
		if k := f.Shape.get().kinds; !f.Shape.IsAny() && k.has(kindNothing) {
			f.Optional = true
		}
		f.Shape = f.Shape.inside()
		if f.Shape.get().kinds != 0 {
			kept = append(kept, f)
		}
	}
	if a.fields = kept; len(kept) == 0 && a.rest == declared {
		a.rest = open
	}
}

// inside is the shape as that of a field or an item, which is never nothing: any value
// is written as Any.
func (s Shape) inside() Shape {
	if a := s.get(); a.kinds&kindValue == kindValue && a.plain() {
		return Any()
	}
	return s.without(kindNothing)
}

// measure counts depth and size.
func (a *alternatives) measure() {
	a.depth, a.size = 0, 1
	count := func(s Shape) {
		inner := s.get()
		a.depth = max(a.depth, inner.depth+1)
		a.size += inner.size
	}
	if a.kinds.has(kindArray) {
		count(a.items)
	}
	for _, f := range a.fields {
		count(f.Shape)
	}
}

// prune forgets what lies deeper than depth.
func (a *alternatives) prune(depth int) {
	if depth <= 0 {
		if a.kinds.has(kindArray) {
			a.items = Shape{}
		}
		if a.kinds.has(kindObject) {
			a.fields, a.rest = nil, open
		}
		return
	}
	inner := func(s Shape) Shape {
		if of := s.get(); of.depth < depth {
			return s
		}
		copied := *s.of
		copied.prune(depth - 1)
		return shapeOf(copied)
	}
	if a.kinds.has(kindArray) {
		a.items = inner(a.items)
	}
	fields := make([]Field, len(a.fields))
	for i, f := range a.fields {
		f.Shape = inner(f.Shape)
		fields[i] = f
	}
	a.fields = fields
}

// get is what is known of the shape; not to be changed.
func (s Shape) get() *alternatives {
	if s.of == nil {
		return everything
	}
	return s.of
}

// only is the part of the shape that is of these kinds.
func (s Shape) only(k kinds) Shape {
	a := *s.get()
	if a.kinds&^k == 0 {
		return s
	}
	a.kinds &= k
	return shapeOf(a)
}

// without is the part of the shape that is of none of these kinds.
func (s Shape) without(k kinds) Shape { return s.only(kindAll &^ k) }

// can tells whether the shape has values of one of these kinds.
func (s Shape) can(k kinds) bool { return s.get().kinds.has(k) }

// IsAny tells whether everything has the shape.
func (s Shape) IsAny() bool { return s.of == nil }

// IsNothing tells whether there is certainly no value.
func (s Shape) IsNothing() bool { return s.get().kinds == kindNothing }

// MayBeNothing tells whether there may be no value.
func (s Shape) MayBeNothing() bool { return s.can(kindNothing) }

// Items is the shape of the items of the arrays among the shape; of no value when
// there are none.
func (s Shape) Items() Shape {
	a := s.get()
	if !a.kinds.has(kindArray) {
		return none
	}
	return a.items.without(kindNothing)
}
