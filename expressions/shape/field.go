package shape

// Field is a field of an object. An optional one may be missing.
type Field struct {
	Name     string
	Shape    Shape
	Optional bool
}

// distinct keeps the last of the fields of a name, at the place of the first.
func distinct(fields []Field) []Field {
	place := make(map[string]int, len(fields))
	out := make([]Field, 0, len(fields))
	for _, f := range fields {
		if i, again := place[f.Name]; again {
			out[i] = f
			continue
		}
		place[f.Name] = len(out)
		out = append(out, f)
	}
	return out
}

// Fields are the known fields of the objects among the shape, in order.
func (s Shape) Fields() []Field {
	fields := s.get().fields
	return append([]Field(nil), fields...)
}

// Open tells whether objects of the shape are expected to have fields that Fields
// does not name. It is false for an object of a schema that declares properties
// and does not say whether there are others.
func (s Shape) Open() bool { return s.get().rest == open }

// Closed tells whether objects of the shape have no fields but those that Fields
// names.
func (s Shape) Closed() bool { a := s.get(); return a.kinds.has(kindObject) && a.rest == closed }

// field finds a known field.
func (a *alternatives) field(name string) (Field, bool) {
	for _, f := range a.fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// get is the shape of what reading the field gives.
func (f Field) get() Shape {
	if f.Optional {
		return Union(f.Shape, Nothing())
	}
	return f.Shape.without(kindNothing)
}

// Field is the shape of the field of that name of the objects among the shape:
// Nothing when they have none of that name, Any when it is not known.
func (s Shape) Field(name string) Shape {
	a := s.get()
	if !a.kinds.has(kindObject) {
		return Nothing()
	}
	if f, ok := a.field(name); ok {
		return f.get()
	}
	if a.rest == closed {
		return Nothing()
	}
	return Any()
}
