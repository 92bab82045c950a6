package jsonlogic

import (
	"math"

	"toolgraph/expressions/value"
)

// The operators that make numbers. A result may be NaN or infinite, as in
// JavaScript; ruleRun.finish keeps those inside.

func applyAdd(run *ruleRun, args []value.Value) (value.Value, error) {
	total := 0.0
	for _, arg := range args {
		f, err := run.leading(arg)
		if err != nil {
			return nil, err
		}
		total += f
	}
	return run.result(total), nil
}

// applyMultiply gives a single argument back as it is, as json-logic-js does.
func applyMultiply(run *ruleRun, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	total := 1.0
	for _, arg := range args {
		f, err := run.leading(arg)
		if err != nil {
			return nil, err
		}
		total *= f
	}
	return run.result(total), nil
}

func applySubtract(run *ruleRun, args []value.Value) (value.Value, error) {
	if len(args) == 1 {
		f, err := run.number(args[0])
		return run.result(-f), err
	}
	return arithmetic(run, args, func(a, b float64) float64 { return a - b })
}

func applyDivide(run *ruleRun, args []value.Value) (value.Value, error) {
	return arithmetic(run, args, func(a, b float64) float64 { return a / b })
}

func applyRemainder(run *ruleRun, args []value.Value) (value.Value, error) {
	return arithmetic(run, args, math.Mod)
}

func applyMin(run *ruleRun, args []value.Value) (value.Value, error) {
	return fold(run, args, math.Min)
}

func applyMax(run *ruleRun, args []value.Value) (value.Value, error) {
	return fold(run, args, math.Max)
}

func arithmetic(run *ruleRun, args []value.Value, f func(a, b float64) float64) (value.Value, error) {
	a, err := run.number(args[0])
	if err != nil {
		return nil, err
	}
	b, err := run.number(args[1])
	if err != nil {
		return nil, err
	}
	return run.result(f(a, b)), nil
}

// fold is min or max. Go's, unlike JavaScript's, prefer an infinity to NaN.
func fold(run *ruleRun, args []value.Value, f func(a, b float64) float64) (value.Value, error) {
	var total float64
	broken := false
	for i, arg := range args {
		x, err := run.number(arg)
		if err != nil {
			return nil, err
		}
		broken = broken || math.IsNaN(x)
		if i == 0 {
			total = x
		} else {
			total = f(total, x)
		}
	}
	if broken {
		total = math.NaN()
	}
	return run.result(total), nil
}

// result notes a number that JSON does not have.
func (r *ruleRun) result(f float64) value.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f) {
		r.odd = true
	}
	return f
}
