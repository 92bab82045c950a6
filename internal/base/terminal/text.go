package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

const ellipsis = "…"

// Width returns how many columns a text of one line takes.
func Width(text string) int { return runewidth.StringWidth(text) }

// Cut shortens a text to a number of columns; a shortened one ends with an ellipsis.
func Cut(text string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return runewidth.Truncate(text, columns, ellipsis)
}

// Width returns how wide a text is in tables: its columns, and where the screen has none its
// characters.
func (s Screen) Width(text string) int {
	if !s.live {
		return utf8.RuneCountInString(text)
	}
	return Width(text)
}

// Pad appends spaces up to a width.
func (s Screen) Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-s.Width(text)))
}

// Fit shortens a line to the width of the screen.
func (s Screen) Fit(line string) string { return s.Line(Part{Text: line}) }

// Head returns the beginning of a text that the screen shows at once, but for some rows of it, and
// whether that is all.
func (s Screen) Head(text string, reserved int) (head string, all bool) {
	if !s.live {
		return text, true
	}
	columns, left, shown := s.Columns(), max(1, s.Rows()-reserved), 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		rows := max(1, (Width(bare)+columns-1)/columns) // a terminal wraps long lines
		if rows > left {
			return strings.TrimSuffix(text[:shown]+Cut(bare, columns*left), "\n"), false
		}
		left -= rows
		shown += len(line)
	}
	return text, true
}

// Wrap breaks the lines of a text between words, so that they are no longer than the screen is wide.
// The lines that it begins have so many spaces before them.
func (s Screen) Wrap(text string, indent int) string {
	columns := s.Columns()
	if columns <= indent {
		return text
	}
	var broken []string
	for line := range strings.SplitSeq(text, "\n") {
		var b strings.Builder
		at := 0
		for word := range strings.SplitAfterSeq(line, " ") {
			width := Width(strings.TrimRight(word, " "))
			if at > indent && at+width > columns {
				broken = append(broken, strings.TrimRight(b.String(), " "))
				b.Reset()
				b.WriteString(strings.Repeat(" ", indent))
				at = indent
			}
			b.WriteString(word)
			at += Width(word)
		}
		broken = append(broken, b.String())
	}
	return strings.Join(broken, "\n")
}

// Carets aligns the carets of a message with the lines above them, where it has characters that
// take two columns or none, and shows no more of such a line than the screen is wide. It expects
// one character of indentation for each character before the place, as expressions.Caret has it.
func (s Screen) Carets(message string) string {
	if !s.live || !strings.Contains(message, "^") {
		return message
	}
	lines := strings.Split(message, "\n")
	for i := 1; i < len(lines); i++ {
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " \t"))
		if above := []rune(lines[i-1]); strings.HasPrefix(lines[i][indent:], "^") && indent <= len(above) {
			line, column := s.around(above, indent)
			lines[i-1], lines[i] = line, strings.Repeat(" ", column)+s.Paint(Bad, "^")+lines[i][indent+1:]
		}
	}
	return strings.Join(lines, "\n")
}

// tab is how far apart tab stops are.
const tab = 8

// around returns a line without tabs and the column of a character of it. A line that is longer
// than the screen is wide loses its beginning or its end.
func (s Screen) around(line []rune, at int) (text string, column int) {
	spread := func(runes []rune, from int) string {
		var b strings.Builder
		for _, r := range runes {
			if r == '\t' {
				n := tab - (from+Width(b.String()))%tab
				b.WriteString(strings.Repeat(" ", n))
				continue
			}
			b.WriteRune(r)
		}
		return b.String()
	}
	before := spread(line[:at], 0)
	column = Width(before)
	after := spread(line[at:], column)
	const shown = 12 // columns of the line that stay after the place
	if most := max(1, s.Columns()-min(shown, Width(after))-1); column > most {
		left := column - most + 1 // and one for the ellipsis
		before = ellipsis + runewidth.TruncateLeft(before, left, "")
		column = Width(before)
	}
	return before + Cut(after, s.Columns()-column), column
}
