package config

import (
	"strconv"
	"unicode/utf8"
)

func runeSize(b []byte) int {
	_, size := utf8.DecodeRune(b)
	return max(size, 1)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// breakSize is the length of the line end at i, or 0.
func breakSize(src []byte, i int) int {
	switch {
	case i < len(src) && src[i] == '\n':
		return 1
	case i+1 < len(src) && src[i] == '\r' && src[i+1] == '\n':
		return 2
	}
	return 0
}

// gap is a run of blanks and line ends in a scalar.
type gap struct {
	end    int
	breaks []int // offsets of the line ends
}

func scanGap(src []byte, i int) gap {
	var g gap
	for i < len(src) {
		if isBlank(src[i]) {
			i++
		} else if n := breakSize(src, i); n > 0 {
			g.breaks = append(g.breaks, i)
			i += n
		} else {
			break
		}
	}
	g.end = i
	return g
}

// fold appends what YAML makes of a gap: one line end is a space, n are n-1 line
// ends. After an escaped line end (escaped) every further one counts.
func (v *tracedText) fold(src []byte, g gap, escaped bool) {
	breaks := g.breaks
	if !escaped {
		if len(breaks) == 1 {
			v.add(" ", breaks[0], breaks[0]+breakSize(src, breaks[0]))
			return
		}
		breaks = breaks[1:]
	}
	for _, b := range breaks {
		v.add("\n", b, b+breakSize(src, b))
	}
}

// tracePlain reads a plain scalar until it has length bytes.
func tracePlain(src []byte, start, length int) (v tracedText, end int) {
	i := start
	for i < len(src) && len(v.text) < length {
		if !isBlank(src[i]) && breakSize(src, i) == 0 {
			size := runeSize(src[i:])
			v.copy(src, i, i+size)
			i += size
			continue
		}
		g := scanGap(src, i)
		if len(g.breaks) == 0 {
			v.copy(src, i, g.end)
		} else {
			v.fold(src, g, false)
		}
		i = g.end
	}
	return v, i
}

// traceQuoted reads a quoted scalar; end is after its closing quote.
func traceQuoted(src []byte, start int, as style) (v tracedText, end int) {
	if start >= len(src) {
		return v, start
	}
	quote := src[start]
	i := start + 1
	for i < len(src) {
		c := src[i]
		switch {
		case c == quote && as == styleSingle && i+1 < len(src) && src[i+1] == quote:
			v.add("'", i, i+2)
			i += 2
		case c == quote:
			return v, i + 1
		case c == '\\' && as == styleDouble:
			i = v.escape(src, i)
		case isBlank(c) || breakSize(src, i) > 0:
			g := scanGap(src, i)
			if len(g.breaks) == 0 {
				v.copy(src, i, g.end)
			} else {
				v.fold(src, g, false)
			}
			i = g.end
		default:
			size := runeSize(src[i:])
			v.copy(src, i, i+size)
			i += size
		}
	}
	return v, i
}

var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': "\"", '/': "/", '\\': "\\", '\'': "'", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape reads the escape at i and returns where it ends.
func (v *tracedText) escape(src []byte, i int) int {
	if breakSize(src, i+1) > 0 {
		g := scanGap(src, i+1)
		g.breaks = g.breaks[1:]
		v.fold(src, g, true)
		return g.end
	}
	if i+1 >= len(src) {
		return i + 1
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[src[i+1]]
	if digits == 0 {
		v.add(escapes[src[i+1]], i, i+2)
		return i + 2
	}
	end := min(i+2+digits, len(src))
	code, err := strconv.ParseUint(string(src[i+2:end]), 16, 32)
	if err == nil {
		v.add(string(rune(code)), i, end)
	}
	return end
}
