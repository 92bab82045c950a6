package jsonata

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

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
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return string(reversed), ""
}
