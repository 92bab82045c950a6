package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/diff"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

type replayFlags struct {
	sessionFlags
	from  int
	trace bool
}

func newReplay(std streams) *cobra.Command {
	flags := replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay RUN [FILE]",
		Short: "Repeat a recorded run without calling any server",
		Long: `Repeat a recorded run with its arguments and with the results of its calls; no server is
started and no tool is called. With FILE, use the graph of another file, to try a change
on a recorded run. Print the result, and where the replay first diverges from the
recorded run, with the value that caused it.

A call is identified by its server, tool and arguments. The replay ends at a call that
the recorded run did not make. With --from N, the first N steps are copied from the
recorded run.

RUN is the id of a run, the beginning of its id, or last. The replay itself is not
recorded.`,
		Example: `  toolgraph replay last
  toolgraph replay 3QK7 edited.yaml --trace
  toolgraph replay 3QK7 edited.yaml --from 12`,
		Args: args(1, 1, "a run and at most one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	recordedGraphFlag(cmd, &flags.graph)
	cmd.Flags().IntVar(&flags.from, "from", 0, "`number` of first steps to copy from the recorded run")
	traceFlag(cmd, &flags.trace)
	flags.register(cmd, "error")
	flags.history.registerState(cmd.Flags())
	return takesGraph(cmd, &flags.graph)
}

func (f *replayFlags) run(ctx context.Context, std streams, id string) error {
	var recorded journal.Run
	var events []execution.Event
	err := f.history.read(func(store *journal.Store) (err error) {
		recorded, events, err = f.events(ctx, std, store, id)
		return err
	})
	if err != nil {
		return err
	}
	p, g, err := f.recordedGraph(ctx, recorded)
	if err != nil {
		return err
	}
	log, err := f.logger(std, f.logLevel, p.File.Secrets)
	if err != nil {
		return err
	}
	show := newTrace(std.err, p, g, f.trace)
	follow := newFollower(events)
	engine := execution.New(execution.NewRecording(events, f.from),
		reportPanics(log), execution.WithGate(follow), execution.WithObserver(show), execution.WithObserver(follow))
	result, err := f.replay(withRuleLog(ctx, log, g.Tool.Name.Value), engine, g, events)
	if result == nil {
		return err
	}
	show.progress.clear()
	follow.print(ctx, std.err, p, g, result)
	return show.end(std, result, err)
}

// events returns the run and its events.
func (f *replayFlags) events(ctx context.Context, std streams, store *journal.Store, id string) (journal.Run, []execution.Event, error) {
	recorded, err := store.Run(ctx, id)
	if err != nil {
		return recorded, nil, err
	}
	if f.from < 0 || f.from > recorded.Steps {
		return recorded, nil, usagef("--from is %d, expected 0 to %d, the number of steps of run %s", f.from, recorded.Steps, recorded.ID)
	}
	var gap *journal.GapError
	if _, err := store.Journal(nil, journal.About{}).Load(ctx, recorded.ID); errors.As(err, &gap) {
		fmt.Fprintf(std.err, "toolgraph: steps that depend on this will differ: %s\n", wording.Printable(gap.Error()))
	} else if err != nil {
		return recorded, nil, err
	}
	events, err := store.Load(ctx, recorded.ID)
	return recorded, events, err
}

// replay runs the graph from the start, or after the steps that are copied.
func (f *replayFlags) replay(ctx context.Context, engine *execution.Engine, g *graph.Graph, events []execution.Event) (*execution.Result, error) {
	if f.from == 0 {
		return engine.Run(ctx, g, events[0].Start.Args)
	}
	first := []execution.Event{events[0]}
	for _, e := range events[1:] {
		if e.Record != nil && e.Record.Index < f.from {
			first = append(first, e)
		}
	}
	result, err := engine.Resume(ctx, g, first, execution.WithChangedGraph())
	if result == nil && err != nil {
		return nil, fmt.Errorf("the first %d steps cannot be copied: %w; copy fewer steps", f.from, err)
	}
	return result, err
}

// follower compares a replay with the recorded run: it repeats the edits of the recorded run
// until the two diverge, and notes where they do.
type follower struct {
	recorded []execution.Record
	calls    int
	diverged *execution.Record // the first record that differs
	changes  []diff.Change     // of its output; none: it is another node, or one of the two failed
}

func newFollower(events []execution.Event) *follower {
	f := &follower{}
	for _, e := range events {
		if e.Record != nil {
			f.recorded = append(f.recorded, *e.Record)
		}
	}
	return f
}

// Wait returns the edit that was made before this step.
func (f *follower) Wait(_ context.Context, next execution.Event) ([]execution.Edit, error) {
	if i := next.Step.Index; f.diverged == nil && i < len(f.recorded) && f.recorded[i].Edited {
		return []execution.Edit{{NodeID: f.recorded[i].NodeID, Output: f.recorded[i].Output}}, nil
	}
	return nil, nil
}

// Observe compares a record with that of the recorded run.
func (f *follower) Observe(e execution.Event) {
	if e.Kind == execution.CallStarted {
		f.calls++
	}
	if e.Record == nil || f.diverged != nil {
		return
	}
	now := *e.Record
	if now.Index >= len(f.recorded) {
		f.diverged = &now
		return
	}
	was := f.recorded[now.Index]
	f.changes = nil
	same := was.NodeID == now.NodeID && was.Edited == now.Edited && messageOf(was) == messageOf(now)
	if same && now.Error == nil {
		f.changes = diff.Values(was.Output, now.Output)
	}
	if !same || len(f.changes) > 0 {
		f.diverged = &now
	}
}

func messageOf(r execution.Record) string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Message
}

// changesShown is how many changes of one value are printed, valueShown how much of each.
const (
	changesShown = 8
	valueShown   = 60
)

// print prints where the runs first diverge.
func (f *follower) print(ctx context.Context, w io.Writer, p *project.Project, g *graph.Graph, result *execution.Result) {
	steps := len(result.History)
	if f.diverged == nil {
		if steps < len(f.recorded) {
			fmt.Fprintf(w, "the replay ends after %s, before node %q of the recorded run\n", wording.Count(steps, "step"), f.recorded[steps].NodeID)
			return
		}
		fmt.Fprintf(w, "the replay matches the recorded run: %s, %s answered from it\n", wording.Count(steps, "step"), wording.Count(f.calls, "call"))
		return
	}
	now := *f.diverged
	fmt.Fprintf(w, "the replay diverges from the recorded run at step %d, node %q", now.Index, wording.OneLine(now.NodeID))
	if node := g.Node(now.NodeID); node != nil {
		fmt.Fprintf(w, " (%s)", node.Pos())
	}
	fmt.Fprintln(w, ":")
	text := func(v value.Value) string { return valueText(v, valueShown, p.File.Secrets) }
	switch {
	case now.Index >= len(f.recorded):
		fmt.Fprintln(w, "  the recorded run had already ended")
	case f.recorded[now.Index].NodeID != now.NodeID:
		fmt.Fprintf(w, "  the recorded run went to %q\n", wording.OneLine(f.recorded[now.Index].NodeID))
	case len(f.changes) == 0:
		fmt.Fprintf(w, "  was  %s\n  is   %s\n", outputText(f.recorded[now.Index], p.File.Secrets), outputText(now, p.File.Secrets))
	default:
		for _, c := range f.changes[:min(len(f.changes), changesShown)] {
			fmt.Fprintf(w, "  %s: %s → %s\n", wording.OneLine(cmp.Or(c.Path, "the value")), text(c.Old), text(c.New))
		}
		if more := len(f.changes) - changesShown; more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
	for _, read := range readBy(ctx, g.Node(now.NodeID), execution.ScopeOf(result.History[:now.Index])) {
		fmt.Fprintf(w, "  it reads %s = %s\n", wording.OneLine(read.path), text(read.value))
	}
}

// reading is a path that a rule reads, with its value.
type reading struct {
	path  string
	value value.Value
}

// readBy returns the values that the conditions of a switch read from the context: they made it
// choose its branch.
func readBy(ctx context.Context, node graph.Node, scope *expressions.Scope) []reading {
	n, isSwitch := node.(*graph.Switch)
	if !isSwitch {
		return nil
	}
	var all []reading
	for _, c := range n.Conditions {
		for _, ref := range c.Rule.References() {
			path := "$." + strings.Join(ref.Path, ".")
			if ref.Body || ref.Function != "" || len(ref.Path) == 0 || slices.ContainsFunc(all, func(r reading) bool { return r.path == path }) {
				continue
			}
			expr, err := jsonata.Compile(ctx, path)
			if err != nil {
				continue // a name that needs backticks; these values are only a help
			}
			if value, err := expr.Eval(ctx, scope); err == nil {
				all = append(all, reading{path, value})
			}
		}
	}
	return all
}
