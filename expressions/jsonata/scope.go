package jsonata

import (
	"toolgraph/expressions/value"
)

// History is the source of the history functions: the executions that ended before
// the expression's own. Every method is O(1).
type History interface {
	// Previous returns the output of the execution n before this one, 1 = the last; nil is
	// no value. It is false when there is no such execution.
	Previous(n int) (value.Value, bool)
	// Count returns how often the node has finished.
	Count(id string) int
	// Execution returns the node's i-th output, 0 = first, -1 = last; nil is no value. It is
	// false when there is no such execution.
	Execution(id string, i int) (value.Value, bool)
	// Executions returns the outputs of the node that have a value, oldest first. The
	// caller must not change the slice.
	Executions(id string) []value.Value
}

// Scope is what an expression of one run can read: the context, {nodeId: latest
// output} without the nodes whose latest output has no value, and the history. Evaluations
// only read it, so scopes may share a context and a history between goroutines while nothing
// changes these; the owner may change the context between evaluations.
type Scope struct {
	Context map[string]any // nodeId → latest output
	History History        // not nil

	// Variables are values by the name of the variable, without $: those that the language binds
	// for one expression, such as item. A nil value is no value. Variables that an expression
	// binds itself hide them.
	Variables map[string]value.Value
}

// NewScope returns the scope of one run. The scope holds context and history and
// reads both again at each evaluation. A nil history has no executions.
func NewScope(context map[string]any, history History) *Scope {
	if history == nil {
		history = noHistory{}
	}
	return &Scope{Context: context, History: history}
}

// noHistory is the history of a scope without one.
type noHistory struct{}

func (noHistory) Previous(int) (value.Value, bool)          { return nil, false }
func (noHistory) Count(string) int                          { return 0 }
func (noHistory) Execution(string, int) (value.Value, bool) { return nil, false }
func (noHistory) Executions(string) []value.Value           { return nil }
