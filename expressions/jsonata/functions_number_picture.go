package jsonata

import "slices"

// numberPicture is a sub-picture of $formatNumber: the format of its values.
type numberPicture struct {
	symbols                  *numberSymbols
	prefix, suffix           units
	percent, perMille        bool
	decimal                  bool // it has a decimal separator
	grouping                 int  // the size of all groups, or 0
	integerGroups            []int
	fractionGroups           []int
	minInteger               int
	minFraction, maxFraction int
	scaling                  int // integer digits of a mantissa
	minExponent              int // 0: without exponent
}

// numberParts are the parts of a sub-picture's text.
type numberParts struct {
	text           units // all of it
	prefix, suffix units
	active         units // what is between them
	mantissa       units
	exponent       units
	hasExponent    bool
	integer        units
	fraction       units
}

// parse reads a picture: one sub-picture, or two for positive and negative numbers.
func (s *numberSymbols) parse(picture units) ([]numberPicture, error) {
	texts := picture.split(s.separator)
	switch {
	case len(texts) > 2:
		return nil, pictureFault("D3080")
	case len(texts) == 0: // an empty separator cuts an empty picture into nothing
		return nil, pictureFault("D3085")
	}
	parts := make([]numberParts, len(texts))
	for i, text := range texts {
		parts[i] = s.parts(text)
	}
	for i := range parts {
		if code := s.check(&parts[i]); code != "" {
			return nil, pictureFault(code)
		}
	}
	pictures := make([]numberPicture, len(parts))
	for i := range parts {
		pictures[i] = s.analyse(&parts[i])
	}
	return pictures, nil
}

// parts takes a sub-picture's text apart.
func (s *numberSymbols) parts(text units) numberParts {
	p := numberParts{text: text}
	bounds := func(unit uint16) bool { return s.active(unit) && !s.exponent.is(unit) }
	if first := slices.IndexFunc(text, bounds); first >= 0 {
		p.prefix = text[:first]
		last := len(text) - 1
		for !bounds(text[last]) {
			last--
		}
		p.suffix = text[last+1:]
	}
	end := len(text) - len(p.suffix)
	p.active = text[len(p.prefix):end]
	p.mantissa = p.active
	// The place of the exponent counts from the start of the sub-picture, so a prefix
	// and an exponent do not go together, as in jsonata-js.
	if at := text.index(s.exponent, len(p.prefix)); at >= 0 && at <= end {
		p.mantissa = p.active.slice(0, at)
		p.exponent, p.hasExponent = p.active.slice(at+1, len(p.active)), true
	}
	p.integer, p.fraction = p.mantissa, p.suffix
	if at := p.mantissa.index(s.decimal, 0); at >= 0 {
		p.integer, p.fraction = p.mantissa[:at], p.mantissa.slice(at+1, len(p.mantissa))
	}
	return p
}

// check returns the code of the error in a sub-picture, or "". Of several errors it is
// the one with the highest code.
func (s *numberSymbols) check(p *numberParts) (code string) {
	text := p.text
	twice := func(part units) bool { return text.index(part, 0) != text.last(part) }
	has := func(part units) bool { return text.index(part, 0) >= 0 }
	passive := func(unit uint16) bool { return !s.active(unit) }
	groups := func(u units, i int) bool { return i >= 0 && i < len(u) && s.grouping.is(u[i]) }
	scaled := has(s.percent) || has(s.perMille)
	dot := text.index(s.decimal, 0)
	// The integer part before its first optional digit, and the fraction from its last
	// one on.
	before := p.integer[:max(0, p.integer.index(s.digit, 0))]
	var after units
	if i := p.fraction.last(s.digit); i >= 0 {
		after = p.fraction[i:]
	}
	for _, fault := range []struct {
		code  string
		found bool
	}{
		{"D3093", p.hasExponent && (len(p.exponent) == 0 || s.count(p.exponent, s.mandatory) < len(p.exponent))},
		{"D3092", len(p.exponent) > 0 && scaled},
		{"D3091", s.count(after, s.mandatory) > 0},
		{"D3090", s.count(before, s.mandatory) > 0},
		{"D3089", has(slices.Concat(s.grouping, s.grouping))},
		{"D3088", dot < 0 && groups(p.integer, len(p.integer)-1)},
		{"D3087", dot >= 0 && (groups(text, dot-1) || groups(text, dot+1))},
		{"D3086", slices.ContainsFunc(p.active, passive)},
		{"D3085", !slices.ContainsFunc(p.mantissa, s.place)},
		{"D3084", has(s.percent) && has(s.perMille)},
		{"D3083", twice(s.perMille)},
		{"D3082", twice(s.percent)},
		{"D3081", twice(s.decimal)},
	} {
		if fault.found {
			return fault.code
		}
	}
	return ""
}

func (s *numberSymbols) count(text units, counts func(uint16) bool) (n int) {
	for _, unit := range text {
		if counts(unit) {
			n++
		}
	}
	return n
}

// analyse returns the meaning of a sub-picture without errors.
func (s *numberSymbols) analyse(parts *numberParts) numberPicture {
	p := numberPicture{
		symbols: s, prefix: parts.prefix, suffix: parts.suffix,
		percent: parts.text.index(s.percent, 0) >= 0, perMille: parts.text.index(s.perMille, 0) >= 0,
		decimal:     parts.text.index(s.decimal, 0) >= 0,
		minInteger:  s.count(parts.integer, s.mandatory),
		minFraction: s.count(parts.fraction, s.mandatory),
		maxFraction: s.count(parts.fraction, s.place),
		minExponent: s.count(parts.exponent, s.mandatory),
	}
	p.scaling = p.minInteger
	if p.minInteger == 0 && p.maxFraction == 0 {
		if parts.hasExponent {
			p.minFraction, p.maxFraction = 1, 1
		} else {
			p.minInteger = 1
		}
	}
	if parts.hasExponent && p.minInteger == 0 && parts.integer.index(s.digit, 0) >= 0 {
		p.minInteger = 1
	}
	if p.minInteger == 0 && p.minFraction == 0 {
		p.minFraction = 1
	}
	for at := parts.integer.index(s.grouping, 0); at >= 0; at = parts.integer.index(s.grouping, at+1) {
		p.integerGroups = append(p.integerGroups, s.count(parts.integer[at:], s.place))
	}
	// After the first separator of the fraction jsonata-js searches the integer part.
	for at := parts.fraction.index(s.grouping, 0); at >= 0; at = parts.integer.index(s.grouping, at+1) {
		p.fractionGroups = append(p.fractionGroups, s.count(parts.fraction.slice(0, at), s.place))
	}
	p.grouping = regularGroup(p.integerGroups)
	return p
}

// regularGroup is the size of all groups when the separators are at its multiples,
// none left out, or 0.
func regularGroup(positions []int) int {
	size := 0
	for _, position := range positions {
		for b := position; b != 0; {
			size, b = b, size%b
		}
	}
	for n := range positions {
		if !slices.Contains(positions, (n+1)*size) {
			return 0
		}
	}
	return size
}
