package jsonata

import (
	"maps"
	"slices"
	"strconv"
	"sync"
)

// call is a call of a builtin, which must not change the arguments or the focus. A missing
// argument and an undefined one are both nil. Arrays among the arguments are plain, unless
// the builtin accepts lists.
type call struct {
	*machine

	name  string
	args  []any
	focus any // the context of the call
}

// function is the code of a builtin.
type function func(c call) (any, error)

// libraryGroups are the functions of the library. They are set by init, because functions look each other up there.
var libraryGroups [9][]builtin

func init() {
	libraryGroups = [...][]builtin{
		textFunctions, regexFunctions, arrayFunctions, higherFunctions, objectFunctions,
		numberFunctions, pictureFunctions, encodingFunctions, typeFunctions,
	}
}

// library returns the functions that every expression can call, by name.
var library = sync.OnceValue(func() map[string]*builtin {
	all := map[string]*builtin{}
	for i := range historyTable {
		all[historyTable[i].name] = &historyTable[i].builtin
	}
	for _, group := range libraryGroups {
		for i := range group {
			b := &group[i]
			all[b.name] = b
			if b.types != "" {
				b.signature, _ = parseSignature(b.types)
			}
		}
	}
	return all
})

// functionNames returns their names, sorted.
var functionNames = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(library())) })

// arg is the argument i, counted from 0, or nil.
func (c *call) arg(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// string is argument i, or empty.
func (c *call) string(i int) string {
	s, _ := c.arg(i).(string)
	return s
}

// items are the items of argument i, which is an array or missing.
func (c *call) items(i int) []any {
	items, _ := itemsOf(c.arg(i))
	return items
}

// wrong is the error of an argument that has another type than expected.
func (c *call) wrong(i int, expected string) error {
	return c.fail("T0410", "expects "+expected+" as argument "+strconv.Itoa(i+1))
}

// fail is an error of the call; the message continues "$name ".
func (c *call) fail(code, message string) error { return functionError(code, c.name, message) }

// functionError is the error of a function of that name; placed adds the place.
func functionError(code, name, message string) error {
	return &Error{Code: code, Message: "$" + name + " " + message, Offset: -1}
}

// Functions are the names of the functions that every expression can call, sorted,
// without $. The caller must not change the slice.
func Functions() []string { return functionNames() }

// IsFunction reports whether every expression can call a function of that name.
func IsFunction(name string) bool { return library()[name] != nil }
