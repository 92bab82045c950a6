package value

import (
	"cmp"
	"math"
)

// IsScriptSpace reports whether r is white space or a line end in JavaScript.
func IsScriptSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff':
		return true
	}
	return '\u2000' <= r && r <= '\u200a'
}

// NumberText returns JavaScript's String(number), NaN and Infinity included.
func NumberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	text, _ := AppendNumber(nil, f) // finite numbers only
	return string(text)
}

// CompareText orders strings by their UTF-16 units, as JavaScript does: characters
// beyond U+FFFF come before those from U+E000. It is negative, 0 or positive.
func CompareText(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	const surrogates, privateUse = 0xf0, 0xee // first bytes in UTF-8
	if i < len(a) && i < len(b) && min(a[i], b[i]) >= privateUse && (a[i] >= surrogates) != (b[i] >= surrogates) {
		return cmp.Compare(b[i], a[i])
	}
	return cmp.Compare(a[i:], b[i:])
}
