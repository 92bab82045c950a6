package config

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// source is the text of a file and where its lines begin.
type source struct {
	name  string
	data  []byte
	lines []int // offsets
}

func newSource(name string, data []byte) *source {
	s := &source{name: name, data: data, lines: make([]int, 1, 1+bytes.Count(data, []byte("\n")))}
	for i, c := range data {
		if c == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// pos is the place of the byte at offset.
func (s *source) pos(offset int) Pos {
	offset = min(max(offset, 0), len(s.data))
	line := sort.SearchInts(s.lines, offset+1)
	column := 1 + utf8.RuneCount(s.data[s.lines[line-1]:offset])
	return Pos{File: s.name, Line: line, Column: column}
}

// offset is the inverse of pos; a place past the end of its line gives that end.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.data)
	}
	at := s.lines[line-1]
	for ; column > 1 && at < len(s.data) && s.data[at] != '\n'; column-- {
		_, size := utf8.DecodeRune(s.data[at:])
		at += size
	}
	return at
}

// line is the text of a line, without its end.
func (s *source) line(number int) []byte {
	if number < 1 || number > len(s.lines) {
		return nil
	}
	rest := s.data[s.lines[number-1]:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return bytes.TrimSuffix(rest, []byte("\r"))
}

// cursor finds offsets of places that come one after the other, each line walked once.
type cursor struct {
	src                  *source
	line, column, offset int
}

// seek moves to a place and returns its offset.
func (c *cursor) seek(line, column int) int {
	if line != c.line || column < c.column {
		c.line, c.column, c.offset = line, 1, c.src.offset(line, 1)
	}
	for ; c.column < column && c.offset < len(c.src.data) && c.src.data[c.offset] != '\n'; c.column++ {
		_, size := utf8.DecodeRune(c.src.data[c.offset:])
		c.offset += size
	}
	return c.offset
}

// pos is the place of an offset that is not before the cursor and near it.
func (c *cursor) pos(offset int) Pos {
	p := Pos{File: c.src.name, Line: c.line, Column: c.column}
	for at := c.offset; at < offset; {
		r, size := utf8.DecodeRune(c.src.data[at:])
		if p.Column++; r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		}
		at += size
	}
	return p
}
