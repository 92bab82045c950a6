package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolgraph/internal/inspect"
	"toolgraph/internal/wording"
)

func newRunsDiff(std streams, history *historyFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff RUN OTHER",
		Short: "Tell where two kept runs part, and which value made them",
		Long: `Compare two kept runs: their arguments, the first step whose value differs, and the
first step at which they went different ways.`,
		Example: `  toolgraph runs diff 5GNFQ last
  toolgraph runs diff 5GNFQ 7K2AB --format json`,
		Args: args(2, 2, "two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answering(std, history, format, func(i *inspect.Inspector) (*inspect.Difference, error) {
				return i.DiffRuns(cmd.Context(), args[0], args[1])
			}, printDifference)
		},
	}
	formatFlag(cmd, &format)
	return cmd
}

func printDifference(w io.Writer, d *inspect.Difference) error {
	fmt.Fprintf(w, "a  %s  %s  %s\nb  %s  %s  %s\n", shortID(d.A.ID), wording.OneLine(d.A.Tool), wording.OneLine(string(d.A.Status)), shortID(d.B.ID), wording.OneLine(d.B.Tool), wording.OneLine(string(d.B.Status)))
	if !d.SameGraph {
		fmt.Fprintln(w, "the graph has changed between them")
	}
	if d.Arguments != nil {
		fmt.Fprintln(w, "\nthe arguments differ:")
		printChanges(w, d.Arguments)
	}
	if v := d.Value; v != nil {
		fmt.Fprintf(w, "\nstep %d (%s) is the first with another value:\n", v.Step, wording.OneLine(v.A.Node))
		if v.Changes != nil {
			printChanges(w, v.Changes)
		} else {
			fmt.Fprintf(w, "  a %s\n  b %s\n", outcome(v.A), outcome(v.B))
		}
	}
	if p := d.Path; p != nil {
		fmt.Fprintf(w, "\nthey part at step %d:\n  a %s\n  b %s\n", p.Step, direction(p.A), direction(p.B))
	}
	if d.Arguments == nil && d.Value == nil && d.Path == nil {
		fmt.Fprintln(w, "\nthey took the same way with the same values")
	}
	return nil
}

func outcome(s *inspect.Side) string {
	if s.Error != "" {
		return "failed: " + shortened(s.Error, errorShown)
	}
	return "gave a value"
}

func direction(s *inspect.Side) string {
	if s == nil {
		return "had ended"
	}
	return "went to " + wording.OneLine(s.Node)
}

func printChanges(w io.Writer, all *inspect.Changes) {
	for _, c := range all.Changes {
		path := c.Path
		if path == "" {
			path = "the value"
		}
		fmt.Fprintf(w, "  %s: %s → %s\n", wording.OneLine(path), changedText(c.A), changedText(c.B))
	}
	if all.More > 0 {
		fmt.Fprintf(w, "  and %d more\n", all.More)
	}
}

func changedText(v *inspect.Value) string {
	if v == nil {
		return nothing
	}
	return keptText(*v, false)
}
