package lsp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
)

// rangeOf is the range of what a finding is about.
func (t *text) rangeOf(f config.Diagnostic) Range {
	from := t.At(f.Pos)
	return t.Range(from, t.extent(from))
}

// extent returns where what begins at a byte ends, as far as one line shows it: a text in quotes, a word
// with its operators of a path, or one character.
func (t *text) extent(from int) int {
	line := t.src[from:]
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	if line == "" {
		return from
	}
	if quote := line[0]; quote == '"' || quote == '\'' || quote == '`' {
		for i := 1; i < len(line); i++ {
			switch {
			case line[i] == '\\' && quote == '"':
				i++
			case line[i] == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
				i++
			case line[i] == quote:
				return from + i + 1
			}
		}
		return from + len(strings.TrimRight(line, " \t"))
	}
	end := 0
	for end < len(line) {
		r, size := utf8.DecodeRuneInString(line[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-$.", r) {
			break
		}
		end += size
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(line)
	}
	return from + end
}
