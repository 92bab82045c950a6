package shape

import "math/bits"

// kinds are the kinds of values that a shape has, one bit each.
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
	// kindValue is what a value of the context can be.
	kindValue = kindNull | kindBoolean | kindNumber | kindString | kindArray | kindObject
	kindAll   = kindNothing | kindValue | kindFunction
)

// has tells whether one of the kinds is among k.
func (k kinds) has(one kinds) bool { return k&one != 0 }

// single tells whether k is one kind, true and false counted as one.
func (k kinds) single() bool { return k == kindBoolean || bits.OnesCount16(uint16(k)) == 1 }
