package expressions

import (
	"time"

	"toolgraph/expressions/value"
)

// EvalBudget is how long one evaluation of an expression or a rule may take, whatever its
// context allows.
const EvalBudget = 2 * time.Second

// History is what the history functions read: the executions that ended before
// the expression's own. Every method is O(1).
type History interface {
	// Previous is the output of the execution n before this one, 1 = the last; nil is
	// nothing.
	Previous(n int) (value.Value, bool)
	// Count is how often the node has finished.
	Count(id string) int
	// Execution is the node's i-th output, 0 = first, -1 = last; nil is nothing.
	Execution(id string, i int) (value.Value, bool)
	// Executions are the outputs of the node that are not nothing, oldest first; not to
	// be changed.
	Executions(id string) []value.Value
}

// Scope is what an expression of one run sees: the context, {nodeId: latest
// output} without the nodes whose latest output is nothing, and the history. It belongs
// to the run's goroutine; the owner may change the context between evaluations.
type Scope struct {
	Context map[string]any // nodeId → latest output
	History History        // not nil
}

// NewScope makes the scope of one run. The scope keeps context and history and
// reads both afresh at each evaluation. A nil history has no executions.
func NewScope(context map[string]any, history History) *Scope {
	if history == nil {
		history = noHistory{}
	}
	return &Scope{Context: context, History: history}
}

// noHistory is the history of a scope that was given none.
type noHistory struct{}

func (noHistory) Previous(int) (value.Value, bool)          { return nil, false }
func (noHistory) Count(string) int                          { return 0 }
func (noHistory) Execution(string, int) (value.Value, bool) { return nil, false }
func (noHistory) Executions(string) []value.Value           { return nil }
