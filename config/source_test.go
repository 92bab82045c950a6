package config

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// Places count characters: whatever a line has, each place leads to its byte and back.
func TestPlacesCountCharacters(t *testing.T) {
	parts := []string{"a", "b ", "é", "日", "😀", "\n", "\r\n", "\t", "\xff", "\x80", ""}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // texts of a test
	for range 300 {
		text := ""
		for range random.IntN(40) {
			text += parts[random.IntN(len(parts))]
		}
		s := newSource("", []byte(text))
		line, column, rest := 1, 1, []byte(text)
		for at := 0; ; {
			if got := s.pos(at); got.Line != line || got.Column != column {
				t.Fatalf("%q: byte %d is at %d:%d, expected %d:%d", text, at, got.Line, got.Column, line, column)
			}
			if got := s.offset(line, column); got != at {
				t.Fatalf("%q: %d:%d is byte %d, expected %d", text, line, column, got, at)
			}
			if len(rest) == 0 || rest[0] == '\n' {
				if got := s.offset(line, column+7); got != at {
					t.Fatalf("%q: behind the end of line %d is byte %d, expected %d", text, line, got, at)
				}
			}
			if len(rest) == 0 {
				break
			}
			_, size := utf8.DecodeRune(rest)
			if column++; rest[0] == '\n' {
				line, column = line+1, 1
			}
			at, rest = at+size, rest[size:]
		}
	}
}
