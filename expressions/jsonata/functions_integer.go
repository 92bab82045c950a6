package jsonata

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolgraph/expressions/value"
)

// maxRoman is the largest number that is written in Roman numerals.
const maxRoman = 1_000_000

// integerPicture is a picture of $formatInteger, and of the integers in a time.
type integerPicture struct {
	style   integerStyle
	upper   bool // letters, Roman numerals and words in capitals
	title   bool // words with capitals
	ordinal bool
	// Of decimal digits:
	zero      rune
	mandatory int // digits that are always written
	optional  int
	groups    []integerGroup // from the right
	regular   int            // the size of all groups, or 0
}

// integerGroup is a separator and how many digits follow it.
type integerGroup struct {
	position  int
	separator rune
}

type integerStyle int

const (
	styleDigits integerStyle = iota
	styleLetters
	styleRoman
	styleWords
	styleUnknown // a numbering sequence that there is no code for
)

var (
	errNoInteger = &pictureError{Code: "D3137", Message: "the string is not an integer in this picture's format"}
	errNotNumber = &pictureError{Code: "D3001", Message: "the number is not finite"}
	errRoman     = &pictureError{Code: "size", Message: "Roman numerals go up to 1,000,000"}
	errWide      = &pictureError{Code: "size", Message: "a width is at most 1,000"}
	errFarTime   = &pictureError{Code: "size", Message: "the time is more than 100,000,000 days from 1970"}
)

// integerText is $formatInteger(value, picture).
func integerText(value float64, picture string) (string, error) {
	p, err := newIntegerPicture(picture)
	if err != nil {
		return "", err
	}
	return p.format(math.Floor(value))
}

func newIntegerPicture(picture string) (*integerPicture, error) {
	p := &integerPicture{}
	if at := strings.LastIndexByte(picture, ';'); at >= 0 {
		p.ordinal = strings.HasPrefix(picture[at+1:], "o")
		picture = picture[:at]
	}
	switch picture {
	case "a", "A":
		p.style, p.upper = styleLetters, picture == "A"
	case "i", "I":
		p.style, p.upper = styleRoman, picture == "I"
	case "w", "W", "Ww":
		p.style, p.upper, p.title = styleWords, picture == "W", picture == "Ww"
	default:
		return p, p.digits(picture)
	}
	return p, nil
}

// digits reads a picture of decimal digits, from the right.
func (p *integerPicture) digits(picture string) error {
	runes := []rune(picture)
	slices.Reverse(runes)
	for _, r := range runes {
		places := p.mandatory + p.optional
		switch zero := digitZero(r); {
		case zero != 0:
			if p.zero != 0 && p.zero != zero {
				return pictureFault("D3131")
			}
			p.zero = zero
			p.mandatory++
		case r == '#':
			p.optional++
		default:
			p.groups = append(p.groups, integerGroup{places, r})
		}
	}
	if p.mandatory == 0 {
		p.style = styleUnknown
		return nil
	}
	positions := make([]int, len(p.groups))
	for i, group := range p.groups {
		positions[i] = group.position
		if group.separator != p.groups[0].separator {
			return nil
		}
	}
	p.regular = regularGroup(positions)
	return nil
}

// digitZero is the zero of the script that a decimal digit is of, or 0. As in
// jsonata-js only digits of the basic plane count.
func digitZero(r rune) rune {
	if r > math.MaxUint16 {
		return 0
	}
	for _, span := range unicode.Nd.R16 {
		if lo, hi := rune(span.Lo), rune(span.Hi); r >= lo && r <= hi {
			return lo + (r-lo)/10*10
		}
	}
	return 0
}

// format writes an integer.
func (p *integerPicture) format(v float64) (text string, err error) {
	size := math.Abs(v)
	switch {
	case p.style == styleUnknown:
		return "", pictureFault("D3130")
	case math.IsInf(size, 0) || math.IsNaN(size):
		return "", errNotNumber
	}
	switch p.style {
	case styleDigits:
		text = p.formatDigits(value.NumberText(size))
	case styleLetters:
		text = lettersOf(size)
	case styleRoman:
		if size > maxRoman {
			return "", errRoman
		}
		text = romanOf(int(size))
	case styleWords:
		text = wordsOf(size, p.ordinal)
	}
	switch {
	case p.style == styleDigits || p.title:
	case p.upper:
		text = strings.ToUpper(text)
	default:
		text = strings.ToLower(text)
	}
	if v < 0 {
		text = "-" + text
	}
	return text, nil
}

// formatDigits pads digits to the picture's, groups them and adds the ordinal's suffix.
func (p *integerPicture) formatDigits(digits string) string {
	digits = strings.Repeat("0", max(0, p.mandatory-len(digits))) + digits
	separators := map[int][]rune{} // by the number of digits behind them
	if p.regular > 0 {
		for at := p.regular; at < len(digits); at += p.regular {
			separators[at] = []rune{p.groups[0].separator}
		}
	} else {
		for _, group := range p.groups {
			if group.position < len(digits) {
				separators[group.position] = append(separators[group.position], group.separator)
			}
		}
	}
	var out []rune
	for i, c := range digits {
		out = appendReversed(out, separators[len(digits)-i])
		out = append(out, c-'0'+p.zero)
	}
	out = appendReversed(out, separators[0])
	text := string(out)
	if p.ordinal {
		text += ordinalSuffix(out)
	}
	return text
}

// appendReversed appends separators, which were read from the right.
func appendReversed(out, separators []rune) []rune {
	for i := len(separators) - 1; i >= 0; i-- {
		out = append(out, separators[i])
	}
	return out
}

// ordinalSuffix is st, nd, rd or th.
func ordinalSuffix(digits []rune) string {
	last := len(digits) - 1
	if last > 0 && digits[last-1] == '1' {
		return "th"
	}
	switch digits[last] {
	case '1':
		return "st"
	case '2':
		return "nd"
	case '3':
		return "rd"
	}
	return "th"
}

// lettersOf is A, B … Z, AA and so on; nothing for 0.
func lettersOf(value float64) string {
	var letters []byte
	for ; value > 0; value = math.Floor((value - 1) / 26) {
		letters = append(letters, 'A'+byte(math.Mod(value-1, 26)))
	}
	slices.Reverse(letters)
	return string(letters)
}

var romanNumerals = []struct {
	value   int
	numeral string
}{
	{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"},
}

// romanOf is a number in Roman numerals; nothing for 0.
func romanOf(value int) string {
	var b strings.Builder
	for _, n := range romanNumerals {
		b.WriteString(strings.Repeat(n.numeral, value/n.value))
		value %= n.value
	}
	return b.String()
}

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
