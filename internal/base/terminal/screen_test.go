package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestColours(t *testing.T) {
	for _, c := range []struct {
		live      bool
		no, force string
		want      bool
	}{
		{true, "", "", true},
		{true, "1", "", false},
		{true, "0", "", false},
		{false, "", "", false},
		{false, "", "1", true},
		{false, "", "0", false},
		{false, "1", "1", false},
		{true, "1", "1", false},
	} {
		env := map[string]string{"NO_COLOR": c.no, "CLICOLOR_FORCE": c.force}
		if got := coloured(c.live, func(name string) string { return env[name] }); got != c.want {
			t.Errorf("terminal %v, NO_COLOR=%q, CLICOLOR_FORCE=%q: %v", c.live, c.no, c.force, got)
		}
	}
	if got, want := Sized(80, 24, true).Paint(Bad, "a\nb"), "\x1b[31ma\x1b[0m\n\x1b[31mb\x1b[0m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A stream that is no terminal gets text as it is.
func TestNoTerminal(t *testing.T) {
	t.Setenv("CLICOLOR_FORCE", "")
	s := On(&bytes.Buffer{})
	long := strings.Repeat("漢", 500)
	if s.Live() || s.Columns() != 0 || s.Rows() != 0 {
		t.Error("a buffer has a size")
	}
	const source = "漢\tx\n \t^ here"
	for got, want := range map[string]string{
		s.Fit(long): long, s.Paint(Bad, "x"): "x", s.Carets(source): source, s.Pad("漢", 3): "漢  ",
		s.Line(Part{long, Bad}, Part{"b", Good}):                     long + "b",
		s.Table([][]string{{"a", "b"}, {"漢c", long}}, Wrapping, nil): "a   b\n漢c  " + long + "\n",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFit(t *testing.T) {
	s := Sized(10, 24, true)
	for got, want := range map[string]string{
		s.Fit("0123456789"):  "0123456789",
		s.Fit("0123456789a"): "012345678…",
		s.Fit("漢字漢字漢"):       "漢字漢字漢",
		s.Fit("漢字漢字漢字"):      "漢字漢字…",
		s.Fit("e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"): strings.Repeat("e\u0301", 10),
		s.Line(Part{"0123", Bad}, Part{"456789ab", Plain}):                              "\x1b[31m0123\x1b[0m45678…",
		s.Line(Part{"0123456789", Plain}, Part{"a", Bad}):                               "012345678…",
		s.Pad("漢", 4) + "|": "漢  |",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if plain := strings.NewReplacer("\x1b[31m", "", "\x1b[0m", "").Replace(got); Width(plain) > 10 {
			t.Errorf("%q has %d columns", plain, Width(plain))
		}
	}
}

// Columns of tables are aligned by what characters take on the screen.
func TestTable(t *testing.T) {
	got := Sized(16, 24, true).Table([][]string{{"漢字", "x", "long text here"}, {"ab", "e\u0301", "y"}}, Cutting,
		func(row, column int, _ string) Style {
			if row == 1 && column == 1 {
				return Bad
			}
			return Plain
		})
	if want := "漢字  x  long t…\nab    \x1b[31me\u0301\x1b[0m  y\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCarets(t *testing.T) {
	s := Sized(20, 24, false)
	for source, want := range map[string]string{
		"no place":       "no place",
		"a\n^ at":        "a\n^ at",
		"漢字 x\n   ^ at":  "漢字 x\n     ^ at",
		"e\u0301x\n  ^":  "e\u0301x\n ^",
		"\ta\tb\n\t \t^": "        a       b\n                ^",
		"x ^ y":          "x ^ y",
		strings.Repeat("a", 19) + "b\n" + strings.Repeat(" ", 19) + "^": strings.Repeat("a", 19) + "b\n" + strings.Repeat(" ", 19) + "^",
	} {
		got := s.Carets(source)
		if got != want && !strings.Contains(source, "aab") {
			t.Errorf("%q gives %q, want %q", source, got, want)
		}
		for line := range strings.Lines(got) {
			if Width(strings.TrimRight(line, "\n")) > 20 {
				t.Errorf("%q gives a line of %d columns", source, Width(line))
			}
		}
	}
	long := strings.Repeat("漢", 30)
	got := strings.Split(s.Carets(long+"b"+long+"\n"+strings.Repeat(" ", 30)+"^"), "\n")
	at := strings.Index(got[1], "^")
	before, _, _ := strings.Cut(got[0], "b")
	if Width(got[0]) > 20 || !strings.HasPrefix(got[0], "…") || !strings.HasSuffix(got[0], "…") || Width(before) != at {
		t.Errorf("%q", got)
	}
}

func TestWrapAndHead(t *testing.T) {
	s := Sized(10, 6, false)
	if got, want := s.Wrap("  a one two three\n漢字漢字 漢字 x", 2), "  a one\n  two\n  three\n漢字漢字\n  漢字 x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []struct {
		text, want string
		all        bool
	}{
		{"a\nb\nc", "a\nb\nc", true},
		{"a\nb\nc\nd", "a\nb\nc", false},
		{"a\n" + strings.Repeat("b", 20), "a\n" + strings.Repeat("b", 20), true},
		{"a\n" + strings.Repeat("b", 21), "a\n" + strings.Repeat("b", 19) + "…", false},
		{strings.Repeat("漢", 20), strings.Repeat("漢", 14) + "…", false},
		{"a\nb\nc\n", "a\nb\nc\n", true},
	} {
		if got, all := s.Head(c.text, 3); got != c.want || all != c.all {
			t.Errorf("%q gives %q, %v", c.text, got, all)
		}
	}
}
