package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debug"
	"toolgraph/internal/wording"
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
a line; "help" lists them: step, next, out, continue, break, print, edit and more. Progress is
shown on standard error, and the result goes to standard output, as with toolgraph run. Time
in which the run is paused does not count toward its time limit. The run is stopped at the
end of the input.

step goes into the parts of a node and into the graphs that it calls, next executes them as
one, out continues to their end. Parts run one after the other in the debugger. A breakpoint
is at a node (read), at each part of it (read[]), at a branch (facts.weather), or in another
tool (todos_of_file:read).

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
	flags.registerRuns(cmd, "error")
	flags.yesFlag(cmd)
	flags.history.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *debugFlags) run(ctx context.Context, std streams, words []string) error {
	if f.args == "-" {
		return usagef("--args - reads standard input, which has the commands; write the arguments on the command line")
	}
	l, g, args, err := f.loadTool(ctx, std, f.args, words)
	if err != nil {
		return err
	}
	defer l.close()

	show := newTrace(std.err, l.Project, g, true)
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
	source, err := os.ReadFile(l.File.Path)
	if err != nil {
		return err
	}
	r := &repl{
		std: std, lines: l.user.lines, session: session, graph: g, secrets: l.File.Secrets, trace: show,
		file: l.File.Path, source: bytes.Split(source, []byte("\n")),
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

// repl reads commands and executes them in a debugging session.
type repl struct {
	std     streams
	lines   func() <-chan string // of standard input
	session *debug.Session
	graph   *graph.Graph
	secrets *config.Secrets
	trace   *trace
	file    string   // the graph file
	source  [][]byte // its lines
	watched []string
	looked  execution.Address // the step whose context is looked at; empty: where the run is
	last    string            // the command that an empty line repeats
}

// errQuit ends the loop of commands.
var errQuit = errors.New("quit")

// commands executes commands until the run or the input ends.
func (r *repl) commands(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := r.lines()
	if r.wait(ctx) {
		return
	}
	if isTerminal(r.std.in) {
		r.say("type help to list the commands; an empty line repeats the last command\n")
	}
	for {
		if isTerminal(r.std.in) {
			r.say("> ")
		}
		select {
		case <-ctx.Done():
			return
		case line, open := <-lines:
			if !open || r.execute(ctx, line) {
				return
			}
		}
	}
}

// execute executes a line and reports whether it was the last one.
func (r *repl) execute(ctx context.Context, line string) (last bool) {
	err := r.command(ctx, line)
	if errors.Is(err, errQuit) {
		return true
	}
	if err != nil {
		r.say("%s\n", wording.Printable(r.secrets.Redact(err.Error())))
	}
	return r.session.State().Status.Ended()
}

// readLines sends the lines of a stream until ctx ends. A read that blocks cannot be
// interrupted, so its goroutine then stays until the process ends.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxArguments)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func (r *repl) say(format string, args ...any) { fmt.Fprintf(r.std.err, format, args...) }

// command executes a line.
func (r *repl) command(ctx context.Context, line string) error {
	line = strings.TrimSpace(line)
	if line == "" {
		if line = r.last; line == "" {
			return nil
		}
	}
	r.last = line
	name, rest, _ := strings.Cut(line, " ")
	var names []string
	for _, c := range debugCommands {
		if name == c.name || name == c.short {
			return c.do(ctx, r, strings.TrimSpace(rest))
		}
		names = append(names, c.name)
	}
	return fmt.Errorf("unknown command %q; %s", name, cmp.Or(wording.DidYouMean(name, names), "type help to list the commands"))
}

// wait waits until the run is paused again and prints where, or reports that it has ended.
func (r *repl) wait(ctx context.Context) (ended bool) {
	if r.session.Wait(ctx) != nil {
		return true
	}
	state := r.session.State()
	if state.Status.Ended() {
		return true
	}
	r.looked = ""
	r.where(ctx, state)
	return false
}

// where prints where a run is paused.
func (r *repl) where(ctx context.Context, state debug.State) {
	next := state.Next
	if next == nil { // the run was stopped in the meantime
		return
	}
	node := state.Graph.NodeAt(next.NodeID, next.Part)
	what := string(node.Type())
	switch {
	case next.Server != "":
		what += " " + next.Server + "." + next.Tool
	case next.Tool != "":
		what += " " + next.Tool
	}
	r.say("before step %s, %s (%s) at %s [%s]\n", next.At(), place(next.Name(), next.Part), wording.OneLine(what), node.Pos(), state.PausedBy)
	r.question(ctx, node, next.At())
	if state.Problem != "" {
		r.say("%s\n", wording.Printable(r.secrets.Redact(state.Problem)))
	}
	r.watches(state)
}

// watches prints the watched expressions.
func (r *repl) watches(state debug.State) {
	for _, w := range state.Watches {
		text := r.secrets.Redact(w.Error) // which may quote a value
		if text == "" {
			text = r.text(w.Value, outputShown)
		}
		r.say("  %s = %s\n", wording.OneLine(w.Expr), wording.OneLine(text))
	}
}

// text returns a value in one line.
func (r *repl) text(v value.Value, most int) string {
	return valueText(v, most, r.secrets)
}
