package shape

import "math/bits"

// Shape is a set of values as far as it is known: JSON values, functions, and nothing
// (JSONata's undefined). It is immutable. The zero Shape is Any.
type Shape struct{ of *alternatives }

// alternatives are the kinds of values of a shape, with the details of each. The details
// of an absent kind are zero.
type alternatives struct {
	kinds   kinds
	numbers []float64 // sorted; when not nil, the only numbers
	whole   bool      // numbers that are not listed have no fraction
	span    *span     // the range of numbers that are not listed; nil: all
	strings []string  // sorted; when not nil, the only strings
	items   Shape     // of arrays; an item is never nothing
	filled  bool      // arrays have at least one item
	forms   forms     // of arrays, while an expression is evaluated
	fields  []Field   // of objects
	rest    rest
	others  Shape // of the fields of objects that are not listed, when rest is open; Any: unknown
	some    bool  // objects have such a field; see Filled
	depth   int   // levels of shapes inside each other
	size    int   // number of shapes, this one included
	formed  bool  // some arrays in it are not plain
}

// kinds are the kinds of values of a shape, one bit each.
type kinds uint16

const (
	kindNothing kinds = 1 << iota // JSONata's undefined
	kindNull
	kindTrue
	kindFalse
	kindNumber
	kindString
	kindArray
	kindObject
	kindFunction
)

const (
	kindBoolean = kindTrue | kindFalse
	// kindValue has the kinds of a value in the context.
	kindValue = kindNull | kindBoolean | kindNumber | kindString | kindArray | kindObject
	kindAll   = kindNothing | kindValue | kindFunction
)

// has reports whether k has one of the other kinds.
func (k kinds) has(one kinds) bool { return k&one != 0 }

// single reports whether k is one kind; true and false together count as one.
func (k kinds) single() bool { return k == kindBoolean || bits.OnesCount16(uint16(k)) == 1 }

// rest says which fields objects may have beside the listed ones.
type rest uint8

const (
	closed   rest = iota // none
	declared             // others are allowed, but the list seems complete
	open                 // others are expected
)

// Field is a field of an object. An optional one may be missing.
type Field struct {
	Name     string
	Shape    Shape
	Optional bool
}

const (
	// maxDepth and maxSize bound a shape: a part that is nested deeper is any value.
	// They end the growth of a shape that a loop extends with each iteration.
	maxDepth = 12
	maxSize  = 4000
	// maxConstants is how many different numbers or strings a shape lists.
	maxConstants = 48
)

// everything is the meaning of Any.
var everything = &alternatives{kinds: kindAll, rest: open, forms: ^formLoose, size: 1}

// Any returns the shape of everything, nothing included. Nothing is reported about it.
func Any() Shape { return Shape{} }

// none is the empty set: no value has this shape, and neither does nothing.
var none = Shape{&alternatives{size: 1}}

func simple(k kinds) Shape { return shapeOf(alternatives{kinds: k}) }

// Nothing returns the shape of a missing value, such as the result of a path that leads
// nowhere.
func Nothing() Shape { return simple(kindNothing) }

// Null returns the shape of JSON null.
func Null() Shape { return simple(kindNull) }

// Boolean returns the shape of true and false.
func Boolean() Shape { return simple(kindBoolean) }

// Number returns the shape of all numbers.
func Number() Shape { return simple(kindNumber) }

// Integer returns the shape of all numbers without a fraction.
func Integer() Shape { return shapeOf(alternatives{kinds: kindNumber, whole: true}) }

// String returns the shape of all strings.
func String() Shape { return simple(kindString) }

// stringOf returns the shape of the given strings, which are sorted.
func stringOf(texts ...string) Shape {
	return shapeOf(alternatives{kinds: kindString, strings: texts})
}

// Value returns the shape of all JSON values: Any without nothing and functions.
func Value() Shape { return shapeOf(alternatives{kinds: kindValue, rest: open}) }

// Array returns the shape of arrays of any length with such items.
func Array(items Shape) Shape { return array(items, false) }

// filledArray returns the shape of arrays with at least one such item.
func filledArray(items Shape) Shape { return array(items, true) }

func array(items Shape, filled bool) Shape {
	return shapeOf(alternatives{kinds: kindArray, items: items, filled: filled})
}

// Object returns the shape of objects with these fields, in this order; of two with the
// same name the last one counts. An open one may have others, of any shape.
func Object(fields []Field, isOpen bool) Shape {
	if isOpen {
		return object(fields, open)
	}
	return object(fields, closed)
}

func object(fields []Field, r rest) Shape {
	return shapeOf(alternatives{kinds: kindObject, fields: distinct(fields), rest: r})
}

// distinct returns the last field of each name, at the index of the first.
func distinct(fields []Field) []Field {
	index := make(map[string]int, len(fields))
	out := make([]Field, 0, len(fields))
	for _, f := range fields {
		if i, again := index[f.Name]; again {
			out[i] = f
			continue
		}
		index[f.Name] = len(out)
		out = append(out, f)
	}
	return out
}

// shapeOf is the only place where shapes are made: equal sets have equal shapes, and no
// shape is too large.
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

// plain reports whether nothing is known but the kinds.
func (a *alternatives) plain() bool {
	return a.numbers == nil && !a.whole && a.span == nil && a.strings == nil && a.items.IsAny() && !a.filled && len(a.fields) == 0 && a.rest == open && a.others.IsAny()
}

// tidy drops the details of absent kinds and those that mean nothing.
func (a *alternatives) tidy() {
	if !a.kinds.has(kindNumber) || len(a.numbers) > maxConstants {
		a.numbers = nil
	}
	a.whole = a.whole && a.kinds.has(kindNumber) && a.numbers == nil
	a.tidySpan()
	if !a.kinds.has(kindString) || len(a.strings) > maxConstants {
		a.strings = nil
	}
	a.items = a.items.inside()
	if a.filled && a.items.isNone() {
		a.kinds &^= kindArray
	}
	if !a.kinds.has(kindArray) {
		a.items, a.filled, a.forms = Shape{}, false, 0
	} else if a.forms == 0 {
		a.forms = formPlain
	}
	a.tidyOthers()
	if !a.kinds.has(kindObject) {
		a.fields, a.rest = nil, closed
		return
	}
	fields := make([]Field, 0, len(a.fields))
	for _, f := range a.fields {
		f.Optional = f.Optional || !f.Shape.IsAny() && f.Shape.MayBeNothing()
		if f.Shape = f.Shape.inside(); !f.Shape.isNone() {
			fields = append(fields, f)
		}
	}
	if a.fields = fields; len(fields) == 0 && a.rest == declared {
		a.rest = open
	}
}

// inside returns the shape as that of a field or an item, which is never nothing: any
// value is written as Any.
func (s Shape) inside() Shape {
	if a := s.get(); a.kinds&kindValue == kindValue && a.plain() {
		return Any()
	}
	return s.without(kindNothing)
}

// measure counts depth and size.
func (a *alternatives) measure() {
	a.depth, a.size, a.formed = 0, 1, a.forms&^formPlain != 0
	count := func(s Shape) {
		inner := s.get()
		a.formed = a.formed || inner.formed
		a.depth = max(a.depth, inner.depth+1)
		a.size += inner.size
	}
	if a.kinds.has(kindArray) {
		count(a.items)
	}
	for _, f := range a.fields {
		count(f.Shape)
	}
	if !a.others.IsAny() {
		count(a.others)
	}
}

// prune forgets the parts that are nested deeper than depth.
func (a *alternatives) prune(depth int) {
	if depth <= 0 {
		a.items = Shape{}
		if a.others = (Shape{}); a.kinds.has(kindObject) {
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
	a.fields = append([]Field(nil), a.fields...)
	for i := range a.fields {
		a.fields[i].Shape = inner(a.fields[i].Shape)
	}
	a.others = inner(a.others)
}

// get returns the details of the shape. They must not be changed.
func (s Shape) get() *alternatives {
	if s.of == nil {
		return everything
	}
	return s.of
}

// only returns the part of the shape that is of these kinds.
func (s Shape) only(k kinds) Shape {
	a := *s.get()
	if a.kinds&^k == 0 {
		return s
	}
	a.kinds &= k
	return shapeOf(a)
}

// without returns the part of the shape that is of other kinds.
func (s Shape) without(k kinds) Shape { return s.only(kindAll &^ k) }

// can reports whether the shape has values of one of these kinds.
func (s Shape) can(k kinds) bool { return s.get().kinds.has(k) }

// isNone reports whether the shape is the empty set.
func (s Shape) isNone() bool { return s.get().kinds == 0 }

// IsAny reports whether the shape is Any.
func (s Shape) IsAny() bool { return s.of == nil }

// IsNothing reports whether the value is certainly missing.
func (s Shape) IsNothing() bool { return s.get().kinds == kindNothing }

// IsObject reports whether the value certainly is an object.
func (s Shape) IsObject() bool { return s.get().kinds == kindObject }

// MayBeNothing reports whether the value may be missing. It may in Any.
func (s Shape) MayBeNothing() bool { return s.can(kindNothing) }

// Items returns the shape of the items of the arrays in the shape; no value has it when
// there are no arrays.
func (s Shape) Items() Shape {
	a := s.get()
	if !a.kinds.has(kindArray) {
		return none
	}
	return a.items.without(kindNothing)
}

// item returns the shape of the items of the value; a value that is not an array counts
// as its own only item.
func (s Shape) item() Shape { return union(s.without(kindNothing|kindArray), s.Items()) }

// flat returns the shape with arrays replaced by their items, at all levels.
func flat(s Shape, depth int) Shape {
	if !s.can(kindArray) {
		return s
	}
	if depth > maxDepth {
		return Value()
	}
	return union(s.without(kindArray), flat(s.Items(), depth+1))
}

// Words returns the only strings of the shape, sorted; nil when it has none or may have
// any.
func (s Shape) Words() []string { return append([]string(nil), s.get().strings...) }

// Fields returns the known fields of the objects in the shape, in order.
func (s Shape) Fields() []Field { return append([]Field(nil), s.get().fields...) }

// optionalFields returns the known fields, each of which may be missing.
func (s Shape) optionalFields() []Field {
	fields := s.Fields()
	for i := range fields {
		fields[i].Optional = true
	}
	return fields
}

// field finds a known field.
func (a *alternatives) field(name string) (Field, bool) {
	for _, f := range a.fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Field returns the shape of the field of that name of the objects in the shape: Nothing
// when they have no such field, Any when it is unknown.
func (s Shape) Field(name string) Shape {
	a := s.get()
	f, known := a.field(name)
	switch {
	case known && f.Optional:
		return Union(f.Shape, Nothing())
	case known:
		return f.Shape.without(kindNothing)
	case !a.kinds.has(kindObject) || a.rest == closed:
		return Nothing()
	}
	return Any()
}
