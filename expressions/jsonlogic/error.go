package jsonlogic

import "toolgraph/expressions"

// Error is a JSON Logic rule that does not compile. Path leads from the rule's
// root to the place: keys (string) and indexes (int). Syntax is set when the place
// is a var whose JSONata does not compile.
type Error struct {
	Path    []any
	Message string
	Hint    string
	Syntax  *expressions.SyntaxError
}

func (e *Error) Error() string { return e.Message }
