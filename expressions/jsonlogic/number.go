package jsonlogic

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// numberFromText is JavaScript's Number(text).
func numberFromText(s string) float64 {
	s = strings.TrimFunc(s, value.IsScriptSpace)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			return numberInBase(s[2:], 16)
		case 'o', 'O':
			return numberInBase(s[2:], 8)
		case 'b', 'B':
			return numberInBase(s[2:], 2)
		}
	}
	n := decimalPrefix(s)
	if n != len(s) {
		return math.NaN()
	}
	return parseDecimal(s)
}

// numberPrefix is JavaScript's parseFloat(text): the number that the text begins with.
func numberPrefix(s string) float64 {
	s = strings.TrimLeftFunc(s, value.IsScriptSpace)
	n := decimalPrefix(s)
	if n == 0 {
		return math.NaN()
	}
	return parseDecimal(s[:n])
}

// parseDecimal reads what decimalPrefix found; out of range is an infinity or 0.
func parseDecimal(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// decimalPrefix is the length of the longest decimal number at the start of s, as
// JavaScript writes them: no underscores, no hexadecimal, Infinity in full.
func decimalPrefix(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if strings.HasPrefix(s[i:], "Infinity") {
		return i + len("Infinity")
	}
	whole := countDigits(s[i:])
	i += whole
	fraction := 0
	if i < len(s) && s[i] == '.' {
		if fraction = countDigits(s[i+1:]); whole+fraction > 0 {
			i += 1 + fraction
		}
	}
	if whole+fraction == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if n := countDigits(s[j:]); n > 0 {
			i = j + n
		}
	}
	return i
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

func numberInBase(s string, base int) float64 {
	f := 0.0
	for i := 0; i < len(s); i++ {
		d, err := strconv.ParseUint(s[i:i+1], base, 8)
		if err != nil {
			return math.NaN()
		}
		f = f*float64(base) + float64(d)
	}
	return f
}

// compareNumbers orders two numbers (float64 or json.Number); ok is false when one
// is NaN. Integers beyond 2^53 are compared by their digits when these are known.
func compareNumbers(a, b value.Value) (order int, ok bool) {
	x, y := floatOf(a), floatOf(b)
	switch {
	case x < y:
		return -1, true
	case x > y:
		return 1, true
	case x != y:
		return 0, false
	}
	_, exactA := a.(json.Number)
	_, exactB := b.(json.Number)
	if !exactA && !exactB {
		return 0, true
	}
	return compareDigits(a, b), true
}

// compareDigits orders two integers whose nearest float64 is the same; 0 when one
// of them is no integer written in digits.
func compareDigits(a, b value.Value) int {
	x, okX := integerDigits(a)
	y, okY := integerDigits(b)
	if !okX || !okY || x == y {
		return 0
	}
	negative := strings.HasPrefix(x, "-")
	less := len(x) < len(y) || len(x) == len(y) && x < y
	if less != negative {
		return -1
	}
	return 1
}

func integerDigits(v value.Value) (string, bool) {
	var s string
	switch n := v.(type) {
	case float64:
		if n != math.Trunc(n) || math.IsInf(n, 0) {
			return "", false
		}
		s = strconv.FormatFloat(n, 'f', -1, 64)
	case json.Number:
		s = string(n)
	}
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || countDigits(digits) != len(digits) {
		return "", false
	}
	trimmed := strings.TrimLeft(digits, "0")
	if trimmed != "" && len(digits) < len(s) {
		return "-" + trimmed, true
	}
	return trimmed, true
}

// floatOf is the nearest float64 of a float64 or json.Number.
func floatOf(v value.Value) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case json.Number:
		if decimalPrefix(string(n)) == len(n) && n != "" {
			return parseDecimal(string(n))
		}
	}
	return math.NaN()
}
