package cli

import (
	"testing"

	"toolgraph/internal/wording"
)

func TestPrintable(t *testing.T) {
	hostile := "a\x1b]0;title\x07b\r\n\tc\u202ed"
	if got, want := wording.Printable(hostile), "a\uFFFD]0;title\uFFFDb\uFFFD\n\tc\uFFFDd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := wording.OneLine(hostile), "a\uFFFD]0;title\uFFFDb\uFFFD  c\uFFFDd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
