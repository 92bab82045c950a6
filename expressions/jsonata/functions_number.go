package jsonata

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"toolgraph/expressions/value"
)

var (
	decimalNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([Ee][-+]?[0-9]+)?$`) })
	// prefixedNumber is looser than it looks, as in jsonata-js: the first form is at the
	// start, the second anywhere, the third at the end.
	prefixedNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^0[xX][0-9A-Fa-f]+|0[oO][0-7]+|0[bB][01]+$`) })
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
