package expressions

import (
	"context"
	"errors"
)

// JSONata is a compiled expression, safe for concurrent use.
type JSONata struct{ source string }

// CompileJSONata compiles an expression. The error is a *SyntaxError.
func CompileJSONata(source string) (*JSONata, error) { return &JSONata{source}, nil }

// Source is the expression as it was compiled.
func (e *JSONata) Source() string { return e.source }

// Eval evaluates over the scope. Nothing (undefined) is nil. The error is an
// *EvalError; when ctx ended it, errors.Is finds the cause.
func (e *JSONata) Eval(ctx context.Context, scope *Scope) (Value, error) {
	return nil, errors.New("not built yet")
}

// References are the paths that the expression reads from the context.
func (e *JSONata) References() []Reference { return nil }

// Reference is one path that an expression reads from the context: its first step
// is a node's id, as in $.entry.directory or entry.directory; or the id that a
// history function is asked for as a literal.
type Reference struct {
	Path     []string // static field names, as far as they are known
	Offset   int      // byte offset of the first step in the source
	Function string   // "nodeExecution" … when it is that function's argument, else empty
}
