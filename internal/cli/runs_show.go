package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/inspect"
	"toolgraph/internal/wording"
)

func newRunsShow(std streams, history *historyFlags) *cobra.Command {
	q := inspect.RunQuery{}
	step := -1
	var full, withContext bool
	var format string
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the steps of a recorded run with timings and values",
		Long: `Show a recorded run: its arguments, its steps with timings and values, and its result or
failure. Long values are truncated, unless --full is given. --step shows one step, and
with --context also the context that its expressions read.`,
		Example: `  toolgraph runs show last
  toolgraph runs show 5GNFQ --step 3 --full
  toolgraph runs show last --step 3 --context
  toolgraph runs show last --format json`,
		Args: args(1, 1, "a run"), SuggestFor: []string{"last"},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Run = args[0]
			switch {
			case cmd.Flags().Changed("step") && step < 0:
				return usagef("--step is %d, expected 0 or more", step)
			case step >= 0:
				q.From, q.Limit = step, 1
				if withContext {
					q.Context = &step
				}
			case withContext:
				return usagef("--context requires --step N")
			case q.From < 0 || q.Limit < 0 || q.ValueBytes < 0:
				return usagef("a negative --from, --limit or --value-bytes is not allowed")
			}
			if full {
				q.ValueBytes = -1
			}
			show := func(w io.Writer, r *inspect.Run) error { return printRun(w, r, full) }
			if step >= 0 {
				show = func(w io.Writer, r *inspect.Run) error { return printStep(w, r, full) }
			}
			return inspectRuns(std, history, format, func(i *inspect.Inspector) (*inspect.Run, error) {
				r, err := i.ReadRun(cmd.Context(), q)
				if err == nil && step >= 0 && len(r.History) == 0 {
					return nil, fmt.Errorf("run %s has %s, numbered from 0; it has no step %d", r.ID, wording.Count(r.Steps, "step"), step)
				}
				return r, err
			}, show)
		},
	}
	cmd.Flags().IntVar(&step, "step", -1, "`number` of the only step to show")
	cmd.Flags().BoolVar(&withContext, "context", false, "also show the context that the step's expressions read (with --step)")
	cmd.Flags().BoolVar(&full, "full", false, "show values without truncation")
	cmd.Flags().IntVar(&q.From, "from", 0, "`number` of the first step to show")
	cmd.Flags().IntVar(&q.Limit, "limit", 100, "maximum `number` of steps")
	cmd.Flags().IntVar(&q.ValueBytes, "value-bytes", inspect.DefaultValueBytes, "size at which values are truncated, in `bytes` of JSON")
	formatFlag(cmd, &format)
	return cmd
}

func printRun(w io.Writer, r *inspect.Run, full bool) error {
	var ended string
	switch r.Status {
	case journal.Running:
		ended = " for " + milliseconds(r.Duration)
	case journal.Interrupted:
		ended = ": its process died"
	default:
		ended = " after " + milliseconds(r.Duration)
	}
	facts := [][]string{
		{"run", r.ID},
		{"tool", r.Tool},
		{"status", fmt.Sprintf("%s%s, %s", r.Status, ended, wording.Count(r.Steps, "step"))},
		{"started", r.Started.Local().Format("2006-01-02 15:04:05.000")},
	}
	if r.File != "" {
		facts = append(facts, []string{"file", r.File})
	}
	facts = append(facts, []string{"graph", fmt.Sprintf("%.12s", r.Graph)}, []string{"arguments", recordedText(r.Arguments, full)})
	if r.Lost > 0 {
		facts = append(facts, []string{"gap", wording.Count(r.Lost, "event") + " not recorded: the store was locked or full"})
	}
	if err := writeTable(w, facts); err != nil {
		return err
	}
	fmt.Fprintln(w)
	rows := [][]string{{"#", "node", "type", "ms", "output"}}
	for _, s := range r.History {
		output := ""
		switch {
		case s.Error != nil:
			output = shortened("error: "+s.Error.Message, errorShown)
		case s.Nothing:
			output = nothing
		case s.Output != nil:
			output = recordedText(*s.Output, full)
		}
		rows = append(rows, []string{strconv.Itoa(s.Index), s.Node, string(s.Type), fmt.Sprintf("%.2f", s.Duration), output})
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	if r.Next > 0 {
		fmt.Fprintf(w, "%d more: --from %d\n", r.Steps-r.Next, r.Next)
	}
	if r.Failure != nil {
		fmt.Fprintf(w, "\n%s\n", failureText(r))
	}
	return nil
}

// errorShown is how many characters of an error a row shows; below the table it is complete.
const errorShown = 100

// failureText returns why a run failed, with the place.
func failureText(r *inspect.Run) string {
	text := r.Failure.Message
	if r.Failure.Node != "" {
		text = fmt.Sprintf("node %q: %s", r.Failure.Node, text)
	}
	if r.Failure.Pos.IsValid() {
		text = r.Failure.Pos.String() + ": " + text
	}
	return wording.Printable(text)
}

func recordedText(v inspect.Value, full bool) string {
	text := v.Text()
	if !full {
		text = shortened(text, outputShown)
	}
	text = wording.OneLine(text)
	switch {
	case v.Gap != nil && v.Gap.Reason == journal.Redacted:
		text += " (a secret was removed)"
	case v.Gap != nil:
		text = fmt.Sprintf("not recorded: %d bytes, more than %d", v.Gap.Bytes, v.Gap.Limit)
	case len(text) < v.Bytes:
		text += fmt.Sprintf(" (%d bytes)", v.Bytes)
	}
	return text
}

// printStep prints one step with its indented value.
func printStep(w io.Writer, r *inspect.Run, full bool) error {
	s := r.History[0]
	fmt.Fprintf(w, "step %d of run %s: node %q (%s), %s, at %s\n\n", s.Index, wording.OneLine(r.ID), s.Node, s.Type,
		milliseconds(s.Duration), s.Started.Local().Format(time.DateTime))
	if r.Context != nil {
		fmt.Fprintln(w, "context:")
		for _, node := range slices.Sorted(maps.Keys(r.Context)) {
			fmt.Fprintf(w, "  %s = %s\n", wording.OneLine(node), recordedText(r.Context[node], full))
		}
		fmt.Fprint(w, "\noutput:\n")
	}
	if s.Error != nil {
		_, err := fmt.Fprintln(w, wording.Printable("error: "+s.Error.Message))
		return err
	}
	if s.Nothing {
		_, err := fmt.Fprintln(w, nothing)
		return err
	}
	if !s.Output.Whole() {
		_, err := fmt.Fprintf(w, "%s\n\n%s\n", wording.Printable(s.Output.Text()), valueNote(*s.Output))
		return err
	}
	_, err := fmt.Fprintln(w, wording.Printable(indentedJSON(s.Output.Value)))
	return err
}

func valueNote(v inspect.Value) string {
	switch {
	case v.Gap != nil && v.Gap.Reason == journal.TooLarge:
		return fmt.Sprintf("the value has %d bytes and was not recorded (--history-max-value is %d)", v.Gap.Bytes, v.Gap.Limit)
	case v.Gap != nil:
		return "a secret was removed"
	}
	return fmt.Sprintf("truncated, %d bytes: --full shows all", v.Bytes)
}

func newRunsDiff(std streams, history *historyFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff RUN OTHER",
		Short: "Show where two recorded runs diverge, and which value caused it",
		Long: `Compare two recorded runs: their arguments, the first step whose value differs, and the
first step at which they take different branches.`,
		Example: `  toolgraph runs diff 5GNFQ last
  toolgraph runs diff 5GNFQ 7K2AB --format json`,
		Args: args(2, 2, "two runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return inspectRuns(std, history, format, func(i *inspect.Inspector) (*inspect.Difference, error) {
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
		fmt.Fprintln(w, "the graph changed between the runs")
	}
	if d.Arguments != nil {
		fmt.Fprintln(w, "\nthe arguments differ:")
		printChanges(w, d.Arguments)
	}
	if v := d.Value; v != nil {
		fmt.Fprintf(w, "\nstep %d (%s) is the first whose value differs:\n", v.Step, wording.OneLine(v.A.Node))
		if v.Changes != nil {
			printChanges(w, v.Changes)
		} else {
			fmt.Fprintf(w, "  a %s\n  b %s\n", outcome(v.A), outcome(v.B))
		}
	}
	if p := d.Path; p != nil {
		fmt.Fprintf(w, "\nthe runs diverge at step %d:\n  a %s\n  b %s\n", p.Step, direction(p.A), direction(p.B))
	}
	if d.Arguments == nil && d.Value == nil && d.Path == nil {
		fmt.Fprintln(w, "\nboth runs have the same steps with the same values")
	}
	return nil
}

func outcome(s *inspect.Side) string {
	if s.Error != "" {
		return "failed: " + shortened(s.Error, errorShown)
	}
	return "returned a value"
}

func direction(s *inspect.Side) string {
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
