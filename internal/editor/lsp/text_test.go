package lsp

import (
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

// Positions count the units of the encoding; one in the middle of a character is its beginning.
func TestPositions(t *testing.T) {
	const src = "a: é𝄞x\r\nb\rc\n"
	for _, c := range []struct {
		units           string
		line, character int
		offset          int
	}{
		{utf16Units, 0, 3, 3},
		{utf16Units, 0, 4, 5},
		{utf16Units, 0, 5, 5},
		{utf16Units, 0, 6, 9},
		{utf16Units, 0, 7, 10},
		{utf16Units, 0, 99, 10},
		{utf16Units, 1, 0, 12},
		{utf16Units, 2, 1, 15},
		{utf16Units, 3, 0, 16},
		{utf16Units, 9, 9, 16},
		{utf16Units, -1, 0, 0},
		{utf8Units, 0, 5, 5},
		{utf8Units, 0, 6, 5},
		{utf8Units, 0, 9, 9},
		{utf8Units, 0, 4, 3},
		{utf32Units, 0, 4, 5},
		{utf32Units, 0, 5, 9},
		{utf32Units, 0, 6, 10},
	} {
		text := newText(src, c.units)
		if got := text.Offset(Position{c.line, c.character}); got != c.offset {
			t.Errorf("%s: %d:%d is byte %d, want %d", c.units, c.line, c.character, got, c.offset)
		}
	}
	for units, want := range map[string]int{utf8Units: 9, utf16Units: 6, utf32Units: 5} {
		if got := newText(src, units).Position(9); got != (Position{0, want}) {
			t.Errorf("%s: byte 9 is %+v, want character %d", units, got, want)
		}
	}
	for offset := range len(src) + 1 { // each byte that begins a character is found again
		text := newText(src, utf16Units)
		if src[min(offset, len(src)-1)]&0xc0 == 0x80 || offset == 11 { // the second byte of \r\n has no position
			continue
		}
		if got := text.Offset(text.Position(offset)); got != offset {
			t.Errorf("byte %d is found again as %d", offset, got)
		}
	}
}

// Lines of package config end with \n alone, and its columns do not count the byte order mark.
func TestPlacesOfConfig(t *testing.T) {
	text := newText("\uFEFFa: 1\rb: 2\nc: é3\n", utf16Units)
	for _, c := range []struct{ line, column, offset int }{{1, 1, 3}, {1, 4, 6}, {2, 1, 13}, {2, 5, 18}, {2, 99, 19}, {9, 1, 20}, {0, 0, 0}} {
		if got := text.At(config.Pos{Line: c.line, Column: c.column}); got != c.offset {
			t.Errorf("%d:%d is byte %d, want %d", c.line, c.column, got, c.offset)
		}
	}
}

func TestExtents(t *testing.T) {
	for src, want := range map[string]string{
		`"a \" b" c`:           `"a \" b"`,
		`'it''s' x`:            `'it''s'`,
		`"open`:                `"open`,
		`{a: "}", b: [1]} # x`: `{a: "}", b: [1]}`,
		`{a: it's}, {b: 1}`:    `{a: it's}`,
		"[a,\n b]":             `[a,`,
		"- a: b \r\n":          "- a: b",
		"${VAR}x":              "${VAR}",
		`${VAR", "b}"`:         "${VAR",
		"*loop x":              "*loop",
		"$.entry.name & 1":     "$.entry.name",
		"é-ü: x":               "é-ü",
		"(a":                   "(",
		"id: pick\n  type: x":  "id: pick",
		"id: pick  # a #1":     "id: pick",
		"":                     "",
		"\nx":                  "",
		"identity: x":          "identity",
		"𝄞𝄞":                   "𝄞",
	} {
		if got := src[:newText(src, utf16Units).extent(0)]; got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

// Each place in a long line is found without reading the line again.
func TestPositionsInOneLine(t *testing.T) {
	of := newText(strings.Repeat("a", 1<<20)+"😀b", utf16Units)
	done := make(chan Position, 1)
	go func() {
		for at := range 1 << 18 {
			if got := of.Position(4 * at).Character; got != 4*at {
				t.Errorf("byte %d is character %d", 4*at, got)
			}
		}
		done <- of.Position(1<<20 + 4)
	}()
	select {
	case last := <-done:
		if last.Character != 1<<20+2 {
			t.Errorf("the last character is %d", last.Character)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("the places of one line take more than 60 s")
	}
}
