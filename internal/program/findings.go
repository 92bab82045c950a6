package program

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
)

// PrintDiagnostics writes findings, which may have several lines each, to standard error.
func PrintDiagnostics(w io.Writer, found config.Diagnostics) {
	_ = WriteText(w, found) // standard error: a failure to write has no place to go
}

// ExplainFirst prints on a terminal the command that explains the first error of findings, or their first warning.
func ExplainFirst(w io.Writer, found config.Diagnostics) {
	if len(found) == 0 {
		return
	}
	first := max(0, slices.IndexFunc(found, func(d config.Diagnostic) bool { return d.Severity == config.Error }))
	PrintCommand(w, "explain", found[first].Code)
}

// WriteText writes findings without their lines.
func WriteText(w io.Writer, found config.Diagnostics) error {
	return WriteFindings(w, found, func(config.Pos) string { return "" })
}

// WriteFindings writes each finding, and below it what excerpt returns of its place.
func WriteFindings(w io.Writer, found config.Diagnostics, excerpt func(config.Pos) string) error {
	screen := terminal.On(w)
	for _, d := range found {
		if _, err := fmt.Fprintf(w, "%s\n%s", findingText(screen, d), screen.Carets(excerpt(d.Pos))); err != nil {
			return err
		}
	}
	return nil
}

// findingText is a finding in one line, its place and severity painted.
func findingText(screen terminal.Screen, d config.Diagnostic) string {
	text, place := wording.OneLine(d.String()), wording.OneLine(d.Pos.String())+": "
	if screen.Plain() || !strings.HasPrefix(text, place) {
		return text
	}
	style, word := terminal.Bad, ""
	rest := strings.TrimPrefix(text, place)
	if d.Severity == config.Warning {
		style, word = terminal.Notice, "warning: "
	}
	rest = strings.TrimPrefix(rest, word)
	code := " [" + d.Code + "]"
	rest = strings.TrimSuffix(rest, code)
	if word == "" {
		rest = screen.Paint(style, rest)
	}
	return screen.Paint(terminal.Bold, place) + screen.Paint(style, word) + rest + screen.Paint(terminal.Faint, code)
}
