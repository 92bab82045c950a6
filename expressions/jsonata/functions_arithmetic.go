package jsonata

import (
	"math"
	"math/rand/v2"
)

// numberFunctions compute with numbers.
var numberFunctions = []builtin{
	{name: "sum", signature: mustSignature("<a<n>:n>"), arity: 1, fn: sum},
	{name: "average", signature: mustSignature("<a<n>:n>"), arity: 1, fn: average},
	{name: "max", signature: mustSignature("<a<n>:n>"), arity: 1, fn: extreme(math.Max)},
	{name: "min", signature: mustSignature("<a<n>:n>"), arity: 1, fn: extreme(math.Min)},
	{name: "number", signature: mustSignature("<(nsb)-:n>"), arity: 1, fn: toNumber},
	{name: "abs", signature: mustSignature("<n-:n>"), arity: 1, fn: ofNumber(math.Abs)},
	{name: "floor", signature: mustSignature("<n-:n>"), arity: 1, fn: ofNumber(math.Floor)},
	{name: "ceil", signature: mustSignature("<n-:n>"), arity: 1, fn: ofNumber(math.Ceil)},
	{name: "round", signature: mustSignature("<n-n?:n>"), arity: 2, fn: round},
	{name: "sqrt", signature: mustSignature("<n-:n>"), arity: 1, fn: squareRoot},
	{name: "power", signature: mustSignature("<n-n:n>"), arity: 2, fn: raise},
	{name: "random", signature: mustSignature("<:n>"), arity: 0, fn: func(call) (any, error) { return rand.Float64(), nil }},
	{name: "formatBase", signature: mustSignature("<n-n?:s>"), arity: 2, fn: inBase},
}

// ofNumber is a function of one number.
func ofNumber(f func(float64) float64) function {
	return func(c call) (any, error) {
		x, ok := number(c.args[0])
		if !ok {
			return nil, nil
		}
		return f(x), nil
	}
}

func total(items []any) float64 {
	sum := 0.0
	for _, item := range items {
		x, _ := number(item)
		sum += x
	}
	return sum
}

func sum(c call) (any, error) {
	if c.args[0] == nil {
		return nil, nil
	}
	return total(c.items(0)), c.spend()
}

func average(c call) (any, error) {
	items := c.items(0)
	if len(items) == 0 {
		return nil, nil
	}
	return total(items) / float64(len(items)), c.spend()
}

func extreme(better func(a, b float64) float64) function {
	return func(c call) (any, error) {
		items := c.items(0)
		if len(items) == 0 {
			return nil, nil
		}
		best, _ := number(items[0])
		for _, item := range items[1:] {
			x, _ := number(item)
			best = better(best, x)
		}
		return best, c.spend()
	}
}

// maxDigits is the longest text in bytes that is read as a number.
const maxDigits = 10_000

func toNumber(c call) (any, error) {
	switch x := c.args[0].(type) {
	case nil:
		return nil, nil
	case bool:
		if x {
			return 1.0, nil
		}
		return 0.0, nil
	case string:
		if len(x) > maxDigits {
			break
		}
		if f, ok := numberOf(x); ok {
			return f, nil
		}
	default:
		if _, ok := number(x); ok {
			return x, nil
		}
	}
	return nil, c.fail("D3030", "cannot read the value as a number")
}

func round(c call) (any, error) {
	x, ok := number(c.args[0])
	if !ok {
		return nil, nil
	}
	precision, _ := number(c.arg(1))
	return roundHalfEven(x, int(math.Trunc(precision))), nil
}

func squareRoot(c call) (any, error) {
	x, ok := number(c.args[0])
	switch {
	case !ok:
		return nil, nil
	case x < 0:
		return nil, c.fail("D3060", "expects a number from 0 as argument 1")
	}
	return math.Sqrt(x), nil
}

func raise(c call) (any, error) {
	x, ok := number(c.args[0])
	if !ok {
		return nil, nil
	}
	y, given := number(c.arg(1))
	if !given {
		y = math.NaN()
	}
	result := math.Pow(x, y)
	if math.IsNaN(result) || math.IsInf(result, 0) {
		return nil, c.fail("D3061", "gives a number that is out of range")
	}
	return result, nil
}

func inBase(c call) (any, error) {
	x, ok := number(c.args[0])
	if !ok {
		return nil, nil
	}
	radix, given := number(c.arg(1))
	if !given {
		radix = 10
	}
	text, code := formatBase(x, radix)
	if code != "" {
		return nil, c.fail(code, "expects a base from 2 to 36 as argument 2")
	}
	return text, nil
}
