package value

import (
	"math"
	"strconv"
)

// IsScriptSpace is JavaScript's white space and line ends.
func IsScriptSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff':
		return true
	}
	return '\u2000' <= r && r <= '\u200a'
}

// NumberText is JavaScript's String(number).
func NumberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	// Go writes at least two digits of exponent, JavaScript as few as there are.
	if n := len(s); s[n-2] == '0' && (s[n-3] == '-' || s[n-3] == '+') {
		s = s[:n-2] + s[n-1:]
	}
	return s
}
