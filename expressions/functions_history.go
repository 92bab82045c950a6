package expressions

import (
	"encoding/json"
	"math"
	"slices"
)

// historyFunctions read what the run has done so far.
var historyFunctions = map[string]function{
	"previousNode":   previousNode,
	"executionCount": executionCount,
	"nodeExecution":  nodeExecution,
	"nodeExecutions": nodeExecutions,
}

// noHistory is the history of a scope that was given none.
type noHistory struct{}

func (noHistory) Previous(int) (Value, bool)          { return nil, false }
func (noHistory) Count(string) int                    { return 0 }
func (noHistory) Execution(string, int) (Value, bool) { return nil, false }
func (noHistory) Executions(string) []Value           { return nil }

func previousNode(ev *evaluation, args []any, _ any) (any, error) {
	n := 1
	if len(args) > 1 {
		return nil, wrongCount("previousNode", "at most one argument")
	}
	if len(args) == 1 {
		if args[0] == nil {
			return nil, nil
		}
		var err error
		if n, err = integer("previousNode", 1, args[0]); err != nil {
			return nil, err
		}
	}
	return found(ev.scope.history.Previous(n))
}

func executionCount(ev *evaluation, args []any, _ any) (any, error) {
	id, ok, err := nodeID("executionCount", 1, args)
	if !ok {
		return nil, err
	}
	return float64(ev.scope.history.Count(id)), nil
}

func nodeExecution(ev *evaluation, args []any, _ any) (any, error) {
	id, ok, err := nodeID("nodeExecution", 2, args)
	if !ok || args[1] == nil {
		return nil, err
	}
	i, err := integer("nodeExecution", 2, args[1])
	if err != nil {
		return nil, err
	}
	return found(ev.scope.history.Execution(id, i))
}

func nodeExecutions(ev *evaluation, args []any, _ any) (any, error) {
	id, ok, err := nodeID("nodeExecutions", 1, args)
	if !ok {
		return nil, err
	}
	outputs := ev.scope.history.Executions(id)
	if outputs == nil {
		return []any{}, nil
	}
	return slices.Clip(outputs), nil
}

// found is an output as an expression sees it; one that is nothing reads as null,
// as it does in the context.
func found(output Value, ok bool) (any, error) {
	if !ok {
		return nil, nil
	}
	if output == nil {
		return Null, nil
	}
	return output, nil
}

// nodeID is the first of so many arguments; not ok without an error when it is
// undefined, and so is the call then.
func nodeID(name string, count int, args []any) (id string, ok bool, err error) {
	if len(args) != count {
		if count == 1 {
			return "", false, wrongCount(name, "one argument, a node's id")
		}
		return "", false, wrongCount(name, "two arguments, a node's id and an index")
	}
	if args[0] == nil {
		return "", false, nil
	}
	if id, ok = args[0].(string); !ok {
		return "", false, &functionError{Code: "T0410", Name: name, Message: "expects a node's id, a string, as argument 1"}
	}
	return id, true, nil
}

func wrongCount(name, expected string) error {
	return &functionError{Code: "T0410", Name: name, Message: "expects " + expected}
}

// integer is the whole number that argument i of a call is.
func integer(name string, i int, arg any) (int, error) {
	f, ok := number(arg)
	if !ok || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, &functionError{Code: "T0410", Name: name, Message: "expects a whole number as argument " + string(rune('0'+i))}
	}
	return int(f), nil
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case json.Number:
		f, err := x.Float64()
		return f, err == nil
	}
	return 0, false
}
