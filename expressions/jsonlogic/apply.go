package jsonlogic

import (
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

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
		order, ok, err := run.order(args[1], args[0])
		return err == nil && ok && order <= most, err
	}
}

func applyNot(_ *ruleRun, args []value.Value) (value.Value, error) {
	return len(args) == 0 || !Truth(args[0]), nil
}

func applyTruth(_ *ruleRun, args []value.Value) (value.Value, error) {
	return len(args) > 0 && Truth(args[0]), nil
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
	if log, ok := run.Context().Value(ruleLogKey{}).(func(value.Value)); ok {
		log(args[0])
	}
	return args[0], nil
}

type ruleLogKey struct{}

// WithLog returns a context under which the log operator of rules passes its argument to
// log, on the evaluation's goroutine. Without it, the operator is silent: this package never
// writes anything.
func WithLog(ctx context.Context, log func(value.Value)) context.Context {
	return context.WithValue(ctx, ruleLogKey{}, log)
}

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

func applyCat(run *ruleRun, args []value.Value) (value.Value, error) {
	var b strings.Builder
	if err := run.join(&b, args, "", 0); err != nil {
		return nil, err
	}
	return b.String(), nil
}

// applySubstr is substr(text, start[, length]) in code points; a negative start
// counts from the end, a negative length leaves so many off the end.
func applySubstr(run *ruleRun, args []value.Value) (value.Value, error) {
	s, err := run.text(args[0])
	if err != nil {
		return nil, err
	}
	if err := run.read(len(s)); err != nil {
		return nil, err
	}
	start, err := run.number(args[1])
	if err != nil {
		return nil, err
	}
	total := utf8.RuneCountInString(s)
	from := position(start, total)
	length := float64(total - from)
	if len(args) == 3 && kindOf(args[2]) != kindUndefined {
		length, err = run.substrLength(args[2], total-from)
		if err != nil {
			return nil, err
		}
	}
	to := from + int(math.Max(0, math.Min(length, float64(total-from))))
	return sliceRunes(s, from, to), nil
}

// substrLength is how many of the rest's code points are asked for.
func (r *ruleRun) substrLength(v value.Value, rest int) (float64, error) {
	length, err := r.number(v)
	if err != nil {
		return 0, err
	}
	if length < 0 {
		if kindOf(v) != kindNumber {
			return 0, nil // "-1" is put behind the length there, not added to it
		}
		length += float64(rest)
	}
	if math.IsNaN(length) {
		return 0, nil
	}
	return math.Trunc(length), nil
}

// position is a start in a text of so many code points.
func position(start float64, total int) int {
	if math.IsNaN(start) {
		return 0
	}
	start = math.Trunc(start)
	if start < 0 {
		start = math.Max(0, start+float64(total))
	}
	return int(math.Min(start, float64(total)))
}

// sliceRunes is s from one code point to another; both are inside s.
func sliceRunes(s string, from, to int) string {
	i, start := 0, len(s)
	for offset := range s {
		if i == from {
			start = offset
		}
		if i == to {
			return s[start:offset]
		}
		i++
	}
	return s[start:]
}
