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
	sessionFlags
	args string
}

func newDebug(std streams) *cobra.Command {
	flags := debugFlags{}
	cmd := &cobra.Command{
		Use:   "debug FILE TOOL [key=value …]",
		Short: "Step through one run of a tool",
		Long: `Run one tool and pause before its first node. Commands are read from standard input, one
a line; "help" lists them: step, continue, break, print, edit and more. Progress is shown on
standard error, and the result goes to standard output, as with toolgraph run. Time in
which the run is paused does not count toward its time limit. The run is stopped at the
end of the input.`,
		Example: `  toolgraph debug graph.yaml count_files directory=.
  printf 'break sum if $.sum > 10\ncontinue\nprint $.sum\ncontinue\n' |
    toolgraph debug graph.yaml sum_to_n n=5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "tool arguments as a `JSON` object")
	flags.registerRuns(cmd, "error")
	flags.history.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *debugFlags) run(ctx context.Context, std streams, words []string) error {
	p, err := f.project(ctx)
	if err != nil {
		return err
	}
	g, pairs, err := toolOf(p, words)
	if err != nil {
		return err
	}
	if f.args == "-" {
		return usagef("--args - reads standard input, which has the commands; write the arguments on the command line")
	}
	args, err := argumentsOf(ctx, nil, f.args, g.Tool.InputSchema, pairs)
	if err != nil {
		return err
	}
	warnUndeclared(std.err, g.Tool, args)
	l, err := f.start(ctx, std, p)
	if err != nil {
		return err
	}
	defer l.close()

	show := newTrace(std.err, p, g, true)
	controller := debug.New()
	defer controller.Close()
	ctx, options := l.begin(ctx, g)
	session, err := controller.Start(ctx, g, args, l.engine(), debug.StartOptions{
		Pause: true, Run: append(options, execution.WithObserver(show)),
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
	r := &repl{
		std: std, lines: l.user.lines, session: session, graph: g, secrets: p.File.Secrets, trace: show,
		source: bytes.Split(source, []byte("\n")),
	}
	r.commands(ctx)
	session.Stop() // does nothing to a run that has ended
	<-session.Done()
	return r.end()
}

// end prints the result of the run.
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
