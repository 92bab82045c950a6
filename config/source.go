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
