package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"

	"toolgraph/config"
)

// The encodings in which a client counts the characters of a line.
const (
	utf8Units  = "utf-8"
	utf16Units = "utf-16"
	utf32Units = "utf-32"
)

// text is an immutable text with its lines.
type text struct {
	src    string
	units  string
	lines  []int // where each line begins, as the protocol counts them: \n, \r\n and \r end a line
	wide   []int // where each character begins that has more than one byte
	places config.Lines
}

func newText(src, units string) *text {
	t := &text{src: src, units: units, lines: []int{0}, places: config.LinesOf([]byte(src))}
	for i := 0; i < len(src); i++ {
		if end := strings.IndexAny(src[i:], "\r\n"); end < 0 {
			break
		} else if i += end; src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			i++
		}
		t.lines = append(t.lines, i+1)
	}
	for i := 0; i < len(src); i++ {
		if src[i] >= utf8.RuneSelf {
			t.wide = append(t.wide, i)
			_, size := utf8.DecodeRuneInString(src[i:])
			i += size - 1
		}
	}
	return t
}

// lineText returns a line, counted from 0, without its end.
func (t *text) lineText(line int) string {
	end := len(t.src)
	if line+1 < len(t.lines) {
		end = t.lines[line+1]
	}
	return strings.TrimRight(t.src[t.lines[line]:end], "\r\n")
}

// Offset returns the byte at a position. A position behind its line is the end of the line, and one in the
// middle of a character is its beginning.
func (t *text) Offset(p Position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.src)
	}
	line, left := t.lineText(p.Line), p.Character
	for i, r := range line {
		if left -= t.width(r); left < 0 {
			return t.lines[p.Line] + i
		}
	}
	return t.lines[p.Line] + len(line)
}

// width is how many units a character has.
func (t *text) width(r rune) int {
	switch {
	case t.units == utf8Units:
		return utf8.RuneLen(r)
	case t.units == utf16Units && r > 0xffff:
		return 2
	}
	return 1
}

// Position is the inverse of Offset.
func (t *text) Position(offset int) Position {
	offset = min(max(offset, 0), len(t.src))
	line := sort.SearchInts(t.lines, offset+1) - 1
	from := t.lines[line]
	p := Position{Line: line, Character: offset - from}
	for _, at := range t.wide[sort.SearchInts(t.wide, from):sort.SearchInts(t.wide, offset)] {
		r, size := utf8.DecodeRuneInString(t.src[at:offset])
		p.Character += t.width(r) - size
	}
	return p
}

// Range is the range of the bytes from one offset to another.
func (t *text) Range(from, to int) Range {
	return Range{Start: t.Position(from), End: t.Position(max(from, to))}
}

// Span returns the bytes of a range; of one that is the wrong way round, its beginning twice.
func (t *text) Span(r Range) (from, to int) {
	from = t.Offset(r.Start)
	return from, max(from, t.Offset(r.End))
}

// At returns the byte at a place of package config.
func (t *text) At(pos config.Pos) int { return t.places.Offset(pos) }

// edited returns the text after a change of a range.
func (t *text) edited(r Range, with string) *text {
	from, to := t.Span(r)
	return newText(t.src[:from]+with+t.src[to:], t.units)
}
