package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/docs"
	"toolgraph/execution"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

func newRunsExplain(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "explain [RUN]",
		Short: "Explain why a recorded run failed",
		Long: `Explain why a recorded run failed: the steps that failed, with their place in the graph file,
the arguments of the call and every value that their expressions read; how often each node
ran; how the run differs from the last one of the tool that finished; and what can be done.
Without RUN, explain the newest run that failed.

If the graph has changed since the run, what the file says about its steps is left out.`,
		Example: `  toolgraph runs explain
  toolgraph runs explain 5GNFQ --json`,
		Args: program.Args(0, 1, "at most one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, isCode := docs.Find(strings.Join(args, "")); isCode {
				return program.Usagef("%s is a diagnostic code; to explain it: toolgraph explain %[1]s", args[0])
			}
			return inspectRuns(std, history, format, func(i *inspect.Inspector) (*inspect.RunExplanation, error) {
				return i.ExplainRun(cmd.Context(), strings.Join(args, ""))
			}, printExplanation)
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}

func printExplanation(w io.Writer, r *inspect.RunExplanation) error {
	fmt.Fprintf(w, "run %s of %s: %s\n", r.ID, wording.OneLine(r.Tool), r.Summary())
	if r.ForkedFrom != "" {
		fmt.Fprintf(w, "forked from: %s\n", wording.OneLine(r.ForkedFrom))
	}
	fmt.Fprintf(w, "arguments: %s\n", recordedText(r.Arguments, false))
	if r.Failure != nil {
		fmt.Fprintf(w, "\n%s\n", wording.Printable(r.Failure.Message))
	}
	for i := range r.Failed {
		printFailed(w, &r.Failed[i], r.Failure)
	}
	if r.More > 0 {
		fmt.Fprintf(w, "\nand %s more\n", wording.Count(r.More, "failed step"))
	}
	if r.Unread != "" {
		fmt.Fprintf(w, "\n%s\n", r.Unread)
	}
	counts := make([]string, len(r.Executions))
	for i, n := range r.Executions {
		counts[i] = fmt.Sprintf("%s %d", wording.OneLine(n.Node), n.Count)
	}
	fmt.Fprintf(w, "\nexecutions: %s\n", strings.Join(counts, ", "))
	if r.Handled > 0 {
		fmt.Fprintf(w, "onError took %s\n", wording.Count(r.Handled, "failure"))
	}
	printInDoubt(w, r.InDoubt)
	printSince(w, r.Since)
	if r.Remedy != "" {
		fmt.Fprintf(w, "\n%s\n", wording.Printable(r.Remedy))
	}
	fmt.Fprintln(w)
	for _, c := range r.Commands {
		fmt.Fprintf(w, "to %s:\n  %s\n", c.Does, wording.Printable(c.Command))
	}
	return nil
}

// printFailed prints a step that failed; of is the failure of the run.
func printFailed(w io.Writer, s *inspect.FailedStep, of *execution.Failure) {
	at := ""
	if s.Line > 0 {
		at = fmt.Sprintf(", line %d", s.Line)
	}
	if s.File != "" {
		at += " of " + wording.OneLine(s.File)
	}
	fmt.Fprintf(w, "\nstep %s, %s node %s%s:\n", s.Address, s.Type, wording.OneLine(s.Node), at)
	if s.Source != "" {
		fmt.Fprintf(w, "%s\n", wording.Printable(s.Source))
	}
	if of == nil || of.Message != s.Error.Message {
		fmt.Fprintf(w, "  %s\n", wording.Printable(s.Error.Message))
	}
	if s.Tries > 0 {
		fmt.Fprintf(w, "  after %s\n", wording.Count(s.Tries, "attempt"))
	}
	for _, v := range []struct {
		name  string
		value *inspect.Value
	}{{"item", s.Item}, {"input", s.Input}} {
		if v.value != nil {
			fmt.Fprintf(w, "  %s: %s\n", v.name, recordedText(*v.value, false))
		}
	}
	for _, read := range s.Reads {
		fmt.Fprintf(w, "  %s: %s\n", wording.OneLine(read.Path), changedText(read.Value))
	}
}

func printSince(w io.Writer, s *inspect.Since) {
	if s == nil {
		return
	}
	fmt.Fprintf(w, "\nrun %s of %s finished; since then", shortID(s.Run), s.Started.Local().Format("2006-01-02 15:04:05"))
	same := true
	if !s.SameGraph {
		fmt.Fprint(w, " the graph has changed")
		same = false
	}
	if s.Arguments != nil {
		if !same {
			fmt.Fprint(w, " and")
		}
		fmt.Fprintln(w, " the arguments differ:")
		printChanges(w, s.Arguments)
		return
	}
	if v := s.Value; v != nil {
		if !same {
			fmt.Fprint(w, " and")
		}
		fmt.Fprintf(w, " step %s (%s) is the first whose value differs:\n", v.At(), wording.OneLine(v.A.Node))
		if v.Changes != nil {
			printChanges(w, v.Changes)
		} else {
			fmt.Fprintf(w, "  %s; now it %s\n", outcome(v.A, v.B), outcome(v.B, v.A))
		}
		return
	}
	if same {
		fmt.Fprint(w, " nothing differs up to the failure")
	}
	fmt.Fprintln(w)
}
