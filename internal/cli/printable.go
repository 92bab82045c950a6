package cli

import (
	"strings"
	"unicode"
)

// printable is text for a terminal: what would move its cursor or change its colours,
// as a server's words may hold, becomes U+FFFD. Line breaks stay.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// oneLine is printable text for one line of a table.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(printable(text), "\n", " "), "\t", " ")
}
