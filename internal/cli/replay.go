package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/observe"
	"toolgraph/internal/wording"
)

type replayFlags struct {
	graph, servers, logLevel string
	from                     int
	trace                    bool
	history                  historyFlags
}

func newReplay(std streams) *cobra.Command {
	flags := replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay RUN [FILE]",
		Short: "Run a kept run again, calling nothing, to see what a changed graph makes of it",
		Long: `Run a kept run again with its arguments and the answers that it got: no server is
started and nothing is called. With FILE the graph may be another than the run's, so that
a change can be tried on what has happened. The result is printed, and where the two
runs part first, with the value that made them.

A call is known by its server, its tool and its arguments. One that the kept run did not
make ends the replay. With --from N the first N steps are kept as they are.

RUN is a run's id, the beginning of its id, or last. The replay itself is not kept.`,
		Example: `  toolgraph replay last
  toolgraph replay 3QK7 edited.yaml --trace
  toolgraph replay 3QK7 edited.yaml --from 12`,
		Args: args(1, 1, "a run and at most one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	cmd.Flags().StringVarP(&flags.graph, "graph", "g", "", "the graph file, instead of the argument FILE; the one that the run was started from when not given")
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().IntVar(&flags.from, "from", 0, "keep so many of the first steps as they are")
	cmd.Flags().BoolVar(&flags.trace, "trace", false, "print each step on standard error when it has finished")
	cmd.Flags().StringVar(&flags.logLevel, "log-level", "error", "debug, info, warn or error")
	flags.history.registerState(cmd.Flags())
	return takesGraph(cmd, &flags.graph)
}

func (f *replayFlags) run(ctx context.Context, std streams, id string) error {
	var kept journal.Run
	var events []execution.Event
	err := f.history.looking(func(store *journal.Store) (err error) {
		kept, events, err = f.read(ctx, std, store, id)
		return err
	})
	if err != nil {
		return err
	}
	p, g, err := loadKept(ctx, kept, f.graph, f.servers)
	if err != nil {
		return err
	}
	log, err := observe.NewLogger(std.err, f.logLevel, "text", p.File.Secrets)
	if err != nil {
		return usageError{err}
	}
	show := newTrace(std.err, p, g, f.trace)
	follow := newFollower(events, f.from)
	engine := execution.New(execution.NewRecording(events, f.from),
		reportPanics(log), execution.WithGate(follow), execution.WithObserver(show), execution.WithObserver(follow))
	result, err := f.replay(withRuleLog(ctx, log, g.Tool.Name.Value), engine, g, events)
	if result == nil {
		return err
	}
	show.progress.clear()
	follow.tell(ctx, std.err, p, g, result)
	return show.end(std, result, err)
}

// read is the run and its events.
func (f *replayFlags) read(ctx context.Context, std streams, store *journal.Store, id string) (journal.Run, []execution.Event, error) {
	kept, err := store.Run(ctx, id)
	if err != nil {
		return kept, nil, err
	}
	if f.from < 0 || f.from > kept.Steps {
		return kept, nil, usagef("--from is %d, expected 0 to %d: run %s has so many steps", f.from, kept.Steps, kept.ID)
	}
	var gap *journal.GapError
	if _, err := store.Journal(nil, journal.About{}).Load(ctx, kept.ID); errors.As(err, &gap) {
		fmt.Fprintf(std.err, "toolgraph: what depends on it will differ: %s\n", wording.Printable(gap.Error()))
	} else if err != nil {
		return kept, nil, err
	}
	events, err := store.Load(ctx, kept.ID)
	return kept, events, err
}

// replay runs the graph from the start, or from the step that was asked for.
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
		return nil, fmt.Errorf("the first %d steps cannot be kept: %w; replay from an earlier one", f.from, err)
	}
	return result, err
}
