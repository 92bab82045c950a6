package expressions

import (
	"strings"
	"unicode/utf8"
)

// caretWindow is how many bytes of a long line are shown on each side of a place.
const caretWindow = 60

// CaretAt shows a column of a line, counted in characters from 1, as Caret does.
func CaretAt(line string, column int) string {
	offset := 0
	for i := range line {
		if column--; column <= 0 {
			offset = i
			break
		}
	}
	return Caret(line, offset)
}

// Caret shows the place at offset in a source: its line, and under it a caret. It is
// empty when the place is unknown.
func Caret(source string, offset int) string {
	if offset < 0 || offset > len(source) {
		return ""
	}
	start := strings.LastIndexByte(source[:offset], '\n') + 1
	line, _, _ := strings.Cut(source[start:], "\n")
	line = strings.TrimRight(line, "\r")
	at := min(offset-start, len(line))
	from, to := max(0, at-caretWindow), min(len(line), at+caretWindow)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	before, after := line[from:at], line[at:to]
	if from > 0 {
		before = "…" + before
	}
	if to < len(line) {
		after += "…"
	}
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
	return before + after + "\n" + indent + "^"
}
