package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

func newRunsDiff(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff [RUN] OTHER",
		Short: "Show where two recorded runs diverge, and which value caused it",
		Long: `Compare two recorded runs: their arguments, the first step whose value differs, and the
first step at which they take different branches; then where their time went, the nodes with the
largest difference first. One run alone is compared with the last run
of its tool that finished before it.`,
		Example: `  toolgraph runs diff last
  toolgraph runs diff 5GNFQ last
  toolgraph runs diff 5GNFQ 7K2AB --format json`,
		Args: program.Args(1, 2, "one or two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return inspectRuns(std, history, format, func(i *inspect.Inspector) (*inspect.Difference, error) {
				if len(args) == 1 {
					return i.DiffRuns(cmd.Context(), "", args[0])
				}
				return i.DiffRuns(cmd.Context(), args[0], args[1])
			}, printDifference)
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}

func printDifference(w io.Writer, d *inspect.Difference) error {
	fmt.Fprintf(w, "a  %s  %s  %s\nb  %s  %s  %s\n", shortID(d.A.ID), wording.OneLine(d.A.Tool), wording.Status(d.A.Status), shortID(d.B.ID), wording.OneLine(d.B.Tool), wording.Status(d.B.Status))
	if !d.SameGraph {
		fmt.Fprintln(w, "the graph changed between the runs")
	}
	if d.Arguments != nil {
		fmt.Fprintln(w, "\nthe arguments differ:")
		printChanges(w, d.Arguments)
	}
	if v := d.Value; v != nil {
		fmt.Fprintf(w, "\nstep %s (%s) is the first whose value differs:\n", v.At(), wording.OneLine(v.A.Node))
		if v.Changes != nil {
			printChanges(w, v.Changes)
		} else {
			fmt.Fprintf(w, "  a %s\n  b %s\n", outcome(v.A, v.B), outcome(v.B, v.A))
		}
	}
	if p := d.Path; p != nil {
		fmt.Fprintf(w, "\nthe runs diverge at step %s:\n  a %s\n  b %s\n", p.At(), direction(p.A, p), direction(p.B, p))
	}
	if d.Arguments == nil && d.Value == nil && d.Path == nil {
		fmt.Fprintln(w, "\nboth runs have the same steps with the same values")
	}
	return printTimes(w, d)
}

// printTimes prints where the time of two runs went.
func printTimes(w io.Writer, d *inspect.Difference) error {
	fmt.Fprintf(w, "\ntimes: a took %s, b %s\n", milliseconds(d.A.Duration), milliseconds(d.B.Duration))
	rows := [][]string{{"  node", "a", "b", "difference"}}
	for _, t := range d.Times {
		name := t.Node
		if t.Tool != "" {
			name = t.Tool + ":" + name
		}
		rows = append(rows, []string{"  " + name, spentText(t.A), spentText(t.B), differenceText(t)})
	}
	if err := program.ListRows(w, rows, func(int, string) terminal.Style { return terminal.Plain }); err != nil {
		return err
	}
	if d.MoreTimes > 0 {
		fmt.Fprintf(w, "  and %d more, with smaller differences\n", d.MoreTimes)
	}
	return nil
}

func spentText(s inspect.Spent) string {
	switch s.Count {
	case 0:
		return "-"
	case 1:
		return milliseconds(s.Took)
	}
	return fmt.Sprintf("%d × %s", s.Count, milliseconds(s.Took/float64(s.Count)))
}

// differenceText says how much longer b took, and how much of that it waited for its user.
func differenceText(t inspect.NodeTimes) string {
	text := signed(t.Difference)
	if t.A.Waited > 0 || t.B.Waited > 0 {
		text += " (waiting for the user " + signed(t.B.Waited-t.A.Waited) + ")"
	}
	return text
}

func signed(ms float64) string {
	if ms < 0 {
		return "-" + milliseconds(-ms)
	}
	return "+" + milliseconds(ms)
}

// outcome returns what came of a step, unlike that of the other run.
func outcome(s, other *inspect.Side) string {
	switch {
	case s.Error != "":
		return "failed: " + shortened(s.Error, errorShown)
	case other.Error != "" || s.Confirmed == nil && other.Confirmed == nil:
		return "returned a value"
	case s.Confirmed == nil:
		return "was called without a question"
	}
	return "was confirmed by the user, digest " + wording.OneLine(s.Confirmed.Digest)
}

func direction(s *inspect.Side, d *inspect.Divergence) string {
	if s == nil && d.Address != "" {
		return "has no such step"
	}
	if s == nil {
		return "had already ended"
	}
	return "went to " + wording.OneLine(s.Node)
}

func printChanges(w io.Writer, all *inspect.Changes) {
	for _, c := range all.Changes {
		fmt.Fprintf(w, "  %s: %s → %s\n", wording.OneLine(cmp.Or(c.Path, "the value")), changedText(c.A), changedText(c.B))
	}
	if all.More > 0 {
		fmt.Fprintf(w, "  and %d more\n", all.More)
	}
}

func changedText(v *inspect.Value) string {
	if v == nil {
		return nothing
	}
	return recordedText(*v, false)
}
