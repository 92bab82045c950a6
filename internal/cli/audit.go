package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/telemetry/audit"
)

func newAudit(std program.Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit FILE",
		Short: "Verify an audit log and print what it has",
		Long: `Verify an audit log that was written with --audit, with all its rotated files, and print
how many runs, calls, questions and refusals it has. Each line has the hash of the line
before it, and FILE.head has the newest hash: the first line that was changed, inserted or
removed is reported with its place, and the command ends with 1.

A line that a crash or a full disk cut off is a note and no error. Lines that were removed
together with FILE.head cannot be found.`,
		Example: `  toolgraph serve graph.yaml --audit audit.jsonl
  toolgraph audit audit.jsonl
  toolgraph audit audit.jsonl --json`,
		Args: program.Args(1, 1, "the file of an audit log"), SuggestFor: []string{"verify"},
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := audit.Verify(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				err = program.WriteEscaped(std.Out, r, "  ")
			} else {
				err = printReport(std.Out, r)
			}
			if err == nil && !r.OK && asJSON {
				err = program.ErrReported
			} else if err == nil && !r.OK {
				err = r.Problem
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// auditTitles is how wide the titles of a report are.
const auditTitles = 10

// printReport prints what was read of an audit log, without its problem.
func printReport(w io.Writer, r *audit.Report) error {
	state := "verified"
	if !r.OK {
		state = "verified up to the problem"
	}
	lines := []string{fmt.Sprintf("%s: %s in %s, %s", r.File, wording.Count(int(r.Lines), "line"), wording.Count(r.Files, "file"), state)}
	add := func(title, format string, args ...any) {
		lines = append(lines, fmt.Sprintf("%-*s %s", auditTitles, title, fmt.Sprintf(format, args...)))
	}
	if r.Lines > 0 {
		add("time", "%s to %s", r.From.Format(time.RFC3339), r.To.Format(time.RFC3339))
	}
	add("runs", "%d begun, %d resumed, %d ended%s", r.Runs.Begun, r.Runs.Resumed, sum(r.Runs.Ended), counted(r.Runs.Ended))
	add("calls", "%d%s", sum(r.Calls), counted(r.Calls))
	if len(r.Failed) > 0 {
		add("", "%d failed%s", sum(r.Failed), counted(r.Failed))
	}
	if r.Open > 0 {
		add("", "%d without an outcome: in progress, or interrupted", r.Open)
	}
	add("questions", "%d%s", sum(r.Questions), counted(r.Questions))
	if len(r.Answers) > 0 {
		add("answers", "%d%s", sum(r.Answers), counted(r.Answers))
	}
	add("refusals", "%d%s", sum(r.Refusals), counted(r.Refusals))
	for _, n := range r.Notes {
		add("note", "%s:%d: %s", n.File, n.Line, n.Message)
	}
	text := terminal.On(w).Wrap(wording.Printable(strings.Join(lines, "\n")), auditTitles+1)
	_, err := io.WriteString(w, text+"\n")
	return err
}

func sum(counts map[string]int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// counted lists counts by name, the most frequent first: ": 3 ok, 1 limit".
func counted(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + wording.List(names)
}
