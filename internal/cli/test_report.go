package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"toolgraph/internal/files"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/wording"
)

// testOutcome is how all tests went, as --format json gives it.
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

// coverage is what the tests have reached.
func (o *testOutcome) coverage() []graphtest.ToolCoverage {
	var c graphtest.Coverage
	for _, r := range o.reports {
		c.Add(r)
	}
	return c.Tools()
}

// testTeller tells how tests went.
type testTeller interface {
	file(r *graphtest.Report)
	end(o *testOutcome, coverage bool) error
}

func (f *testFlags) teller(std streams) testTeller {
	if f.format == "json" {
		return jsonTests{std}
	}
	return textTests{std, f.verbose}
}

// jsonTests tells all at the end.
type jsonTests struct{ std streams }

func (t jsonTests) file(*graphtest.Report) {}

func (t jsonTests) end(o *testOutcome, coverage bool) error {
	if coverage {
		o.Coverage = o.coverage()
	}
	if o.Results == nil {
		o.Results = []*graphtest.Result{}
	}
	return encodeJSON(t.std.out, o)
}

// textTests tells of each file when it has run.
type textTests struct {
	std     streams
	verbose bool
}

func (t textTests) file(r *graphtest.Report) {
	path, passed, failed := r.Suite.Path, 0, 0
	for _, result := range r.Results {
		name := path + ": " + result.Case.Name
		switch result.Status {
		case graphtest.Passed:
			passed++
			if t.verbose {
				t.line("ok    %s (%.1f ms)", name, float64(result.Duration.Microseconds())/1000)
			}
		case graphtest.Failed:
			failed++
			t.line("FAIL  %s\n      %s", name, strings.ReplaceAll(strings.TrimRight(result.Text(), "\n"), "\n", "\n      "))
		case graphtest.Skipped:
			if t.verbose {
				t.line("skip  %s: %s", name, result.Why)
			}
		}
	}
	for _, written := range r.Written {
		fmt.Fprintf(t.std.err, "wrote %s\n", wording.Printable(written))
	}
	found, others := r.Mistakes()
	printDiagnostics(t.std.err, found)
	for _, err := range others {
		fmt.Fprintf(t.std.err, "toolgraph: %s\n", wording.Printable(err.Error()))
	}
	if r.Err == nil && !t.verbose && failed == 0 && len(r.Results) > 0 {
		t.line("ok    %s: %s%s", path, wording.Count(passed, "test"), skippedText(len(r.Results)-passed))
	}
}

func skippedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}

func (t textTests) line(format string, args ...any) {
	fmt.Fprintln(t.std.out, wording.Printable(fmt.Sprintf(format, args...)))
}

func (t textTests) end(o *testOutcome, coverage bool) error {
	if tools := o.coverage(); coverage && len(tools) > 0 {
		if err := printCoverage(t.std.out, tools); err != nil {
			return err
		}
	}
	unloaded := ""
	if o.Unloaded > 0 {
		unloaded = "; " + wording.Count(o.Unloaded, "file") + " failed to load"
	}
	_, err := fmt.Fprintf(t.std.err, "%s: %d passed, %d failed, %d skipped%s\n", wording.Count(o.Files, "file"), o.Passed, o.Failed, o.Skipped, unloaded)
	return err
}

// printCoverage writes a table, and below it what was not reached.
func printCoverage(w io.Writer, tools []graphtest.ToolCoverage) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "graph\ttool\tnodes\tedges\tconditions")
	for _, c := range tools {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", wording.OneLine(c.File), wording.OneLine(c.Tool), share(c.Nodes), share(c.Edges), share(c.Conditions))
	}
	if err := table.Flush(); err != nil {
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
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// updateTests writes what came into the test file of a report.
func updateTests(r *graphtest.Report) error {
	src, err := os.ReadFile(r.Suite.Path)
	if err != nil {
		return err
	}
	updated, names, err := r.Update(src)
	if err != nil || len(names) == 0 {
		return err
	}
	if err := files.Write(r.Suite.Path, updated, 0o600); err != nil { // the mode that it has
		return err
	}
	r.Written = append(r.Written, r.Suite.Path)
	return nil
}
