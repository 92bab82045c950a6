package cli

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/debug"
)

type debugFlags struct {
	runnerFlags
	args string
}

func newDebug(std streams) *cobra.Command {
	flags, file := debugFlags{}, ""
	cmd := &cobra.Command{
		Use:   "debug FILE TOOL [key=value …]",
		Short: "Step through one run of a tool",
		Long: `Run one tool and hold it before its first node. Commands are read from standard input,
a line each, and help tells which there are: step, continue, break, print, edit and more.
What happens is shown on standard error; the result goes to standard output, as with
toolgraph run. Time in which the run is held does not count for its time limit. The end
of the input stops the run.`,
		Example: `  toolgraph debug graph.yaml count_files directory=.
  printf 'break sum if $.sum > 10\ncontinue\nprint $.sum\ncontinue\n' |
    toolgraph debug graph.yaml sum_to_n n=5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, file, args)
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "the arguments as a JSON object")
	flags.register(cmd, "error")
	flags.history.register(cmd)
	return takesGraph(cmd, &file)
}

func (f *debugFlags) run(ctx context.Context, std streams, file string, words []string) error {
	p, err := load(ctx, file, f.servers)
	if err != nil {
		return err
	}
	g, pairs, err := toolOf(p, words)
	if err != nil {
		return err
	}
	if f.args == "-" {
		return usagef("--args - reads standard input, where the commands come from; write the arguments out")
	}
	args, err := argumentsOf(ctx, nil, f.args, g.Tool.InputSchema, pairs)
	if err != nil {
		return err
	}
	warnUndeclared(std.err, g.Tool, args)
	log, locked, err := f.prepare(std, p)
	if err != nil {
		return err
	}
	plugged, err := f.plug(ctx, log)
	if err != nil {
		return err
	}
	defer plugged.close()
	user := newTerminal(ctx, std)
	pool := newPool(p, log, append(guarded(locked, p), user.asks(p.File.Secrets))...)
	defer closePool(pool, log)
	plugged.hints = hintsOf(pool, locked)

	show := newTrace(std.err, p, g, true)
	controller := debug.New()
	defer controller.Close()
	ctx, watching := plugged.begin(ctx, g, log)
	session, err := controller.Start(ctx, g, args, plugged.engine(p, pool), debug.StartOptions{
		Pause: true, Run: append(watching, execution.WithObserver(show)),
	})
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	source, err := os.ReadFile(p.File.Path)
	if err != nil {
		return err
	}
	r := &repl{std: std, lines: user.lines, session: session, graph: g, secrets: p.File.Secrets, trace: show, source: bytes.Split(source, []byte("\n"))}
	r.commands(ctx)
	session.Stop() // does nothing to a run that has ended
	<-session.Done()
	return r.end()
}

// end tells how the session ended.
func (r *repl) end() error {
	state := r.session.State()
	var err error
	switch state.Status {
	case debug.Stopped:
		err = errors.New("the run was stopped")
	case debug.Failed:
		err = errors.New(state.Message)
	}
	return r.trace.end(r.std, &execution.Result{Value: state.Result}, err)
}
