package jsonata

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// numberFunctions compute with numbers.
var numberFunctions = []builtin{
	{name: "sum", types: "<a<n>:n>", arity: 1, fn: sum},
	{name: "average", types: "<a<n>:n>", arity: 1, fn: average},
	{name: "max", types: "<a<n>:n>", arity: 1, fn: extreme(math.Max)},
	{name: "min", types: "<a<n>:n>", arity: 1, fn: extreme(math.Min)},
	{name: "number", types: "<(nsb)-:n>", arity: 1, fn: toNumber},
	{name: "abs", types: "<n-:n>", arity: 1, fn: ofNumber(math.Abs)},
	{name: "floor", types: "<n-:n>", arity: 1, fn: ofNumber(math.Floor)},
	{name: "ceil", types: "<n-:n>", arity: 1, fn: ofNumber(math.Ceil)},
	{name: "round", types: "<n-n?:n>", arity: 2, fn: withNumber(round)},
	{name: "sqrt", types: "<n-:n>", arity: 1, fn: withNumber(squareRoot)},
	{name: "power", types: "<n-n:n>", arity: 2, fn: withNumber(raise)},
	{name: "random", types: "<:n>", arity: 0, total: true, fn: func(call) (any, error) { return rand.Float64(), nil }},
	{name: "formatBase", types: "<n-n?:s>", arity: 2, fn: withNumber(inBase)},
}

// withNumber is a function whose first argument is a number; of one beyond float64 it is
// nothing.
func withNumber(f func(c call, x float64) (any, error)) function {
	return func(c call) (any, error) {
		x, ok := number(c.args[0])
		if !ok {
			return nil, nil
		}
		return f(c, x)
	}
}

// ofNumber is a function of one number.
func ofNumber(f func(float64) float64) function {
	return withNumber(func(_ call, x float64) (any, error) { return f(x), nil })
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
	return total(c.items(0)), nil
}

func average(c call) (any, error) {
	items := c.items(0)
	if len(items) == 0 {
		return nil, nil
	}
	return total(items) / float64(len(items)), nil
}

func extreme(better func(a, b float64) float64) function {
	return func(c call) (any, error) {
		items := c.items(0)
		if len(items) == 0 {
			return nil, nil
		}
		best, _ := number(items[0])
		at := 0
		for i, item := range items {
			x, _ := number(item)
			if x = better(best, x); x != best {
				best, at = x, i
			}
		}
		if digits, whole := items[at].(json.Number); whole && !math.IsNaN(best) {
			return digits, nil // it is passed on, not computed
		}
		return best, nil
	}
}

// maxDigits is the longest text in bytes that is read as a number.
const maxDigits = 10_000

func toNumber(c call) (any, error) {
	switch x := c.args[0].(type) {
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

func round(c call, x float64) (any, error) {
	precision, _ := number(c.arg(1))
	return roundHalfEven(x, int(math.Trunc(precision))), nil
}

func squareRoot(c call, x float64) (any, error) {
	if x < 0 {
		return nil, c.fail("D3060", "expects a number from 0 as argument 1")
	}
	return math.Sqrt(x), nil
}

func raise(c call, x float64) (any, error) {
	y, given := number(c.arg(1))
	if !given {
		y = math.NaN()
	}
	result := correctPower(x, y)
	if math.IsNaN(result) || math.IsInf(result, 0) {
		return nil, c.fail("D3061", "returns a number that is out of range")
	}
	return result, nil
}

func inBase(c call, x float64) (any, error) {
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

var (
	decimalNumber = wording.Pattern(`^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$`)
	// prefixedNumber is looser than it looks, as in jsonata-js: the first form is at the
	// start, the second anywhere, the third at the end.
	prefixedNumber = wording.Pattern(`^0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+$`)
)

// numberOf is $number of a text: a decimal number, or a hexadecimal, octal or binary
// one with its prefix. ok is false for other texts and for decimal numbers that are out
// of range. A text that only contains a number with a prefix is NaN and ok.
func numberOf(text string) (v float64, ok bool) {
	if decimalNumber().MatchString(text) {
		value, err := strconv.ParseFloat(text, 64)
		return value, err == nil
	}
	if !prefixedNumber().MatchString(text) {
		return 0, false
	}
	text = strings.TrimFunc(text, value.IsScriptSpace)
	if len(text) < 3 || text[0] != '0' {
		return math.NaN(), true
	}
	base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
	n, valid := new(big.Int), false
	if base > 0 && text[2] != '-' && text[2] != '+' {
		_, valid = n.SetString(text[2:], base)
	}
	if !valid {
		return math.NaN(), true
	}
	v, _ = new(big.Float).SetInt(n).Float64()
	return v, true
}

// roundHalfEven is $round(value, precision): to that many decimal places, to tens and
// hundreds when precision is negative, a half to the even side. A half is one of the
// decimal digits that the number is written with, not of its binary value. It is NaN
// where the number that is shifted by precision is too large for a float64. There is no -0.
func roundHalfEven(value float64, precision int) float64 {
	rounded := shiftDecimal(math.RoundToEven(shiftDecimal(value, precision)), -precision)
	if rounded == 0 {
		return 0
	}
	return rounded
}

// shiftDecimal moves the decimal point of the shortest text that stands for f.
func shiftDecimal(f float64, places int) float64 {
	if places == 0 {
		return f
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return math.NaN()
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	at, _ := strconv.Atoi(exponent)
	shifted, _ := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(at+places), 64) // ±Inf out of range
	return shifted
}

// fixed is JavaScript's toFixed of a number that is not negative: a half is rounded up,
// and from 1e21 on it is the shortest text, with its exponent.
func fixed(f float64, places int) string {
	if !(f < 1e21) {
		return value.NumberText(f)
	}
	// f is fraction × 2^exponent, and 2^-exponent is what 1 is counted in.
	fraction, exponent := math.Frexp(f)
	n := new(big.Int).SetInt64(int64(math.Ldexp(fraction, 53)))
	exponent -= 53
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	if exponent >= 0 {
		n.Lsh(n, uint(exponent))
	} else {
		half := new(big.Int).Lsh(big.NewInt(1), uint(-exponent-1))
		n.Rsh(n.Add(n, half), uint(-exponent))
	}
	digits := n.String()
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if places == 0 {
		return digits
	}
	point := len(digits) - places
	return digits[:point] + "." + digits[point:]
}

// formatBase is $formatBase(value, radix), both rounded to integers; code is D3100 when
// the radix is not from 2 to 36. The last digits of a number beyond 2^53 × radix are zeros,
// as in JavaScript.
func formatBase(v, radix float64) (text, code string) {
	v, radix = roundHalfEven(v, 0), roundHalfEven(radix, 0)
	switch {
	case !(radix >= 2 && radix <= 36):
		return "", "D3100"
	case radix == 10 || math.IsInf(v, 0) || math.IsNaN(v):
		return value.NumberText(v), ""
	}
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	const exact = 1 << 53
	var reversed []byte
	left := math.Abs(v)
	for left/radix >= exact {
		left /= radix
		reversed = append(reversed, '0')
	}
	for {
		digit := math.Mod(left, radix)
		reversed = append(reversed, digits[int(digit)])
		if left = (left - digit) / radix; left <= 0 {
			break
		}
	}
	if v < 0 {
		reversed = append(reversed, '-')
	}
	slices.Reverse(reversed)
	return string(reversed), ""
}
