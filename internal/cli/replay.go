package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
)

type replayFlags struct {
	sessionFlags
	from  int
	trace bool
}

func newReplay(std program.Streams) *cobra.Command {
	flags := replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay RUN [FILE]",
		Short: "Repeat a recorded run without calling any server or asking its user",
		Long: `Repeat a recorded run with its arguments and with the results of its calls; no server is
started and no tool is called. With FILE, use the graph of another file, to try a change
on a recorded run. Print the result, and where the replay first diverges from the
recorded run, with the value that caused it.

Questions to the user get the answers that were recorded, also that the user declined or did
not answer. A call is identified by its server, tool and arguments; of equal calls, each attempt gets
the answer that was recorded at its address, or else the first that is left; so does each
question. The replay ends at a call that the recorded run did not make, and at a question that
it did not ask. It does not wait between attempts, and
runs the parts of a step one after the other. With --from N, the first N steps of the
run's own graph are copied from the recorded run.

RUN is the id of a run, the beginning of its id, or last. The replay itself is not
recorded.`,
		Example: `  toolgraph replay last
  toolgraph replay 3QK7 edited.yaml --trace
  toolgraph replay 3QK7 edited.yaml --from 12`,
		Args: program.Args(1, 1, "a run and at most one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	recordedGraphFlag(cmd, &flags.Graph)
	cmd.Flags().IntVar(&flags.from, "from", 0, "`number` of first steps to copy from the recorded run")
	traceFlag(cmd, &flags.trace)
	flags.Register(cmd, "error")
	flags.History.RegisterState(cmd.Flags())
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *replayFlags) run(ctx context.Context, std program.Streams, id string) error {
	var recorded journal.Run
	var events []execution.Event
	err := f.History.Read(func(store *journal.Store) (err error) {
		recorded, events, err = f.events(ctx, std, store, id)
		return err
	})
	if err != nil {
		return err
	}
	p, g, err := f.recordedGraph(ctx, recorded, events[0].Start.Args)
	if err != nil {
		return err
	}
	log, err := f.Logger(std, f.LogLevel, p.File.Secrets)
	if err != nil {
		return err
	}
	show := newTrace(std.Err, p, g, f.trace)
	follow := newFollower(g, events, f.from)
	engine, _ := replayer(g, events, f.from, runtime.ReportPanics(log), execution.WithGate(follow), execution.WithObserver(show), execution.WithObserver(follow))
	result, err := f.replay(runtime.WithRuleLog(ctx, log, g.Tool.Name.Value), engine, g, events)
	if result == nil {
		return err
	}
	show.progress.clear()
	follow.print(ctx, std.Err, p, g, result)
	return show.end(std, result, err)
}

// replayer returns an engine that calls no server and asks no user, and what it answers from.
func replayer(g *graph.Graph, events []execution.Event, from int, more ...execution.Option) (*execution.Engine, *execution.Recording) {
	recording := execution.NewRecording(events, from)
	options := append(playback(recording, g, events), execution.WithCache(recording))
	return execution.New(recording, append(options, more...)...), recording
}

// playback returns the options of an engine that repeats a run: with its constants and the answers of its user, without waits.
func playback(recording *execution.Recording, g *graph.Graph, events []execution.Event) []execution.Option {
	start := events[0].Start
	return []execution.Option{
		execution.WithSequentialParts(), execution.WithVars(start.Vars), execution.WithChanging(start.Changing, start.Asking), execution.WithSleep(noWait),
		execution.WithRepeatable(func(server, tool string, _ config.Effect) bool { return recording.Repeated(server, tool) }),
		execution.WithUser(recording), execution.WithEffects(recordedEffects(recording, g, events)),
	}
}

// events returns the run and its events.
func (f *replayFlags) events(ctx context.Context, std program.Streams, store *journal.Store, id string) (journal.Run, []execution.Event, error) {
	recorded, err := store.Run(ctx, id)
	if err != nil {
		return recorded, nil, err
	}
	var gap *journal.GapError
	if _, err := store.Journal(nil, journal.About{}).Load(ctx, recorded.ID); errors.As(err, &gap) {
		fmt.Fprintf(std.Err, "toolgraph: steps that depend on this will differ: %s\n", wording.Printable(gap.Error()))
	} else if err != nil {
		return recorded, nil, err
	}
	events, err := store.Load(ctx, recorded.ID)
	steps := 0 // of the run's own frame
	for _, e := range events {
		if e.Record != nil && e.Record.Frame == "" && e.Record.Part == "" {
			steps++
		}
	}
	if err == nil && (f.from < 0 || f.from > steps) {
		err = program.Usagef("--from is %d, expected 0 to %d, the number of steps of run %s", f.from, steps, recorded.ID)
	}
	return recorded, events, err
}

// recordedEffects returns the effects of calls as the recorded run believed them, as far as they
// follow from it: that of a question about the calls, or, for calls that were made without one, an
// effect for which none is asked. The run does not record what a lock or a server has said.
func recordedEffects(recording *execution.Recording, g *graph.Graph, events []execution.Event) func(ctx context.Context, server, tool string) config.Effect {
	allows := g.Allow
	for _, reached := range g.Reached() {
		allows = append(allows[:len(allows):len(allows)], reached.Allow...)
	}
	without := func(effect config.Effect) bool {
		return !slices.ContainsFunc(allows, func(a *graph.Allow) bool { return !a.PermitsEffect(effect) || a.Confirms(effect) })
	}
	cached := map[string]bool{} // only answers of calls that read are
	for _, e := range events {
		if r := e.Record; r != nil && r.Cached {
			if n, isCall := g.ReachedTool(r.Tool).NodeAt(r.NodeID, r.Part).(*graph.MCP); isCall {
				cached[n.Server+"."+n.Tool] = true
			}
		}
	}
	return func(_ context.Context, server, tool string) config.Effect {
		if cached[server+"."+tool] {
			return config.ReadEffect
		}
		effect, asked := recording.Effect(server, tool)
		if asked || !recording.Called(server, tool) {
			return effect
		}
		all := []config.Effect{config.ReadEffect, config.WriteEffect, config.DestroyEffect}
		if i := slices.IndexFunc(all, without); i >= 0 {
			return all[i]
		}
		return ""
	}
}

// noWait is the wait between attempts of a replay.
func noWait(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }

// replay runs the graph from the start, or after the steps that are copied.
func (f *replayFlags) replay(ctx context.Context, engine *execution.Engine, g *graph.Graph, events []execution.Event) (*execution.Result, error) {
	if f.from == 0 {
		return engine.Run(ctx, g, events[0].Start.Args)
	}
	begin := *events[0].Start
	begin.Copied = 0 // of a fork; here only records are copied
	first := []execution.Event{events[0]}
	first[0].Start = &begin
	for _, e := range events[1:] {
		if e.Record != nil && e.Record.At().Outermost() < f.from {
			first = append(first, e)
		}
	}
	result, err := engine.Resume(ctx, g, first, execution.WithChangedGraph())
	if result == nil && err != nil {
		return nil, fmt.Errorf("the first %d steps cannot be copied: %w; copy fewer steps", f.from, err)
	}
	return result, err
}
