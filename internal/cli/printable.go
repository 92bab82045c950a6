package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// printable is text for a terminal: what would move its cursor or change its colours,
// or cannot be seen, as a server's words may hold, becomes U+FFFD. Line breaks stay.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

func isHidden(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// oneLine is printable text for one line of a table.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(printable(text), "\n", " "), "\t", " ")
}

// escaped is JSON in which what printable replaces is escaped: there it is the same.
func escaped(src []byte) []byte {
	if bytes.IndexFunc(src, isHidden) < 0 {
		return src
	}
	var out bytes.Buffer
	for _, r := range string(src) {
		switch {
		case !isHidden(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}
