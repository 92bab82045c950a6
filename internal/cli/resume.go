package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
)

type resumeFlags struct {
	sessionFlags
	answer                     string
	repeat, repeatAll, nothing bool
	changed, trace             bool
}

func newResume(std program.Streams) *cobra.Command {
	flags := resumeFlags{}
	cmd := &cobra.Command{
		Use:   "resume RUN [FILE]",
		Short: "Resume an interrupted run",
		Long: `Resume a run whose process died, and print its result. RUN is its id, the beginning of
its id, or last; "toolgraph runs list --status interrupted" lists these runs. Steps that
have finished are not repeated.

A call that was in flight is repeated only when that is safe: its node has onCrash: rerun,
or its tool is read-only or idempotent, according to the lock file with --locked, or
without it to a server that the graph file trusts. Otherwise the run fails with the code
outcome-unknown and says what to check. After checking, resolve the call: --repeat
repeats it, --answer gives the value that it returned, and --answer-nothing says that it
returned no value. When several calls were in flight, as the
items of a forEach or the branches of a parallel can be, the run asks about one after the
other, in the order of their addresses; --repeat-all repeats all of them.

A run that waited for its user asks again, in this terminal; what the user has answered
before is not asked again. Without a terminal the run stays interrupted, but --yes agrees to
questions that have no form. A run that waits in a process of toolgraph serve, on this or
another machine, gets the answer there; its result is printed here as well.`,
		Example: `  toolgraph resume last
  toolgraph resume 3QK7 --repeat
  toolgraph resume 3QK7 --repeat-all
  toolgraph resume 3QK7 --answer '{"id": 17}'
  toolgraph resume 3QK7 fixed.yaml --changed`,
		Args: program.Args(1, 1, "a run and at most one graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0], cmd.Flags().Changed("answer"))
		},
	}
	recordedGraphFlag(cmd, &flags.Graph)
	cmd.Flags().BoolVar(&flags.changed, "changed", false, "resume although the graph has changed, if the steps so far are still a path through it")
	cmd.Flags().BoolVar(&flags.repeat, "repeat", false, "repeat the in-doubt call")
	cmd.Flags().BoolVar(&flags.repeatAll, "repeat-all", false, "repeat all in-doubt calls of the run")
	cmd.Flags().StringVar(&flags.answer, "answer", "", "`JSON` value that the in-doubt call returned")
	cmd.Flags().BoolVar(&flags.nothing, "answer-nothing", false, "the in-doubt call returned no value")
	traceFlag(cmd, &flags.trace)
	flags.RegisterRuns(cmd, "error")
	flags.yesFlag(cmd)
	flags.RegisterGrace(cmd)
	flags.Audit.Register(cmd)
	flags.History.RegisterRecorded(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *resumeFlags) run(ctx context.Context, std program.Streams, id string, answered bool) error {
	resolution, err := f.resolution(answered)
	if err != nil {
		return err
	}
	recorded, start, err := f.find(ctx, id)
	if err != nil {
		return err
	}
	p, g, err := f.recordedGraph(ctx, recorded, start.Args)
	if err != nil {
		return err
	}
	if !start.IsOf(g) && !f.changed {
		return fmt.Errorf("tool %q of %s has changed since run %s was started: resume it with --changed, "+
			"or give the original file with -g", recorded.Tool, p.File.Path, recorded.ID)
	}
	l, err := f.start(ctx, std, p)
	if err != nil {
		return err
	}
	defer l.Close()
	show := newTrace(std.Err, p, g, f.trace)
	ctx, stop := l.UntilStopped(show.followed(ctx))
	user := &runtime.SuspendingUser{InTurn: runtime.InTurn{User: l.UserOf(g)}}
	opts := []execution.Option{execution.WithResolution(resolution), execution.WithObserver(show), execution.WithUser(user), stop, printedBytes(g)}
	if f.changed {
		opts = append(opts, execution.WithChangedGraph())
	}
	var result *execution.Result
	waits := recorded.Status == journal.Waiting && !recorded.Parked // in another process
	if waits {
		result, err = l.AnswerThere(ctx, recorded, user, opts)
	} else {
		result, err = l.Resolve(ctx, g, recorded.ID, opts...)
	}
	if errors.Is(err, execution.ErrSuspended) && user.Why != nil {
		is := "stays interrupted"
		switch {
		case waits:
			is = "waits in another process"
		case recorded.Parked:
			is = "still waits"
		}
		err = fmt.Errorf("run %s %s, because its user has to answer first: %w; resume it in a terminal: toolgraph resume %s",
			recorded.ID, is, user.Why, recorded.ID)
	}
	err = runtime.WithRemedy(err)
	defer explainRun(std.Err, &f.History, err)
	return show.end(std, result, err)
}

// resolution returns what the flags say about the in-doubt call.
func (f *resumeFlags) resolution(answered bool) (execution.Resolution, error) {
	var given []string
	for _, flag := range []struct {
		name  string
		isSet bool
	}{{"--repeat", f.repeat}, {"--repeat-all", f.repeatAll}, {"--answer", answered}, {"--answer-nothing", f.nothing}} {
		if flag.isSet {
			given = append(given, flag.name)
		}
	}
	if len(given) > 1 {
		return execution.Resolution{}, program.Usagef("%s exclude each other; give one of them", strings.Join(given, " and "))
	}
	if !answered {
		return execution.Resolution{Repeat: f.repeat, RepeatAll: f.repeatAll, Nothing: f.nothing}, nil
	}
	value, err := value.Decode([]byte(f.answer))
	if err != nil {
		return execution.Resolution{}, program.Usagef("--answer: %v", err)
	}
	return execution.Resolution{Value: value}, nil
}

// A process that was killed while it started a server keeps its lock until the server's program runs: a child has the
// files of its parent up to then. So a run that seems to be running is looked at again for a moment.
const (
	deadLooks = 10
	deadPause = 50 * time.Millisecond
)

// find returns the recorded run that the command line names, and how it began.
func (f *resumeFlags) find(ctx context.Context, id string) (run journal.Run, start execution.Start, err error) {
	err = f.History.Read(func(store *journal.Store) error {
		for look := 1; ; look++ {
			if run, err = store.Run(ctx, id); err != nil {
				return err
			}
			if run.Status != journal.Running || look == deadLooks {
				break
			}
			select {
			case <-time.After(deadPause):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if run.Status == journal.Running {
			return fmt.Errorf("run %s is running in another process, expected an interrupted run, or one that waits for an answer", run.ID)
		}
		if err = store.Verify(ctx, run); err == nil {
			start, err = store.Start(ctx, run.ID)
		}
		return err
	})
	return run, start, err
}

// recordedGraphFlag registers -g of a command on a recorded run.
func recordedGraphFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "graph", "g", "", "graph `file`, instead of the argument FILE (default the file that the run was started from)")
}

// recordedGraph returns the current graph of a recorded run with these arguments: from the graph file of the flags, or
// without one from the file that the run was started from.
func (f *sessionFlags) recordedGraph(ctx context.Context, recorded journal.Run, args value.Value) (*project.Project, *graph.Graph, error) {
	if f.Graph == "" {
		f.Graph = recorded.File
	}
	p, err := f.Project(ctx)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.Recorded(ctx, recorded.Tool, args)
	if err != nil {
		err = program.Usagef("%w", err)
	}
	return p, g, err
}
