package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// testOutcome is the result of all tests, as --format json prints it.
type testOutcome struct {
	Files    int                      `json:"files"`
	Unloaded int                      `json:"filesFailedToLoad"` // of the files; they count in nothing else
	Passed   int                      `json:"passed"`
	Failed   int                      `json:"failed"`
	Skipped  int                      `json:"skipped"`
	Results  []*graphtest.Result      `json:"results"`
	Findings []finding                `json:"findings,omitempty"` // mistakes in test files and graph files
	Errors   []string                 `json:"errors,omitempty"`   // other reasons why files could not be run
	Written  []string                 `json:"written,omitempty"`  // cassettes
	Coverage []graphtest.ToolCoverage `json:"coverage,omitempty"`

	reports  []*graphtest.Report
	mistakes bool // a file has mistakes
	broken   bool // a file could not be run for another reason
}

func (o *testOutcome) add(r *graphtest.Report) {
	o.Files++
	o.reports = append(o.reports, r)
	o.Results = append(o.Results, r.Results...)
	o.Written = append(o.Written, r.Written...)
	for _, result := range r.Results {
		switch result.Status {
		case graphtest.Passed:
			o.Passed++
		case graphtest.Failed:
			o.Failed++
		case graphtest.Skipped:
			o.Skipped++
		}
	}
	found, others := r.Mistakes()
	if len(found) > 0 {
		o.mistakes = true
		o.Findings = append(o.Findings, findingsOf(found)...)
	}
	for _, err := range others {
		o.broken = true
		o.Errors = append(o.Errors, err.Error())
	}
	if r.Err != nil && len(r.Results) == 0 {
		o.Unloaded++
	}
}

// coverage returns what the tests have reached.
func (o *testOutcome) coverage() []graphtest.ToolCoverage {
	var c graphtest.Coverage
	for _, r := range o.reports {
		c.Add(r)
	}
	return c.Tools()
}

// testPrinter prints the results of tests.
type testPrinter interface {
	file(r *graphtest.Report)
	end(o *testOutcome, coverage bool) error
}

func (f *testFlags) printer(std program.Streams) testPrinter {
	switch f.format {
	case "json":
		return jsonTests{std}
	case "github":
		return githubTests{std}
	}
	var calls []string
	if f.live || f.record {
		calls = []string{"--live"}
	}
	return textTests{std, f.verbose, calls}
}

// jsonTests prints everything at the end.
type jsonTests struct{ std program.Streams }

func (t jsonTests) file(*graphtest.Report) {}

func (t jsonTests) end(o *testOutcome, coverage bool) error {
	if coverage {
		o.Coverage = o.coverage()
	}
	if o.Results == nil {
		o.Results = []*graphtest.Result{}
	}
	return program.EncodeJSON(t.std.Out, o)
}

// textTests prints each file when its tests have run.
type textTests struct {
	std     program.Streams
	verbose bool
	calls   []string // the flags that let tests call servers
}

func (t textTests) file(r *graphtest.Report) {
	path, passed, failed := r.Suite.Path, 0, 0
	screen := terminal.On(t.std.Out)
	line := func(style terminal.Style, word, format string, args ...any) {
		text := wording.Printable(fmt.Sprintf(format, args...))
		fmt.Fprintf(t.std.Out, "%s%s\n", screen.Paint(style, word), screen.Carets(text))
	}
	for _, result := range r.Results {
		name := path + ": " + result.Case.Name
		switch result.Status {
		case graphtest.Passed:
			passed++
			if t.verbose {
				line(terminal.Good, "ok  ", "  %s (%.1f ms)", name, float64(result.Duration.Microseconds())/1000)
			}
		case graphtest.Failed:
			failed++
			line(terminal.Bad, "FAIL", "  %s\n      %s", name, strings.ReplaceAll(strings.TrimRight(result.Text(), "\n"), "\n", "\n      "))
		case graphtest.Skipped:
			if t.verbose {
				line(terminal.Notice, "skip", "  %s: %s", name, result.Why)
			}
		}
	}
	for _, written := range r.Written {
		fmt.Fprintf(t.std.Err, "wrote %s\n", wording.Printable(written))
	}
	found, others := r.Mistakes()
	program.PrintDiagnostics(t.std.Err, found)
	for _, err := range others {
		fmt.Fprintf(t.std.Err, "toolgraph: %s\n", wording.Printable(err.Error()))
	}
	if r.Err == nil && !t.verbose && failed == 0 && len(r.Results) > 0 {
		line(terminal.Good, "ok  ", "  %s: %s%s", path, wording.Count(passed, "test"), skippedText(len(r.Results)-passed))
	}
}

// testWords say how a test has ended.
var testWords = map[graphtest.Status]struct {
	word  string
	style terminal.Style
}{graphtest.Passed: {"ok", terminal.Good}, graphtest.Failed: {"failed", terminal.Bad}, graphtest.Skipped: {"skipped", terminal.Notice}}

func skippedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}

func (t textTests) end(o *testOutcome, coverage bool) error {
	if tools := o.coverage(); coverage && len(tools) > 0 {
		if err := printCoverage(t.std.Out, tools); err != nil {
			return err
		}
	}
	unloaded := ""
	if o.Unloaded > 0 {
		unloaded = "; " + wording.Count(o.Unloaded, "file") + " failed to load"
	}
	style := terminal.Good
	if o.Failed > 0 || o.Unloaded > 0 || o.mistakes || o.broken {
		style = terminal.Bad
	}
	summary := fmt.Sprintf("%d passed, %d failed, %d skipped%s", o.Passed, o.Failed, o.Skipped, unloaded)
	if _, err := fmt.Fprintf(t.std.Err, "%s: %s\n", wording.Count(o.Files, "file"), terminal.On(t.std.Err).Paint(style, summary)); err != nil {
		return err
	}
	t.again(o)
	return nil
}

// again prints on a terminal the command that runs the first failed test, or explains the first mistake.
func (t textTests) again(o *testOutcome) {
	for _, r := range o.reports {
		if found, _ := r.Mistakes(); len(found) > 0 {
			program.ExplainFirst(t.std.Err, found)
			return
		}
		for _, result := range r.Results {
			if result.Status == graphtest.Failed {
				program.PrintCommand(t.std.Err, append([]string{"test", r.Suite.Path, "--run", "^" + regexp.QuoteMeta(result.Case.Name) + "$"}, t.calls...)...)
				return
			}
		}
	}
}

// printCoverage writes a table, and below it what the tests do not reach.
func printCoverage(w io.Writer, tools []graphtest.ToolCoverage) error {
	rows := [][]string{{"graph", "tool", "nodes", "edges", "conditions"}}
	for _, c := range tools {
		rows = append(rows, []string{c.File, c.Tool, share(c.Nodes), share(c.Edges), share(c.Conditions)})
	}
	if err := program.ListRows(w, rows, func(int, string) terminal.Style { return terminal.Plain }); err != nil {
		return err
	}
	for _, c := range tools {
		for _, missing := range append(c.Nodes.Missing[:len(c.Nodes.Missing):len(c.Nodes.Missing)], c.Edges.Missing...) {
			if _, err := fmt.Fprintf(w, "not reached: %s\n", wording.OneLine(missing)); err != nil {
				return err
			}
		}
	}
	return nil
}

func share(r graphtest.Reached) string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", r.Count, r.Of)
}

// writeJUnit writes the report for build servers.
func writeJUnit(path string, reports []*graphtest.Report) error {
	var b bytes.Buffer
	if err := graphtest.WriteJUnit(&b, reports); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return os.WriteFile(path, b.Bytes(), 0o644) // such as /dev/stdout
	}
	return files.Write(path, b.Bytes(), 0o644, files.LinksInside)
}
