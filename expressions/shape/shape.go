package shape

import "toolgraph/expressions"

// Shape is a set of values as far as it is known: JSON values, functions, and
// nothing (JSONata's undefined). It is immutable. The zero Shape is Any.
type Shape struct{}

// Field is a field of an object. An optional one may be missing.
type Field struct {
	Name     string
	Shape    Shape
	Optional bool
}

// Any is the shape of everything, nothing included: all is silent about it.
func Any() Shape { return Shape{} }

// Nothing is the shape of no value at all, as a path that leads nowhere has it.
func Nothing() Shape { return Shape{} }

// Null is the shape of JSON null.
func Null() Shape { return Shape{} }

// Boolean is the shape of true and false.
func Boolean() Shape { return Shape{} }

// Number is the shape of all numbers.
func Number() Shape { return Shape{} }

// String is the shape of all strings.
func String() Shape { return Shape{} }

// Constant is the shape of exactly this value, as far as a Shape can tell.
func Constant(expressions.Value) Shape { return Shape{} }

// Array is the shape of arrays of any length with such items.
func Array(Shape) Shape { return Shape{} }

// Object is the shape of objects with these fields, in this order. An open one may
// have others, of any shape.
func Object([]Field, bool) Shape { return Shape{} }

// Union is the shape of what has any of the shapes; without any, of Nothing.
func Union(...Shape) Shape { return Shape{} }

// OfValue is the shape of values like this one: its kinds without its constants.
func OfValue(expressions.Value) Shape { return Shape{} }

// OfSchema is the shape of what fits a JSON Schema; what cannot be told is Any.
func OfSchema([]byte) Shape { return Shape{} }

// Schema is the shape as a JSON Schema.
func (s Shape) Schema() []byte { return []byte("{}") }

// IsAny tells whether everything has the shape.
func (s Shape) IsAny() bool { return true }

// Equal tells whether the shapes are the same.
func (s Shape) Equal(Shape) bool { return true }

// Has tells whether v has the shape; nil is nothing.
func (s Shape) Has(expressions.Value) bool { return true }

// String is the shape for people: short, without the constants of long lists.
func (s Shape) String() string { return "anything" }

// Fields are the known fields of the objects among the shape, in order.
func (s Shape) Fields() []Field { return nil }

// Open tells whether objects of the shape may have fields that Fields does not name.
func (s Shape) Open() bool { return true }

// Items is the shape of the items of the arrays among the shape; Nothing when
// there are none.
func (s Shape) Items() Shape { return Any() }

// Conflict is why no value of a shape can be what is wanted.
type Conflict struct {
	Path            []string // field names; "[]" for the items of an array
	Found, Expected string   // for people
}

// Conflict tells whether it is certain that no value of the shape is one of want.
func (s Shape) Conflict(Shape) (c Conflict, conflicts bool) { return Conflict{}, false }
