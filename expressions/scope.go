package expressions

import "toolgraph/expressions/jsonata"

// Scope is what an expression of one run can read: the context, the history, and the variables that the
// language binds for it. JSON Logic's rules read it by their JSONata.
type Scope = jsonata.Scope

// History is the source of the history functions.
type History = jsonata.History

// NewScope returns the scope of one run. The scope holds context and history and
// reads both again at each evaluation. A nil history has no executions.
func NewScope(context map[string]any, history History) *Scope {
	return jsonata.NewScope(context, history)
}

// SyntaxError reports a source that does not compile.
type SyntaxError = jsonata.SyntaxError

// EvalError reports an evaluation of an expression or of a rule that failed.
type EvalError = jsonata.Error

// The variables that the language binds, without $. Where they have no value, they are as
// variables that nothing binds.
const (
	VarItem    = "item"    // of a forEach: the item
	VarIndex   = "index"   // of a forEach: the place of the item, from 0
	VarFailure = "failure" // an object: the failure of a call or a transform
	VarAttempt = "attempt" // how many attempts of the call were made
	VarResult  = "result"  // the value of an attempt's call
	VarVars    = "vars"    // an object: the constants of the graph file
)

// IsVariable reports whether the language binds a variable of that name in some expressions.
func IsVariable(name string) bool {
	switch name {
	case VarItem, VarIndex, VarFailure, VarAttempt, VarResult, VarVars:
		return true
	}
	return false
}
