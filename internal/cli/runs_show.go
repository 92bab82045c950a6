package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/authoring/view"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

func newRunsShow(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	q := inspect.RunQuery{}
	var full, withContext bool
	var format string
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show the steps of a recorded run with timings and values",
		Long: `Show a recorded run: its arguments, its steps with timings and values, and its result or
failure. Long values are truncated, unless --full is given. --step shows one step, and
with --context also the context that its expressions read.

A step is named by its address: 4; 4.3 is part 3 of step 4, that is item 3 of a forEach,
counted from 0; 4.weather is its branch of that name; 4/1 is step 1 of the graph that step
4 calls, and 4.3/1 of the graph that part 3 calls. What is below a step is listed before it.
For a step with many steps below it only their number is listed: --step shows them, --all
lists all.`,
		Example: `  toolgraph runs show last
  toolgraph runs show 5GNFQ --step 3 --full
  toolgraph runs show last --step 4.3/1 --context
  toolgraph runs show last --format json`,
		Args: program.Args(1, 1, "a run"), SuggestFor: []string{"last"},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Run = args[0]
			isStep := cmd.Flags().Changed("step")
			if _, err := execution.ParseAddress(q.Step); isStep && err != nil {
				return program.Usagef("--step: %s", err)
			}
			switch {
			case withContext && isStep:
				q.Context = q.Step
			case withContext:
				return program.Usagef("--context requires --step ADDRESS")
			case q.From < 0 || q.Limit < 0 || q.ValueBytes < 0:
				return program.Usagef("a negative --from, --limit or --value-bytes is not allowed")
			}
			if full {
				q.ValueBytes = -1
			}
			show := printRun
			if isStep {
				show = printStep
			}
			return inspectRuns(std, history, format, func(i *inspect.Inspector) (*inspect.Run, error) {
				return i.ReadRun(cmd.Context(), q)
			}, func(w io.Writer, r *inspect.Run) error { return show(w, r, full) })
		},
	}
	cmd.Flags().StringVar(&q.Step, "step", "", "`address` of the only step to show")
	cmd.Flags().BoolVar(&withContext, "context", false, "also show the context that the step's expressions read (with --step)")
	cmd.Flags().BoolVar(&full, "full", false, "show values without truncation")
	cmd.Flags().BoolVar(&q.All, "all", false, "list all steps, also below steps that have many")
	cmd.Flags().IntVar(&q.From, "from", 0, "`number` of the first step to show")
	cmd.Flags().IntVar(&q.Limit, "limit", 100, "maximum `number` of steps")
	cmd.Flags().IntVar(&q.ValueBytes, "value-bytes", inspect.DefaultValueBytes, "size at which values are truncated, in `bytes` of JSON")
	program.FormatFlag(cmd, &format)
	return cmd
}

const clockFormat = "2006-01-02 15:04:05.000"

func printRun(w io.Writer, r *inspect.Run, full bool) error {
	var ended string
	switch r.Status {
	case journal.Running, journal.Waiting:
		ended = " for " + milliseconds(r.Duration)
	case journal.Interrupted:
		ended = ": its process died"
		if r.Question != nil {
			ended = ": its process ended while the run waited for its user"
		}
	default:
		ended = " after " + milliseconds(r.Duration)
	}
	steps := wording.Count(r.Steps, "step")
	if r.Nested > 0 {
		steps += fmt.Sprintf(", %d of them below others", r.Nested)
	}
	facts := [][]string{
		{"run", r.ID},
		{"tool", r.Tool},
		{"status", fmt.Sprintf("%s%s, %s", wording.Status(r.Status), ended, steps)},
		{"started", r.Started.Local().Format(clockFormat)},
	}
	if r.Process != nil {
		facts = append(facts, []string{"process", r.Process.String()})
	}
	if r.File != "" {
		facts = append(facts, []string{"file", r.File})
	}
	facts = append(facts, []string{"graph", fmt.Sprintf("%.12s", r.Graph)}, []string{"arguments", recordedText(r.Arguments, full)})
	if r.ForkedFrom != "" {
		facts = append(facts, []string{"forked from", wording.OneLine(r.ForkedFrom)})
	}
	facts = append(facts, usageFacts(r.Usage)...)
	if r.Spilled > 0 {
		facts = append(facts, []string{"spilled", fmt.Sprintf("the result has %d bytes, more than maxResultBytes: the client got a summary", r.Spilled)})
	}
	if r.Lost > 0 {
		facts = append(facts, []string{"gap", wording.Count(r.Lost, "event") + " not recorded: the store was locked or full"})
	}
	if err := program.WriteTable(w, facts); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := printSteps(w, r, full); err != nil {
		return err
	}
	printInDoubt(w, r.InDoubt)
	if r.Question != nil {
		printOpen(w, r.Question, full)
	}
	if r.Failure != nil {
		fmt.Fprintf(w, "\n%s\n", terminal.On(w).Paint(terminal.Bad, failureText(r)))
	}
	if r.Remedy != "" {
		fmt.Fprintf(w, "\n%s\n", wording.Printable(r.Remedy))
	}
	return nil
}

// printInDoubt prints the calls whose outcome is unknown.
func printInDoubt(w io.Writer, calls []view.Call) {
	for i, c := range calls {
		if i == 0 {
			fmt.Fprint(w, "\ncalls whose outcome is unknown:\n")
		}
		attempt := ""
		if c.Attempt > 1 {
			attempt = fmt.Sprintf(", attempt %d", c.Attempt)
		}
		fmt.Fprintf(w, "  %s  %s.%s (node %s%s)\n", c.Address, wording.OneLine(c.Server), wording.OneLine(c.Tool), wording.OneLine(c.Node), attempt)
	}
}

// printSteps prints the listed steps.
func printSteps(w io.Writer, r *inspect.Run, full bool) error {
	rows := [][]string{{"#", "node", "type", "ms", "end", "output"}}
	for i := range r.History {
		s := &r.History[i]
		kind := string(s.Type)
		if s.Edited {
			kind = editedKind
		}
		rows = append(rows, []string{indent(s) + string(s.At()), nameText(s.Node), kind, fmt.Sprintf("%.2f", s.Duration), endText(r, s), stepText(s, full)})
	}
	if err := writeSteps(w, rows, full); err != nil {
		return err
	}
	switch {
	case r.Next > 0 && r.Nested > 0:
		fmt.Fprintf(w, "more: --from %d\n", r.Next)
	case r.Next > 0:
		fmt.Fprintf(w, "%d more: --from %d\n", r.Steps-r.Next, r.Next)
	}
	return nil
}

// endText returns when a step ended, in milliseconds since the run began; "" while it has not, and
// for a step that a fork has copied from another run.
func endText(r *inspect.Run, s *inspect.Step) string {
	if s.Ended.Before(r.Started) {
		return ""
	}
	return fmt.Sprintf("%.2f", s.Ended.Sub(r.Started).Seconds()*1000)
}

// writeSteps writes rows of steps, of which the last cell is the output or error.
func writeSteps(w io.Writer, rows [][]string, full bool) error {
	fit := terminal.Cutting
	if full {
		fit = terminal.Whole
	}
	return program.WriteRows(w, rows, fit, func(row, column int, text string) terminal.Style {
		switch {
		case column == 2 && text == editedKind:
			return terminal.Notice
		case row == 0 || column >= 2 && column <= 4:
			return terminal.Faint
		case column == 5 && strings.HasPrefix(text, "error: "):
			return terminal.Bad
		}
		return terminal.Plain
	})
}

// indent returns the space before a step: two columns for each frame and part around it.
func indent(s *inspect.Step) string {
	at := s.At()
	depth := at.Depth() - 1 + strings.Count(string(at), ".") + strings.Count(string(at), "@")
	return strings.Repeat("  ", depth)
}

// stepText returns what came of a step, on one line.
func stepText(s *inspect.Step, full bool) (text string) {
	switch {
	case s.Open:
		text = "not ended"
	case s.Error != nil:
		text = shortened("error: "+s.Error.Message, errorShown)
	case s.Skipped:
		text = notRun
	case s.Nothing:
		text = nothing
	case s.Output != nil:
		text = recordedText(*s.Output, full)
	}
	var notes []string
	if len(s.Attempts) > 0 {
		notes = append(notes, wording.Count(len(s.Attempts)+1, "attempt"))
	}
	if s.Handled != nil {
		notes = append(notes, shortened("handled: "+s.Handled.Message, errorShown))
	}
	if s.Cached {
		notes = append(notes, "cached")
	}
	notes = append(notes, questionNotes(s)...)
	if s.Below != nil {
		notes = append(notes, belowText(s))
	}
	if notes == nil {
		return text
	}
	return text + "  (" + strings.Join(notes, "; ") + ")"
}

// belowText counts the steps below a step.
func belowText(s *inspect.Step) string {
	text := wording.Count(s.Below.Steps, "step") + " below"
	if s.Below.Parts > 0 {
		text = wording.Count(s.Below.Parts, "part")
	}
	if s.Below.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Below.Failed)
	}
	if s.Below.Handled > 0 {
		text += fmt.Sprintf(", %d handled", s.Below.Handled)
	}
	return fmt.Sprintf("%s: --step %s", text, s.At())
}

// errorShown is how many characters of an error a row shows; below the table it is complete.
const errorShown = 100

// failureText returns why a run failed, with the place; for a failure below another step, with each
// level, innermost first.
func failureText(r *inspect.Run) string {
	f := r.Failure
	text := f.Message
	if f.More > 0 {
		text += fmt.Sprintf("; and %d more failed", f.More)
	}
	switch own := (execution.Caller{Tool: r.Tool, Node: f.Node, Part: f.Part, Item: f.Item}); {
	case len(f.Callers) > 0 || f.Part != "":
		place := ""
		for _, c := range f.Callers {
			place += c.String() + ", "
		}
		text = fmt.Sprintf("%s%s: %s", place, own, text)
	case f.Node != "":
		text = fmt.Sprintf("node %q: %s", f.Node, text)
	}
	if f.Pos.IsValid() {
		text = f.Pos.String() + ": " + text
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

// printStep prints one step with its indented value, and the steps below it.
func printStep(w io.Writer, r *inspect.Run, full bool) error {
	s := r.Step
	if s == nil {
		s = &r.History[0]
	}
	fmt.Fprintf(w, "step %s of run %s: node %q (%s), %s, %s", s.At(), wording.OneLine(r.ID), nameText(s.Node), s.Type,
		milliseconds(s.Duration), s.Started.Local().Format(clockFormat))
	if !s.Ended.IsZero() {
		fmt.Fprintf(w, " to %s", s.Ended.Local().Format("15:04:05.000"))
	}
	fmt.Fprint(w, "\n\n")
	for i, a := range s.Attempts {
		fmt.Fprintln(w, wording.Printable(fmt.Sprintf("attempt %d failed: %s", i+1, a.Error.Message)))
	}
	printQuestions(w, s)
	if s.Cached {
		fmt.Fprintln(w, "cached: the answer to an equal call before; no call was made")
	}
	if s.Edited {
		fmt.Fprintln(w, "edited: the output was given by a user; the node did not run")
	}
	if s.Handled != nil {
		fmt.Fprintln(w, wording.Printable("handled: "+s.Handled.Message))
	}
	if r.Context != nil {
		fmt.Fprintln(w, "context:")
		for _, node := range slices.Sorted(maps.Keys(r.Context)) {
			fmt.Fprintf(w, "  %s = %s\n", wording.OneLine(node), recordedText(r.Context[node], full))
		}
		fmt.Fprint(w, "\noutput:\n")
	}
	switch {
	case s.Error != nil:
		fmt.Fprintln(w, wording.Printable("error: "+s.Error.Message))
	case s.Skipped:
		fmt.Fprintln(w, notRun)
	case s.Nothing:
		fmt.Fprintln(w, nothing)
	case !s.Output.Whole():
		fmt.Fprintf(w, "%s\n\n%s\n", wording.Printable(s.Output.Text()), valueNote(*s.Output))
	default:
		fmt.Fprintln(w, wording.Printable(indentedJSON(s.Output.Value)))
	}
	if r.Step == nil || len(r.History) == 0 {
		return nil
	}
	fmt.Fprint(w, "\nbelow it:\n")
	return printSteps(w, r, full)
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
