package config

import (
	"bytes"
	"fmt"
	"sort"
	"unicode/utf8"
)

// source is the text of a file and the offsets of its lines.
type source struct {
	name  string
	data  []byte
	lines []int // offsets
	inner []int // offsets of the bytes of characters but for their first
	mark  int   // bytes of the byte order mark before data
	slips []slip

	aliases bool // it has one, *name
}

func newSource(name string, data []byte) *source {
	s := &source{name: name, data: data, lines: make([]int, 1, 1+bytes.Count(data, []byte("\n")))}
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\n':
			s.lines = append(s.lines, i+1)
		case c >= utf8.RuneSelf:
			for _, size := utf8.DecodeRune(data[i:]); size > 1; size-- {
				i++
				s.inner = append(s.inner, i)
			}
		}
	}
	return s
}

// is reports whether the source is that of a file with this content; a nil one is of none.
func (s *source) is(data []byte) bool {
	return s != nil && bytes.Equal(s.data, bytes.TrimPrefix(data, byteOrderMark))
}

// characters returns how many characters begin before offset.
func (s *source) characters(offset int) int { return offset - sort.SearchInts(s.inner, offset) }

// pos returns the place of the byte at offset.
func (s *source) pos(offset int) Pos {
	offset = min(max(offset, 0), len(s.data))
	line := sort.SearchInts(s.lines, offset+1)
	return Pos{File: s.name, Line: line, Column: 1 + s.characters(offset) - s.characters(s.lines[line-1])}
}

// offset is the inverse of pos. A place past the end of its line gives that end.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.lines) {
		return len(s.data)
	}
	from, end := s.lines[line-1], len(s.data)
	if line < len(s.lines) {
		end = s.lines[line] - 1
	}
	behind := s.characters(from) + max(column, 1)
	return from + sort.Search(end-from+1, func(n int) bool { return s.characters(from+n) >= behind }) - 1
}

// Lines finds the bytes of a file at its places.
type Lines struct{ src *source }

// LinesOf returns the lines of a file, which may begin with a byte order mark.
func LinesOf(data []byte) Lines {
	src := newSource("", bytes.TrimPrefix(data, byteOrderMark))
	src.mark = len(data) - len(src.data)
	return Lines{src}
}

// Offset returns the byte at a place. One past the end of its line gives that end, one past the last line the
// end of the file, and one without a line its beginning.
func (l Lines) Offset(at Pos) int {
	if at.Line < 1 {
		return 0
	}
	return l.src.mark + l.src.offset(at.Line, at.Column)
}

// line returns the text of a line, without its line end.
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

const (
	// maxLines is the largest number of lines of a file: short lines cost the YAML parser most.
	maxLines = 200_000
	// maxMarks is the largest number of commas and colons in one line: the parser of yaml 4.0.0 has all
	// tokens of a collection in memory until the line ends, as it may be a key.
	maxMarks = 2 * maxNodes
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// cleanText removes the byte order mark and checks that all readers read the rest as the same
// text: UTF-8 without control characters, hidden changes of direction, and line ends that only
// some programs know. Each kind of problem is reported once.
func cleanText(name string, data []byte) (*source, Diagnostics) {
	var found Diagnostics
	if len(data) > MaxFileBytes {
		return nil, tooLarge(name)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		found.Add(Pos{File: name, Line: 1, Column: 1}, "not-utf-8", "the file is UTF-16, expected UTF-8", "save it as UTF-8")
		return nil, found
	}
	src := newSource(name, bytes.TrimPrefix(data, byteOrderMark))
	src.mark = len(data) - len(src.data)
	if len(src.lines) > maxLines {
		found.Add(Pos{File: name, Line: maxLines, Column: 1}, "file-too-large",
			fmt.Sprintf("the file has %d lines, at most %d are allowed", len(src.lines), maxLines), "split it into several files")
		return src, found
	}
	if line := src.crowded(); line > 0 {
		found.Add(Pos{File: name, Line: line, Column: 1}, "too-many-values",
			fmt.Sprintf("the line has more than %d commas and colons", maxMarks), "write its values on several lines")
		return src, found
	}
	seen := map[string]bool{}
	for i := 0; i < len(src.data); {
		c := src.data[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(src.data[i:])
		code, message, hint := badRune(r, size, src.data[i:])
		if code != "" && !seen[message] {
			seen[message] = true
			bad := found.Add(src.pos(i), code, message, hint)
			if code != "not-utf-8" && !endsLine(r) && r != 0 {
				bad.Fixed(fixSource("Remove the character", src, i, i+size, ""))
			}
		}
		if code == "not-utf-8" {
			break
		}
		i += size
	}
	return src, found
}

// endsLine reports whether programs may end a line at a character, so that without it two lines are one.
func endsLine(r rune) bool { return r == '\r' || r == 0x2028 || r == 0x2029 }

// crowded returns the first line with more than maxMarks marks, or 0.
func (s *source) crowded() int {
	for n := 1; n <= len(s.lines); n++ {
		text := s.line(n)
		if len(text) <= maxMarks {
			continue
		}
		if bytes.Count(text, []byte(","))+bytes.Count(text, []byte(":")) > maxMarks {
			return n
		}
	}
	return 0
}

// badRune returns the problem of a character; code is "" when it has none.
func badRune(r rune, size int, rest []byte) (code, message, hint string) {
	const control = "control-character"
	switch {
	case r == utf8.RuneError && size <= 1:
		return "not-utf-8", fmt.Sprintf("the byte 0x%02X is not UTF-8", rest[0]), "save the file as UTF-8"
	case r == '\r':
		if len(rest) > 1 && rest[1] == '\n' {
			return "", "", ""
		}
		return control, "found a carriage return alone, expected line ends of \\n or \\r\\n", "save the file with \\n line ends"
	case r == 0:
		return control, "found a NUL character, expected text", "save the file as UTF-8 text"
	case r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0xfffe || r == 0xffff:
		return control, fmt.Sprintf("found the control character U+%04X", r), fmt.Sprintf(`remove it, or write "\u%04x" in double quotes`, r)
	case endsLine(r):
		return control, fmt.Sprintf("found the line separator U+%04X, which some programs do not treat as a line end", r),
			fmt.Sprintf(`write a plain line end, or "\u%04x" in double quotes`, r)
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return "hidden-character", fmt.Sprintf("found the invisible character U+%04X, which changes the direction of text", r),
			fmt.Sprintf(`remove it, or write "\u%04x" in double quotes`, r)
	case r == 0xfeff:
		return "hidden-character", "found a byte order mark inside the file", "remove it"
	}
	return "", "", ""
}
