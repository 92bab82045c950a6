package lsp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgraph/config"
)

// rangeOf is the range of what a finding is about; of one without an end, what begins at its place.
func (t *text) rangeOf(f config.Diagnostic) Range {
	from := t.At(f.Pos)
	if f.End.IsValid() {
		return t.Range(from, t.At(f.End))
	}
	if f.Code == syntaxCode {
		return t.Range(from, t.lineEnd(from))
	}
	return t.Range(from, t.extent(from))
}

// lineEnd returns where the text of a line ends, without blanks.
func (t *text) lineEnd(from int) int {
	line := t.src[from:]
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	return from + len(strings.TrimRight(line, " \t"))
}

// extent returns where what begins at a byte ends, as far as its line shows it: a text in quotes, a value in
// brackets, a word with the operators of a path, or one character.
func (t *text) extent(from int) int {
	line := t.src[from:max(from, t.lineEnd(from))]
	if line == "" {
		return from
	}
	switch first := line[0]; {
	case first == '"' || first == '\'' || first == '`':
		return from + quoteEnd(line)
	case first == '{' || first == '[':
		return from + bracketEnd(line)
	case strings.HasPrefix(line, "- "):
		return from + len(line)
	case strings.HasPrefix(line, "${"):
		if end := strings.IndexAny(line, "} \"'"); end >= 0 && line[end] == '}' {
			return from + end + 1
		}
		return from + 2 + wordEnd(line[2:])
	case strings.ContainsRune("!&*", rune(first)):
		return from + 1 + wordEnd(line[1:])
	case strings.HasPrefix(line, "id: "): // the first key of a node stands for the node
		line, _, _ = strings.Cut(line, " #")
		return from + len(strings.TrimRight(line, " \t"))
	}
	end := wordEnd(line)
	if end == 0 {
		_, end = utf8.DecodeRuneInString(line)
	}
	return from + end
}

// wordEnd returns where the word at the beginning of a line ends.
func wordEnd(line string) int {
	end := strings.IndexFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-$.", r)
	})
	if end < 0 {
		end = len(line)
	}
	return end
}

// quoteEnd returns where the quotes at the beginning of a line are closed, at most its end.
func quoteEnd(line string) int {
	quote := line[0]
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quote == '"':
			i++
		case line[i] == quote && quote == '\'' && i+1 < len(line) && line[i+1] == quote:
			i++
		case line[i] == quote:
			return i + 1
		}
	}
	return len(line)
}

// bracketEnd returns where the bracket at the beginning of a line is closed, at most its end.
func bracketEnd(line string) int {
	open := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				return i + 1
			}
		case '"', '\'':
			if strings.ContainsRune("{[:, ", rune(line[i-1])) {
				i += quoteEnd(line[i:]) - 1
			}
		}
	}
	return len(line)
}
