package value

import "unsafe"

// face is the memory layout of an any: a pointer to the type and one to the value. Types
// are not on the heap, so the collector need not see the first one.
type face struct {
	kind  uintptr
	value unsafe.Pointer
}

// stringKind is the type of an any that holds a string.
var stringKind = func() uintptr {
	var s any = "x"
	return (*face)(unsafe.Pointer(&s)).kind
}()

// numberKind is the type of an any that holds a float64.
var numberKind = func() uintptr {
	var f any = 0.5
	return (*face)(unsafe.Pointer(&f)).kind
}()

// SetString sets value to a string without an allocation: it points at s, which must not
// change afterwards. For many strings at once that is three times as fast
// (BenchmarkBoxed), which $split of a long string needs. The layout of an any has been
// the same since Go 1.4; TestBoxed checks it.
func SetString(value *any, s *string) {
	*(*face)(unsafe.Pointer(value)) = face{stringKind, unsafe.Pointer(s)}
}

// Box converts strings and numbers to values and allocates many at once. The zero Box is
// ready to use; a value keeps its neighbours in memory. Not safe for concurrent use.
type Box struct {
	strings []string
	numbers []float64
}

// A box allocates room for this many at first, since most evaluations make few, and for twice as many each
// time, up to boxMost: a value keeps its neighbours in memory.
const (
	boxFirst = 4
	boxMost  = 64
)

func boxRoom(before int) int { return min(max(boxFirst, 2*before), boxMost) }

// String returns s as a value.
func (b *Box) String(s string) (value any) {
	if len(b.strings) == cap(b.strings) {
		b.strings = make([]string, 0, boxRoom(cap(b.strings)))
	}
	b.strings = append(b.strings, s)
	SetString(&value, &b.strings[len(b.strings)-1])
	return value
}

// Number returns f as a value.
func (b *Box) Number(f float64) (value any) {
	if len(b.numbers) == cap(b.numbers) {
		b.numbers = make([]float64, 0, boxRoom(cap(b.numbers)))
	}
	b.numbers = append(b.numbers, f)
	*(*face)(unsafe.Pointer(&value)) = face{numberKind, unsafe.Pointer(&b.numbers[len(b.numbers)-1])}
	return value
}
