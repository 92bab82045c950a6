package jsonlogic

import "toolgraph/expressions/value"

// The operators that compare, judge and collect. Each gets as many arguments as
// ruleOperators allows.

func applyEqual(run *ruleRun, args []value.Value) (value.Value, error) {
	return run.loose(args[0], args[1])
}

func applyNotEqual(run *ruleRun, args []value.Value) (value.Value, error) {
	same, err := run.loose(args[0], args[1])
	return !same, err
}

func applySame(run *ruleRun, args []value.Value) (value.Value, error) {
	return run.equal(args[0], args[1], 0)
}

func applyNotSame(run *ruleRun, args []value.Value) (value.Value, error) {
	same, err := run.equal(args[0], args[1], 0)
	return !same, err
}

func applyLess(run *ruleRun, args []value.Value) (value.Value, error) {
	return ascending(run, args, -1)
}

func applyAtMost(run *ruleRun, args []value.Value) (value.Value, error) {
	return ascending(run, args, 0)
}

func applyGreater(run *ruleRun, args []value.Value) (value.Value, error) {
	return ascending(run, []value.Value{args[1], args[0]}, -1)
}

func applyAtLeast(run *ruleRun, args []value.Value) (value.Value, error) {
	return ascending(run, []value.Value{args[1], args[0]}, 0)
}

// ascending reports whether each argument's order to the next is at most this.
func ascending(run *ruleRun, args []value.Value, most int) (value.Value, error) {
	for i := 1; i < len(args); i++ {
		order, ok, err := run.order(args[i-1], args[i])
		if err != nil || !ok || order > most {
			return false, err
		}
	}
	return true, nil
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
