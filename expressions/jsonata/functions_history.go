package jsonata

import (
	"encoding/json"
	"math"
	"slices"

	"toolgraph/expressions/value"
)

// historyFunction is a function that reads what the run has done so far. It checks its arguments itself.
type historyFunction struct {
	builtin
	signature string // for people
	ofNode    bool   // its first argument is the id of a node
}

var historyTable = []historyFunction{
	{builtin{name: "previousNode", arity: 1, total: true, fn: previousNode}, "(n: number?) → any: the output of the n-th execution before this one", false},
	{builtin{name: "executionCount", arity: 1, total: true, fn: executionCount}, "(id: string) → number: how often a node has finished", true},
	{builtin{name: "nodeExecution", arity: 2, total: true, fn: nodeExecution}, "(id: string, i: number) → any: the i-th output of a node; -1 is the last one", true},
	{builtin{name: "nodeExecutions", arity: 1, total: true, fn: nodeExecutions}, "(id: string) → array: all outputs of a node", true},
}

// findHistory finds a history function by its name; nil for other names.
func findHistory(name string) *historyFunction {
	for i := range historyTable {
		if historyTable[i].name == name {
			return &historyTable[i]
		}
	}
	return nil
}

// IsHistoryFunction reports whether a function reads what a run has done, which JSONata itself has no function for.
func IsHistoryFunction(name string) bool { return findHistory(name) != nil }

// ReadsNode reports whether a function is a history function whose first argument is the id of a node.
func ReadsNode(name string) bool {
	f := findHistory(name)
	return f != nil && f.ofNode
}

func previousNode(c call) (any, error) {
	n := 1
	if len(c.args) > 1 {
		return nil, c.fail("T0410", "expects at most one argument")
	}
	if len(c.args) == 1 && c.args[0] != nil { // a missing number is as none, as for the functions of the library
		var err error
		if n, err = c.integer(0); err != nil {
			return nil, err
		}
	}
	return found(c.scope.History.Previous(n))
}

func executionCount(c call) (any, error) {
	id, ok, err := c.nodeID(1)
	if err != nil {
		return nil, err
	}
	if !ok { // a node without a name has not run
		return 0.0, nil
	}
	return c.box.Number(float64(c.scope.History.Count(id))), nil
}

func nodeExecution(c call) (any, error) {
	id, ok, err := c.nodeID(2)
	if !ok || c.args[1] == nil {
		return nil, err
	}
	i, err := c.integer(1)
	if err != nil {
		return nil, err
	}
	return found(c.scope.History.Execution(id, i))
}

func nodeExecutions(c call) (any, error) {
	id, ok, err := c.nodeID(1)
	if err != nil {
		return nil, err
	}
	if !ok {
		return []any{}, nil
	}
	outputs := c.scope.History.Executions(id)
	if outputs == nil {
		return []any{}, nil
	}
	return slices.Clip(outputs), nil
}

// found is an output as an expression sees it: undefined when there is none, and when
// there is one that is nothing.
func found(output value.Value, ok bool) (any, error) {
	if !ok {
		return nil, nil
	}
	return output, nil
}

// nodeID is the first of so many arguments; not ok without an error when it is
// undefined.
func (c *call) nodeID(count int) (id string, ok bool, err error) {
	if len(c.args) != count {
		if count == 1 {
			return "", false, c.fail("T0410", "expects one argument, a node's id")
		}
		return "", false, c.fail("T0410", "expects two arguments, a node's id and an index")
	}
	if c.args[0] == nil {
		return "", false, nil
	}
	if id, ok = c.args[0].(string); !ok {
		return "", false, c.wrong(0, "a node's id, a string,")
	}
	return id, true, nil
}

// integer is the whole number that argument i is.
func (c *call) integer(i int) (int, error) {
	f, ok := number(c.arg(i))
	if !ok || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, c.wrong(i, "a whole number")
	}
	return int(f), nil
}

// number is v as a float64. It is short, so that the compiler puts it into its callers.
func number(v any) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	return numberOfDigits(v)
}

func numberOfDigits(v any) (float64, bool) {
	digits, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := digits.Float64()
	return f, err == nil || math.IsInf(f, 0) // 1e400 is infinite, so what is computed with it fails
}
