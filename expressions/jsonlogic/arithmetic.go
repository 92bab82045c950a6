package jsonlogic

import (
	"math"

	"toolgraph/expressions/value"
)

// The operators that make numbers. A result may be NaN or infinite, as in
// JavaScript; ruleRun.finish keeps those inside.

func applyAdd(run *ruleRun, args []value.Value) (value.Value, error) {
	return total(run, args, 0, func(a, b float64) float64 { return a + b })
}

// applyMultiply gives a single argument back as it is, as json-logic-js does.
func applyMultiply(run *ruleRun, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	return total(run, args, 1, func(a, b float64) float64 { return a * b })
}

// total combines the numbers that the arguments begin with.
func total(run *ruleRun, args []value.Value, start float64, f func(a, b float64) float64) (value.Value, error) {
	for _, arg := range args {
		x, err := run.leading(arg)
		if err != nil {
			return nil, err
		}
		start = f(start, x)
	}
	return run.result(start), nil
}

func applySubtract(run *ruleRun, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		f, err := run.number(args[0])
		return run.result(-f), err
	}
	return arithmetic(func(a, b float64) float64 { return a - b })(run, args)
}

func divide(a, b float64) float64 { return a / b }

// arithmetic is an operator of two numbers.
func arithmetic(f func(a, b float64) float64) applied {
	return func(run *ruleRun, args []value.Value) (value.Value, error) {
		a, err := run.number(args[0])
		if err != nil {
			return nil, err
		}
		b, err := run.number(args[1])
		return run.result(f(a, b)), err
	}
}

// extreme is min or max. Go's, unlike JavaScript's, prefer an infinity to NaN.
func extreme(f func(a, b float64) float64) applied {
	return func(run *ruleRun, args []value.Value) (value.Value, error) {
		var best float64
		broken := false
		for i, arg := range args {
			x, err := run.number(arg)
			if err != nil {
				return nil, err
			}
			broken = broken || math.IsNaN(x)
			if i == 0 {
				best = x
			} else {
				best = f(best, x)
			}
		}
		if broken {
			best = math.NaN()
		}
		return run.result(best), nil
	}
}

// result notes a number that JSON does not have.
func (r *ruleRun) result(f float64) value.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
		r.odd = true
	}
	return f
}
