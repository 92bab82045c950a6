package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/program"
)

type debugFlags struct {
	sessionFlags
	args string
}

func newDebug(std program.Streams) *cobra.Command {
	flags := debugFlags{}
	cmd := &cobra.Command{
		Use:   "debug FILE TOOL [key=value …]",
		Short: "Step through one run of a tool",
		Long: `Run one tool and pause before its first node. Commands are read from standard input, one
a line; "help" lists them: step, next, out, continue, break, print, edit and more. Progress is
shown on standard error, and the result goes to standard output, as with toolgraph run. Time
in which the run is paused does not count toward its time limit. The run is stopped at the
end of the input.

step goes into the parts of a node and into the graphs that it calls, next executes them as
one, out continues to their end. When one of several parts that run at once is paused, the
others pause before their next steps; continue continues all of them, step, next and out the
one that is shown, and each takes the address of another. A breakpoint is at a node (read), at each part of it (read[]), at a branch (facts.weather), or in another
tool (todos_of_file:read).

At a terminal, lines can be edited, Tab completes, and the commands are kept for the next
session beside the recorded runs, unless they hold a secret. Ctrl-C pauses a run that runs,
after the call in flight; a second Ctrl-C stops it.

Questions of the run are asked in the terminal, between the commands; --yes agrees to calls
that need to be confirmed.`,
		Example: `  toolgraph debug graph.yaml count_files directory=.
  printf 'break sum if $.sum > 10\ncontinue\nprint $.sum\ncontinue\n' |
    toolgraph debug graph.yaml sum_to_n n=5`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "tool arguments as a `JSON` object")
	flags.RegisterRuns(cmd, "error")
	flags.yesFlag(cmd)
	flags.History.Register(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *debugFlags) run(ctx context.Context, std program.Streams, words []string) error {
	if f.args == "-" {
		return program.Usagef("--args - reads standard input, which has the commands; write the arguments on the command line")
	}
	l, g, args, err := f.loadTool(ctx, std, f.args, words)
	if err != nil {
		return err
	}
	defer l.Close()

	show := newTrace(std.Err, l.Project, g, true)
	controller := debug.New()
	defer controller.Close()
	ctx, options := l.Begin(show.followed(ctx), g)
	session, err := controller.Start(ctx, g, args, l.Engine(), debug.StartOptions{
		Pause: true, Run: append(options, execution.WithObserver(show)),
	})
	var refused *execution.ArgumentsError
	if errors.As(err, &refused) {
		return program.Usagef("%w", err)
	}
	if err != nil {
		return err
	}
	source, err := os.ReadFile(l.File.Path)
	if err != nil {
		return err
	}
	r := &repl{
		std: std, screen: terminal.On(std.Err), session: session, graph: g, secrets: l.File.Secrets, trace: show,
		file: l.File.Path, source: bytes.Split(source, []byte("\n")),
	}
	close, err := r.input(ctx, f.terminal.input, f.historyPath())
	if err != nil {
		return err
	}
	r.commands(ctx)
	close()
	session.Stop() // does nothing to a run that has ended
	<-session.Done()
	return r.end()
}

// historyPath returns where the commands are kept, empty when they are not.
func (f *debugFlags) historyPath() string {
	dir, err := f.History.Directory()
	if err != nil || f.History.Off {
		return ""
	}
	return filepath.Join(dir, "debug_history")
}

// end prints the result of the run.
func (r *repl) end() error {
	state := r.session.State()
	var err error
	switch state.Status {
	case debug.Stopped:
		err = stoppedError{r.interrupted}
	case debug.Failed:
		err = errors.New(state.Message)
	}
	return r.trace.end(r.std, &execution.Result{Value: state.Result}, err)
}

// stoppedError is the end of a run that the user has stopped: it is cancelled, as the page and the record have it.
type stoppedError struct{ interrupted bool }

func (stoppedError) Error() string { return "the run was cancelled" }

// As lets Ctrl-C have the exit code of its signal.
func (e stoppedError) As(target any) bool {
	ended, is := target.(*program.SignalError)
	if is && e.interrupted {
		ended.Signal = syscall.SIGINT
	}
	return is && e.interrupted
}
