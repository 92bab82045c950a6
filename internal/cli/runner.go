package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/lock"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
)

// runnerFlags are those of the commands that make runs for the one who calls them.
type runnerFlags struct {
	servers, logLevel string
	locked            lockedFlag
	observe           observeFlags
	history           historyFlags

	grace     time.Duration
	logChosen func() bool  // whether somebody has asked for logLevel
	keeping   *slog.Logger // for the kept runs, from prepare on
}

// register adds all flags but those of the history; level is where the log begins.
func (f *runnerFlags) register(cmd *cobra.Command, level string) {
	cmd.Flags().StringVarP(&f.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().StringVar(&f.logLevel, "log-level", level, "debug, info, warn or error")
	f.logChosen = func() bool { return cmd.Flags().Changed("log-level") }
	f.locked.register(cmd)
	f.observe.registerTraces(cmd)
}

// prepare makes the log for the runs of a file, and reads the lock beside it. That runs
// are not kept is told unless somebody asked for less: nothing else would tell it.
func (f *runnerFlags) prepare(std streams, p *project.Project) (*slog.Logger, *lock.Lock, error) {
	log, err := observe.NewLogger(std.err, f.logLevel, "text", p.File.Secrets)
	if err != nil {
		return nil, nil, usageError{err}
	}
	f.keeping = log
	if !f.logChosen() {
		if f.keeping, err = observe.NewLogger(std.err, "warn", "text", p.File.Secrets); err != nil {
			return nil, nil, err
		}
	}
	locked, err := f.locked.load(p)
	return log, locked, err
}

func graceFlag(cmd *cobra.Command, into *time.Duration) {
	cmd.Flags().DurationVar(into, "grace", defaultGrace, "how long a call in flight may go on after SIGTERM; its run is suspended then")
}

// untilStopped makes a run end with the process: softly after SIGTERM.
func (f *runnerFlags) untilStopped(ctx context.Context, std streams, opts []execution.Option) ([]execution.Option, context.Context, func()) {
	stop, unregister := stopping(ctx, 0, func() {
		fmt.Fprintf(std.err, "toolgraph: stopping: a call in flight has %v to end; a second signal ends at once\n", f.grace)
	})
	calls, release := lasting(ctx, f.grace)
	return append(opts, execution.WithStop(stop)), calls, func() {
		unregister()
		release()
	}
}

// plug switches on what the flags say. The caller closes it when the last run has ended.
func (f *runnerFlags) plug(ctx context.Context, log *slog.Logger) (*plugs, error) {
	plugged := &plugs{}
	err := f.observe.plug(ctx, plugged, nil, log)
	if err == nil {
		err = f.history.plug(plugged, f.keeping)
	}
	if err != nil {
		plugged.close()
		return nil, err
	}
	return plugged, nil
}
