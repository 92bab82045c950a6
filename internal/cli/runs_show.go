package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
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
		Short: "Show a kept run: its path, timings and values",
		Long: `Show a kept run: its arguments, its path with timings and values, and how it ended.
Long values are cut, and it says so; --step shows the value of one step, with --context
also what its expressions saw, and --full every value as a whole.`,
		Example: `  toolgraph runs show last
  toolgraph runs show 5GNFQ --step 3 --full
  toolgraph runs show last --step 3 --context
  toolgraph runs show last --format json`,
		Args: args(1, 1, "a run"), SuggestFor: []string{"last"},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Run = args[0]
			switch {
			case cmd.Flags().Changed("step") && step < 0:
				return usagef("--step is %d, expected the number of a step, from 0", step)
			case step >= 0:
				q.From, q.Limit = step, 1
				if withContext {
					q.Context = &step
				}
			case withContext:
				return usagef("--context is that of a step: add --step N")
			case q.From < 0 || q.Limit < 0 || q.ValueBytes < 0:
				return usagef("--from, --limit and --value-bytes are numbers from 0")
			}
			if full {
				q.ValueBytes = -1
			}
			show := func(w io.Writer, r *inspect.Run) error { return printRun(w, r, full) }
			if step >= 0 {
				show = func(w io.Writer, r *inspect.Run) error { return printStep(w, r, full) }
			}
			return answering(std, history, format, func(i *inspect.Inspector) (*inspect.Run, error) {
				r, err := i.ReadRun(cmd.Context(), q)
				if err == nil && step >= 0 && len(r.History) == 0 {
					return nil, fmt.Errorf("run %s has %s, and step %d is not among them", r.ID, wording.Count(r.Steps, "step"), step)
				}
				return r, err
			}, show)
		},
	}
	cmd.Flags().IntVar(&step, "step", -1, "only this step, by its number")
	cmd.Flags().BoolVar(&withContext, "context", false, "with --step: also what the step's expressions saw, by node")
	cmd.Flags().BoolVar(&full, "full", false, "every value as a whole")
	cmd.Flags().IntVar(&q.From, "from", 0, "the first step")
	cmd.Flags().IntVar(&q.Limit, "limit", 100, "at most so many steps")
	cmd.Flags().IntVar(&q.ValueBytes, "value-bytes", inspect.DefaultValueBytes, "how much of each value, in bytes of JSON")
	formatFlag(cmd, &format)
	return cmd
}

func printRun(w io.Writer, r *inspect.Run, full bool) error {
	var ended string
	switch r.Status {
	case journal.Running:
		ended = " for " + milliseconds(r.Duration)
	case journal.Interrupted:
		ended = ": its process is gone"
	default:
		ended = " after " + milliseconds(r.Duration)
	}
	facts := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(facts, "run\t%s\ntool\t%s\nstatus\t%s%s, %s\nstarted\t%s\n", wording.OneLine(r.ID), wording.OneLine(r.Tool), wording.OneLine(string(r.Status)), ended,
		wording.Count(r.Steps, "step"), r.Started.Local().Format("2006-01-02 15:04:05.000"))
	if r.File != "" {
		fmt.Fprintf(facts, "file\t%s\n", wording.OneLine(r.File))
	}
	fmt.Fprintf(facts, "graph\t%.12s\narguments\t%s\n", wording.OneLine(r.Graph), keptText(r.Arguments, full))
	if r.Lost > 0 {
		fmt.Fprintf(facts, "gap\t%s not recorded: the store was locked or full\n", wording.Count(r.Lost, "event"))
	}
	if err := facts.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "#\tnode\ttype\tms\toutput")
	for _, s := range r.History {
		output := ""
		switch {
		case s.Error != nil:
			output = shortened("error: "+s.Error.Message, errorShown)
		case s.Nothing:
			output = nothing
		case s.Output != nil:
			output = keptText(*s.Output, full)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%.2f\t%s\n", s.Index, wording.OneLine(s.Node), s.Type, s.Duration, output)
	}
	if err := table.Flush(); err != nil {
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

// errorShown is how much of an error a row tells; all of it stands below the table.
const errorShown = 100

// failureText is why a run failed, with the place.
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

func keptText(v inspect.Value, full bool) string {
	text := v.Text()
	if !full {
		text = shortened(text, outputShown)
	}
	text = wording.OneLine(text)
	switch {
	case v.Gap != nil && v.Gap.Reason == journal.Redacted:
		text += " (a secret was left out)"
	case v.Gap != nil:
		text = fmt.Sprintf("not kept: %d bytes, and at most %d are", v.Gap.Bytes, v.Gap.Limit)
	case len(text) < v.Bytes:
		text += fmt.Sprintf(" (%d bytes)", v.Bytes)
	}
	return text
}

// printStep writes one step with its value on lines of its own.
func printStep(w io.Writer, r *inspect.Run, full bool) error {
	s := r.History[0]
	fmt.Fprintf(w, "step %d of run %s: node %q (%s), %s, at %s\n\n", s.Index, wording.OneLine(r.ID), s.Node, s.Type,
		milliseconds(s.Duration), s.Started.Local().Format(time.DateTime))
	if r.Context != nil {
		fmt.Fprintln(w, "context:")
		for _, node := range slices.Sorted(maps.Keys(r.Context)) {
			fmt.Fprintf(w, "  %s = %s\n", wording.OneLine(node), keptText(r.Context[node], full))
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
	var out bytes.Buffer
	if err := json.Indent(&out, s.Output.Value, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, wording.Printable(out.String()))
	return err
}

func valueNote(v inspect.Value) string {
	switch {
	case v.Gap != nil && v.Gap.Reason == journal.TooLarge:
		return fmt.Sprintf("the value has %d bytes and was not kept (--history-max-value is %d)", v.Gap.Bytes, v.Gap.Limit)
	case v.Gap != nil:
		return "a secret was left out"
	}
	return fmt.Sprintf("this is the beginning of %d bytes: --full shows all", v.Bytes)
}
