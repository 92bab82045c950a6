package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

type resumeFlags struct {
	runnerFlags
	graph, answer                   string
	changed, repeat, nothing, trace bool
}

func newResume(std streams) *cobra.Command {
	flags := resumeFlags{}
	cmd := &cobra.Command{
		Use:   "resume RUN [FILE]",
		Short: "Take on a run that was interrupted",
		Long: `Take on a run whose process died, from where it was, and print its result. RUN is its
id, the beginning of its id, or last; toolgraph runs list --status interrupted tells
which there are. What the run had done is not done again.

A call that was under way is made again only when that does no harm: when its node says
onCrash: rerun, or when its tool is read-only or idempotent and its server is trusted in
the graph file. Otherwise the run ends with the code outcome-unknown and tells where to
look. Once you have, say what you found: --repeat goes on as if the call had not been
made, --answer is what it had returned, --answer-nothing that it had returned nothing.`,
		Example: `  toolgraph resume last
  toolgraph resume 3QK7 --repeat
  toolgraph resume 3QK7 --answer '{"id": 17}'
  toolgraph resume 3QK7 fixed.yaml --changed`,
		Args: args(1, 1, "a run and at most one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0], cmd.Flags().Changed("answer"))
		},
	}
	cmd.Flags().StringVarP(&flags.graph, "graph", "g", "", "the graph file, instead of the argument FILE; the one that the run was started from when not given")
	cmd.Flags().BoolVar(&flags.changed, "changed", false, "also when the graph has changed, as long as the way that the run has gone is still one of it")
	cmd.Flags().BoolVar(&flags.repeat, "repeat", false, "the call whose outcome is unknown may be made again")
	cmd.Flags().StringVar(&flags.answer, "answer", "", "the call whose outcome is unknown was made, and returned this JSON")
	cmd.Flags().BoolVar(&flags.nothing, "answer-nothing", false, "the call whose outcome is unknown was made, and returned nothing")
	cmd.Flags().BoolVar(&flags.trace, "trace", false, "print each step on standard error")
	flags.register(cmd, "error")
	graceFlag(cmd, &flags.grace)
	flags.history.registerKept(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *resumeFlags) run(ctx context.Context, std streams, id string, answered bool) error {
	found, err := f.unknown(answered)
	if err != nil {
		return err
	}
	kept, err := f.find(ctx, id)
	if err != nil {
		return err
	}
	p, g, err := f.load(ctx, kept)
	if err != nil {
		return err
	}
	log, locked, err := f.prepare(std, p)
	if err != nil {
		return err
	}
	plugged, err := f.plug(ctx, log)
	if err != nil {
		return err
	}
	defer plugged.close()
	pool := newPool(p, log, append(guarded(locked, p), newTerminal(ctx, std).asks(p.File.Secrets))...)
	defer closePool(pool, log)
	plugged.hints = asked(ctx, pool, hintsOf(pool, locked), log)
	opts := []execution.Option{execution.WithResolution(found)}
	if f.changed {
		opts = append(opts, execution.WithChangedGraph())
	}
	show := newTrace(std.err, p, g, f.trace)
	opts, ctx, release := f.untilStopped(ctx, std, opts)
	defer release()
	result, err := takeOn(ctx, plugged, p, g, kept.ID, pool, log, append(opts, execution.WithObserver(show))...)
	return show.end(std, result, explained(err))
}

// unknown is what the flags say of the call whose outcome is unknown.
func (f *resumeFlags) unknown(answered bool) (execution.Resolution, error) {
	switch {
	case f.repeat && (answered || f.nothing):
		return execution.Resolution{}, usagef("--repeat and --answer exclude each other: a call that was made is not made again")
	case answered && f.nothing:
		return execution.Resolution{}, usagef("--answer and --answer-nothing exclude each other; give one")
	case !answered:
		return execution.Resolution{Repeat: f.repeat, Nothing: f.nothing}, nil
	}
	value, err := value.Decode([]byte(f.answer))
	if err != nil {
		return execution.Resolution{}, usagef("--answer: %v", err)
	}
	return execution.Resolution{Value: value}, nil
}

// find is the kept run that the command line names.
func (f *resumeFlags) find(ctx context.Context, id string) (journal.Run, error) {
	store, err := f.history.open(slog.New(slog.DiscardHandler))
	if err != nil {
		return journal.Run{}, err
	}
	defer store.Close()
	kept, err := store.Run(ctx, id)
	if err != nil {
		return kept, err
	}
	if kept.Status == journal.Running {
		return kept, fmt.Errorf("run %s is running in another process, expected one that was interrupted", kept.ID)
	}
	return kept, store.Verify(ctx, kept)
}

// load is the graph of a kept run, as it is in its file now.
func (f *resumeFlags) load(ctx context.Context, kept journal.Run) (*project.Project, *graph.Graph, error) {
	p, g, err := loadKept(ctx, kept, f.graph, f.servers)
	if err != nil {
		return nil, nil, err
	}
	if g.Hash != kept.Graph && !f.changed {
		return nil, nil, fmt.Errorf("tool %q of %s has changed since run %s was started: take it on with --changed, "+
			"or give the file as it was with -g", kept.Tool, p.File.Path, kept.ID)
	}
	return p, g, nil
}

// explained adds to a failure what its reader can do about it.
func explained(err error) error {
	var step *execution.StepError
	if errors.As(err, &step) && errors.Is(err, execution.ErrSuspended) {
		return fmt.Errorf("%w\nif it is recorded, it can be resumed: toolgraph resume %s", err, step.Run)
	}
	if !errors.As(err, &step) || step.Code() != execution.CodeOutcomeUnknown {
		return err
	}
	return fmt.Errorf("%w\nwhen you have looked: toolgraph resume %s --repeat goes on as if the call had not been made, --answer JSON takes what it had returned, --answer-nothing that it had returned nothing", err, step.Run)
}
