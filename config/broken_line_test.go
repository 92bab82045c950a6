package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

// A syntax mistake is reported at its own line, not where the block around it began.
func TestBrokenLine(t *testing.T) {
	const good = `version: "1.0"
server: {name: g, version: 1.0.0}
tools:
  - name: t
    description: d
    nodes:
      - id: entry
        type: entry
        next: t
      - id: t
        type: transform
        transform:
          expr: $.entry
        next: exit
      - {id: exit, type: exit}
`
	for _, c := range []struct {
		line     int
		from, to string
	}{
		{9, "        next: t\n", "         next: t\n"},
		{9, "        next: t\n", "       next: t\n"},
		{10, "      - id: t\n", "     - id: t\n"},
		{13, "expr: $.entry", `expr: {"n": $.entry.a[0].b}`},
		{13, "expr: $.entry", `expr: *foo`},
		{5, "description: d", `description: a: b`},
		{1, `version: "1.0"`, `version: "1.0`},
		{15, "{id: exit, type: exit}", "{id: exit, type: exit"},
	} {
		src := strings.Replace(good, c.from, c.to, 1)
		_, err := Parse("g.yaml", []byte(src), Options{})
		var found Diagnostics
		if !errors.As(err, &found) || len(found) != 1 || found[0].Pos.Line != c.line {
			t.Errorf("%q: got %v, want line %d", c.to, err, c.line)
		}
	}
	// An expression that is no text has one finding, with its remedy.
	src := strings.Replace(good, "expr: $.entry", `expr: {"n": entry}`, 1)
	_, err := Parse("g.yaml", []byte(src), Options{})
	var found Diagnostics
	if !errors.As(err, &found) || len(found) != 1 || !strings.Contains(found[0].Hint, "quote the expression") {
		t.Errorf("got %v", err)
	}
}

// Looking for the line ends after so many bytes: each try reads all lines above again.
func TestBrokenLineOfALongFile(t *testing.T) {
	cost.Below(t, 128<<20, func() {
		want(t, "a: [\n"+strings.Repeat("  "+strings.Repeat("x", 100)+",\n", 2000), "g.yaml:")
	})
}

// The search for the line reads a file of a few hundred lines a few times, wherever the line is.
func TestBrokenLineIsSoughtInSteps(t *testing.T) {
	lines := strings.Repeat("- {a: b, c: [d]}\n", 500)
	src := lines + "- {a: b, c: [d}\n" + lines
	cost.Below(t, 8<<20, func() { want(t, src, "g.yaml:501:") })
}

// To make a text of a mapping that is not closed mends the syntax, but is surely not what was meant.
func TestQuotedMappingIsNotSure(t *testing.T) {
	for line, sure := range map[string]bool{"a: b: c": true, `a: {expr: "x}`: false, "a: [b": false} {
		_, found := readItems("g.yaml", []byte(line+"\n"))
		if len(found) == 0 {
			t.Fatalf("%s: no findings", line)
		}
		i := slices.IndexFunc(found[0].Fixes, func(f Fix) bool { return f.Title == "Quote the value" })
		if i < 0 || found[0].Fixes[i].Sure != sure {
			t.Errorf("%s: %+v", line, found[0].Fixes)
		}
	}
}
