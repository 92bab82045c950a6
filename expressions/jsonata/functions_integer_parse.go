package jsonata

import (
	"math"
	"strconv"
	"strings"

	"toolgraph/expressions/value"
)

// integerOf is $parseInteger(text, picture). As in jsonata-js the picture is a hint:
// widths and groups are not checked, and what follows the digits is ignored.
func integerOf(text, picture string) (float64, error) {
	p, err := newIntegerPicture(picture)
	if err != nil {
		return 0, err
	}
	return p.parse(text)
}

func (p *integerPicture) parse(text string) (value float64, err error) {
	var ok bool
	switch p.style {
	case styleDigits:
		value, ok = p.parseDigits(text)
	case styleLetters:
		value, ok = valueOfLetters(text)
	case styleRoman:
		value, ok = valueOfRoman(text)
	case styleWords:
		value, ok = valueOfWords(text)
	default:
		return 0, pictureFault("D3130")
	}
	if !ok || math.IsInf(value, 0) {
		return 0, errNoInteger
	}
	return value, nil
}

// parseDigits reads the digits at the start of a text, without the picture's separators.
func (p *integerPicture) parseDigits(text string) (float64, bool) {
	text = strings.Map(func(r rune) rune {
		for _, group := range p.groups {
			if r == group.separator {
				return -1
			}
		}
		if r >= p.zero && r <= p.zero+9 {
			return r - p.zero + '0'
		}
		return r
	}, text)
	text = strings.TrimLeftFunc(text, value.IsScriptSpace)
	sign := ""
	if text != "" && (text[0] == '-' || text[0] == '+') {
		sign, text = text[:1], text[1:]
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	value, err := strconv.ParseFloat(sign+text[:digits], 64)
	return value, err == nil
}

// valueOfLetters is the reverse of lettersOf.
func valueOfLetters(text string) (value float64, ok bool) {
	for _, c := range []byte(text) {
		c |= 0x20
		if c < 'a' || c > 'z' {
			return 0, false
		}
		value = value*26 + float64(c-'a'+1)
	}
	return value, true
}

// valueOfRoman adds numerals up and subtracts those before a larger one.
func valueOfRoman(text string) (value float64, ok bool) {
	values := map[byte]float64{'M': 1000, 'D': 500, 'C': 100, 'L': 50, 'X': 10, 'V': 5, 'I': 1}
	largest := 1.0
	for i := len(text) - 1; i >= 0; i-- {
		n := values[text[i]&^0x20]
		switch {
		case n == 0:
			return 0, false
		case n < largest:
			value -= n
		default:
			largest, value = n, value+n
		}
	}
	return value, true
}
