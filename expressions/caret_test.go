package expressions

import (
	"strings"
	"testing"
)

func TestCaret(t *testing.T) {
	long := strings.Repeat("é", 200)
	for _, c := range []struct {
		source string
		offset int
		want   string
	}{
		{"a + b", 4, "a + b\n    ^"},
		{"a", 1, "a\n ^"},
		{"(\n\tx + y\n)", 7, "\tx + y\n\t    ^"},
		{"é + b", 5, "é + b\n    ^"},
		{"a", -1, ""},
		{"a", 2, ""},
		{"", 0, "\n^"},
		{long, 200, "…" + strings.Repeat("é", 60) + "…\n" + strings.Repeat(" ", 31) + "^"},
	} {
		if got := Caret(c.source, c.offset); got != c.want {
			t.Errorf("Caret(%.20q, %d) is\n%s\nwant\n%s", c.source, c.offset, got, c.want)
		}
	}
}
