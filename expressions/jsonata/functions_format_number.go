package jsonata

import (
	"math"
	"slices"
	"unicode/utf16"
)

// maxFraction is how many digits after the decimal separator $formatNumber writes.
const maxFraction = 100

// formatNumber is $formatNumber(value, picture, options): XPath's fn:format-number as
// jsonata-js has it, with its readings of what XPath leaves open. Options that are not
// set have their defaults; unknown ones are ignored, as are infinity and NaN.
func formatNumber(value float64, picture string, options map[string]string) (string, error) {
	symbols := newNumberSymbols(options)
	pictures, err := symbols.parse(encodeUnits(picture))
	if err != nil {
		return "", err
	}
	p := &pictures[0]
	switch {
	case value >= 0:
	case len(pictures) > 1:
		p = &pictures[1]
	default:
		p.prefix = slices.Concat(symbols.minus, p.prefix)
	}
	switch {
	case p.percent:
		value *= 100
	case p.perMille:
		value *= 1000
	}
	mantissa, exponent := p.scale(value)
	if p.maxFraction > maxFraction {
		return "", &pictureError{Code: "size", Message: "a picture has at most 100 digits after the decimal separator"}
	}
	text := symbols.digits(fixed(math.Abs(roundHalfEven(mantissa, p.maxFraction)), p.maxFraction))
	out := slices.Concat(p.prefix, p.layOut(text))
	if p.minExponent > 0 {
		out = append(out, symbols.exponent...)
		if exponent < 0 {
			out = append(out, symbols.minus...)
		}
		text := symbols.digits(fixed(math.Abs(float64(exponent)), 0))
		out = append(out, symbols.zeros(p.minExponent-len(text))...)
		out = append(out, text...)
	}
	return string(utf16.Decode(append(out, p.suffix...))), nil
}

// scale splits a value into a mantissa with the picture's integer digits and a power
// of ten. Zero and numbers that are not finite have the power 0.
func (p *numberPicture) scale(value float64) (mantissa float64, exponent int) {
	if p.minExponent == 0 || value == 0 || math.IsInf(value, 0) {
		return value, 0
	}
	top, bottom := math.Pow10(p.scaling), math.Pow10(p.scaling-1)
	for math.Abs(value) < bottom {
		value *= 10
		exponent--
	}
	for math.Abs(value) > top {
		value /= 10
		exponent++
	}
	return value, exponent
}

// layOut pads and groups the digits of a number as the picture wants it. The steps are
// those of XPath's section 4.7.5; like jsonata-js they look for the separator in the
// text again after each step.
func (p *numberPicture) layOut(text units) units {
	s := p.symbols
	if dot := text.index(units{'.'}, 0); dot < 0 {
		text = append(text, s.decimal...)
	} else {
		text = slices.Replace(text, dot, dot+1, s.decimal...)
	}
	if len(s.zero) == 1 {
		for len(text) > 0 && text[0] == s.zero[0] {
			text = text[1:]
		}
		for len(text) > 0 && text[len(text)-1] == s.zero[0] {
			text = text[:len(text)-1]
		}
	}
	dot := text.index(s.decimal, 0)
	fraction := len(text) - dot - 1
	text = slices.Concat(s.zeros(p.minInteger-dot), text, s.zeros(p.minFraction-fraction))
	text = p.group(text)
	dot = text.index(s.decimal, 0)
	if len(text) > 0 && (!p.decimal || dot == len(text)-1) {
		text = text[:len(text)-1]
	}
	return text
}

// group puts the grouping separators into the digits.
func (p *numberPicture) group(text units) units {
	s := p.symbols
	dot := text.index(s.decimal, 0)
	if p.grouping > 0 {
		for n := 1; n <= (dot-1)/p.grouping; n++ {
			text = text.insert(dot-n*p.grouping, s.grouping)
		}
	} else {
		for i, position := range p.integerGroups {
			text = text.insert(dot+i-position, s.grouping)
		}
	}
	dot = text.index(s.decimal, 0)
	for _, position := range p.fractionGroups {
		text = text.insert(dot+1+position, s.grouping)
	}
	return text
}

// units is a text as JavaScript counts it, in UTF-16 code units.
type units []uint16

func encodeUnits(text string) units { return utf16.Encode([]rune(text)) }

// index is where part begins in u, from a place on, or -1.
func (u units) index(part units, from int) int {
	for i := from; i+len(part) <= len(u); i++ {
		if slices.Equal(u[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// last is where part begins for the last time in u, or -1.
func (u units) last(part units) int {
	for i := len(u) - len(part); i >= 0; i-- {
		if slices.Equal(u[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// slice is u from start to end, both within its bounds.
func (u units) slice(start, end int) units {
	end = min(end, len(u))
	return u[min(start, end):end]
}

// insert puts part at a place, which counts from the end when it is negative.
func (u units) insert(at int, part units) units {
	if at < 0 {
		at = max(0, len(u)+at)
	}
	at = min(at, len(u))
	return slices.Concat(u[:at], part, u[at:])
}

// is reports whether the text is that one unit.
func (u units) is(unit uint16) bool { return len(u) == 1 && u[0] == unit }

// numberSymbols are the characters that a picture and its result are made of.
type numberSymbols struct {
	decimal, grouping, exponent, minus, percent, perMille, zero, digit, separator units
}

func newNumberSymbols(options map[string]string) *numberSymbols {
	symbol := func(name, standard string) units {
		if text, ok := options[name]; ok {
			return encodeUnits(text)
		}
		return encodeUnits(standard)
	}
	return &numberSymbols{
		decimal:   symbol("decimal-separator", "."),
		grouping:  symbol("grouping-separator", ","),
		exponent:  symbol("exponent-separator", "e"),
		minus:     symbol("minus-sign", "-"),
		percent:   symbol("percent", "%"),
		perMille:  symbol("per-mille", "‰"),
		zero:      symbol("zero-digit", "0"),
		digit:     symbol("digit", "#"),
		separator: symbol("pattern-separator", ";"),
	}
}

// mandatory reports whether a unit of a picture is a digit that is always written.
func (s *numberSymbols) mandatory(unit uint16) bool {
	return len(s.zero) > 0 && unit-s.zero[0] < 10
}

// place reports whether a unit of a picture stands for a digit.
func (s *numberSymbols) place(unit uint16) bool { return s.mandatory(unit) || s.digit.is(unit) }

// active reports whether a unit of a picture has a meaning.
func (s *numberSymbols) active(unit uint16) bool {
	return s.place(unit) || s.decimal.is(unit) || s.exponent.is(unit) || s.grouping.is(unit) || s.separator.is(unit)
}

// digits is a number's text with the digits of the symbols.
func (s *numberSymbols) digits(text string) units {
	out := encodeUnits(text)
	if s.zero.is('0') {
		return out
	}
	var mapped units
	for _, unit := range out {
		switch {
		case unit < '0' || unit > '9':
			mapped = append(mapped, unit)
		case len(s.zero) > 0:
			mapped = append(mapped, s.zero[0]+unit-'0')
		}
	}
	return mapped
}

// zeros is n times zero.
func (s *numberSymbols) zeros(n int) units {
	return slices.Repeat(s.zero, max(0, n))
}

// split cuts a text at a separator; an empty one cuts between all units.
func (u units) split(separator units) []units {
	var parts []units
	for len(separator) > 0 {
		end := u.index(separator, 0)
		if end < 0 {
			return append(parts, u)
		}
		parts, u = append(parts, u[:end]), u[end+len(separator):]
	}
	for i := range u {
		parts = append(parts, u[i:i+1])
	}
	return parts
}
