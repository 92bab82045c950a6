package shape

import "slices"

// Equal tells whether the shapes are the same set of values, as far as is known.
// The order of fields does not count.
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
		other, ok := b.fields[i], true
		if other.Name != f.Name {
			other, ok = b.field(f.Name)
		}
		if !ok || f.Optional != other.Optional || !f.Shape.Equal(other.Shape) {
			return false
		}
	}
	return true
}
