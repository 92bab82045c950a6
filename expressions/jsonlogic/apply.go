package jsonlogic

import "toolgraph/expressions/value"

// applied is what an operator does with the values of its arguments, of which there are as
// many as ruleOperators allows.
type applied func(run *ruleRun, args []value.Value) (value.Value, error)

// equality is an operator that reports whether two values are the same by a relation, or
// are not.
func equality(relation func(run *ruleRun, a, b value.Value) (bool, error), want bool) applied {
	return func(run *ruleRun, args []value.Value) (value.Value, error) {
		same, err := relation(run, args[0], args[1])
		return same == want, err
	}
}

// ascending reports whether each argument's order to the next is at most this.
func ascending(most int) applied {
	return func(run *ruleRun, args []value.Value) (value.Value, error) {
		for i := 1; i < len(args); i++ {
			order, ok, err := run.order(args[i-1], args[i])
			if err != nil || !ok || order > most {
				return false, err
			}
		}
		return true, nil
	}
}

// descending is ascending of two arguments the other way round.
func descending(most int) applied {
	return func(run *ruleRun, args []value.Value) (value.Value, error) {
		return ascending(most)(run, []value.Value{args[1], args[0]})
	}
}

func applyNot(_ *ruleRun, args []value.Value) (value.Value, error) {
	return len(args) == 0 || !holds(args[0]), nil
}

func applyTruth(_ *ruleRun, args []value.Value) (value.Value, error) {
	return len(args) > 0 && holds(args[0]), nil
}

func applyIn(run *ruleRun, args []value.Value) (value.Value, error) {
	return run.contains(args[1], args[0])
}

// applyMerge makes one list of its arguments; those that are lists give their elements.
func applyMerge(run *ruleRun, args []value.Value) (value.Value, error) {
	n := 0
	for _, arg := range args {
		if items, ok := arg.([]any); ok {
			n += len(items)
		} else {
			n++
		}
	}
	if err := run.makeArray(n); err != nil {
		return nil, err
	}
	merged := make([]any, 0, n)
	for _, arg := range args {
		if items, ok := arg.([]any); ok {
			merged = append(merged, items...)
		} else {
			merged = append(merged, arg)
		}
	}
	return merged, nil
}

func applyLog(run *ruleRun, args []value.Value) (value.Value, error) {
	if log, ok := run.ctx.Value(ruleLogKey{}).(func(value.Value)); ok {
		log(args[0])
	}
	return args[0], nil
}
