package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/dryrun"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
)

type forkFlags struct {
	sessionFlags
	edits                  []string
	repeat, changed, trace bool
	dry                    bool
	format                 string
	chosen                 func(flag string) bool
}

func newFork(std program.Streams) *cobra.Command {
	flags := forkFlags{}
	cmd := &cobra.Command{
		Use:   "fork RUN/ADDRESS [FILE]",
		Short: "Run again from a step of a recorded run",
		Long: `Start a new run that continues a recorded one from a step on, and print its result. The
steps before it are copied, and none of their calls is made again; every later call is
made anew. RUN is an id, the beginning of one, or last; ADDRESS is that of the step, as
"toolgraph runs show RUN" lists it. Of a step whose parts ran at the same time, as in 4.3/1,
the parts that had finished when the step began are copied, and the others run.

--edit replaces the latest output of a node before the step, as an edit in the debugger
does; the word nothing instead of JSON removes it. The node is one of the graph that has
the step.

With --dry-run, print how much is copied and which calls the recorded run made from the
step on; start nothing.

A run in progress cannot be forked, and neither can one that was not recorded as it was
before the step, such as one with a secret in a value. If the process died during a call
that is not safe to repeat, its outcome is unknown, and --repeat is needed.`,
		Example: `  toolgraph fork last/4
  toolgraph fork 3QK7/4 --edit 'search={"hits": []}'
  toolgraph fork 3QK7/4 fixed.yaml --changed
  toolgraph fork 3QK7/4.2/1 --dry-run`,
		Args: program.Args(1, 1, "a step of a run as RUN/ADDRESS, and at most one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	recordedGraphFlag(cmd, &flags.Graph)
	cmd.Flags().StringArrayVar(&flags.edits, "edit", nil, "replace the latest output of a node before the step, as `NODE=JSON`; may be repeated")
	cmd.Flags().BoolVar(&flags.changed, "changed", false, "fork although the graph has changed, if the steps before are still a path through it")
	cmd.Flags().BoolVar(&flags.repeat, "repeat", false, "also make calls again whose outcome is unknown")
	cmd.Flags().BoolVar(&flags.dry, "dry-run", false, "print what would be copied and which calls are made again")
	program.ChoiceFlag(cmd, &flags.format, "format", "f", "output format of --dry-run", "text", "json")
	flags.chosen = cmd.Flags().Changed
	traceFlag(cmd, &flags.trace)
	flags.RegisterRuns(cmd, "error")
	flags.yesFlag(cmd)
	flags.RegisterGrace(cmd)
	flags.Audit.Register(cmd)
	flags.History.RegisterRecorded(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *forkFlags) run(ctx context.Context, std program.Streams, step string) error {
	id, at, err := splitOrigin(step)
	if err != nil {
		return err
	}
	if f.chosen("format") && !f.dry {
		return program.Usagef("--format is given without --dry-run; a run prints JSON")
	}
	edits, err := editsOf(f.edits)
	if err != nil {
		return err
	}
	var recorded journal.Run
	var events []execution.Event
	err = f.History.Read(func(store *journal.Store) error {
		if recorded, err = store.Run(ctx, id); err != nil {
			return err
		}
		events, err = runtime.ForkEvents(ctx, store, recorded, at)
		return err
	})
	if err != nil {
		return err
	}
	p, g, err := f.recordedGraph(ctx, recorded, events[0].Start.Args)
	if err != nil {
		return err
	}
	f.History.Records = !f.dry
	l, err := f.start(ctx, std, p)
	if err != nil {
		return err
	}
	defer l.Close()
	if f.dry {
		plan, err := dryrun.ForkOf(ctx, g, events, at, l.Believer(false).Effect)
		if err != nil {
			return err
		}
		if f.format == "json" {
			return program.EncodeJSON(std.Out, plan)
		}
		return printForkPlan(std.Out, plan)
	}
	show := newTrace(std.Err, p, g, f.trace)
	ctx, stop := l.UntilStopped(show.followed(ctx))
	opts := []execution.Option{stop, execution.WithObserver(show), execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
		if e.Start != nil {
			program.PrintLine(std.Err, "toolgraph: run %s continues run %s from step %s", e.Run, recorded.ID, at)
		}
	}))}
	if f.changed {
		opts = append(opts, execution.WithChangedGraph())
	}
	result, err := l.Fork(ctx, g, events, execution.Fork{At: at, Edits: edits, Repeat: f.repeat}, opts...)
	err = runtime.ForkRemedy(err, recorded.ID)
	defer explainRun(std.Err, &f.History, err)
	return show.end(std, result, err)
}

// editsOf returns the edits of the flags.
func editsOf(given []string) ([]execution.Edit, error) {
	var edits []execution.Edit
	for _, text := range given {
		node, src, found := strings.Cut(text, "=")
		switch {
		case !found || node == "":
			return nil, program.Usagef("--edit is %s, expected NODE=JSON", wording.Quote(text))
		case slices.ContainsFunc(edits, func(e execution.Edit) bool { return e.NodeID == node }):
			return nil, program.Usagef("--edit names node %s twice", wording.Quote(node))
		case strings.Contains(src, "[redacted]"):
			return nil, program.Usagef("--edit %s: the value contains [redacted], which would replace the secret itself; write another text instead", wording.OneLine(node))
		}
		edit := execution.Edit{NodeID: node}
		if src != "nothing" {
			v, err := value.Decode([]byte(src))
			if err != nil {
				return nil, program.Usagef("--edit %s: %v; write JSON, with quotes around a text, or the word nothing", wording.OneLine(node), err)
			}
			edit.Output = v
		}
		edits = append(edits, edit)
	}
	return edits, nil
}

func printForkPlan(w io.Writer, p *dryrun.ForkPlan) error {
	copied := wording.Count(p.Copied, "step") + " copied"
	if p.Calls > 0 {
		copied += ", with " + wording.Count(p.Calls, "call") + " that will not be made again"
	}
	fmt.Fprintln(w, copied)
	if len(p.Again) == 0 {
		_, err := fmt.Fprintf(w, "from step %s on, the recorded run made no call\n", p.At)
		return err
	}
	fmt.Fprintf(w, "from step %s on, the recorded run made these calls; the fork makes them again if it takes the same path:\n", p.At)
	rows := make([][]string, len(p.Again))
	for i, c := range p.Again {
		effect := "effect unknown"
		if c.Effect != "" {
			effect = "effect: " + string(c.Effect)
		}
		if c.InDoubt > 0 {
			effect += fmt.Sprintf(", %d with unknown outcome", c.InDoubt)
		}
		rows[i] = []string{"  " + wording.OneLine(c.Node), wording.OneLine(c.Server + "." + c.Tool), wording.Count(c.Calls, "call"), effect}
	}
	return program.WriteTable(w, rows)
}

// splitOrigin returns the run and the address of RUN/ADDRESS.
func splitOrigin(text string) (run string, at execution.Address, err error) {
	run, step, found := strings.Cut(text, "/")
	if !found || run == "" {
		return "", "", program.Usagef("%s names no step of a run, expected RUN/ADDRESS such as last/4; list the addresses with: toolgraph runs show RUN", wording.Quote(text))
	}
	if at, err = execution.ParseAddress(step); err != nil {
		return "", "", program.Usagef("%w", err)
	}
	return run, at, nil
}
