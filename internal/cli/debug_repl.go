package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debug"
	"toolgraph/internal/wording"
)

// repl reads commands and gives them to a session.
type repl struct {
	std     streams
	lines   func() <-chan string // of the input
	session *debug.Session
	graph   *graph.Graph
	secrets *config.Secrets
	trace   *trace
	source  [][]byte // lines of the graph file
	watched []string
	last    string // the command that an empty line repeats
}

// errQuit ends the reading of commands.
var errQuit = errors.New("quit")

// commands takes commands until the run has ended, or there are no more.
func (r *repl) commands(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := r.lines()
	if r.wait(ctx) {
		return
	}
	if isTerminal(r.std.in) {
		r.say("help tells the commands; an empty line repeats the last one\n")
	}
	for {
		if isTerminal(r.std.in) {
			r.say("> ")
		}
		select {
		case <-ctx.Done():
			return
		case line, open := <-lines:
			if !open || r.take(ctx, line) {
				return
			}
		}
	}
}

// take does what a line says and reports whether it was the last one.
func (r *repl) take(ctx context.Context, line string) (last bool) {
	err := r.command(ctx, line)
	if errors.Is(err, errQuit) {
		return true
	}
	if err != nil {
		r.say("%s\n", wording.Printable(r.secrets.Redact(err.Error())))
	}
	return r.session.State().Status.Ended()
}

// readLines gives the lines of a stream until ctx ends. A read that blocks cannot be
// taken back: the goroutine then stays with it until the process ends.
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

// command does what a line says.
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
	if near := wording.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown command %q: did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown command %q; help tells the commands", name)
}

// wait waits until the run is held again and tells where, or reports that it has ended.
func (r *repl) wait(ctx context.Context) (ended bool) {
	if r.session.Wait(ctx) != nil {
		return true
	}
	state := r.session.State()
	if state.Status.Ended() {
		return true
	}
	r.where(state)
	return false
}

// where tells where a held run is.
func (r *repl) where(state debug.State) {
	if state.Next == nil { // somebody has stopped the run meanwhile
		return
	}
	node := r.graph.Node(state.Next.NodeID)
	what := string(node.Type())
	if state.Next.Tool != "" {
		what += " " + state.Next.Server + "." + state.Next.Tool
	}
	r.say("before step %d, node %q (%s) at %s [%s]\n", state.Next.Index, wording.OneLine(node.ID()), wording.OneLine(what), node.Pos(), state.PausedBy)
	if state.Problem != "" {
		r.say("%s\n", wording.Printable(r.secrets.Redact(state.Problem)))
	}
	r.watches(state)
}

// watches tells what is watched.
func (r *repl) watches(state debug.State) {
	for _, w := range state.Watches {
		text := r.secrets.Redact(w.Error) // which may quote a value
		if text == "" {
			text = r.text(w.Value, outputShown)
		}
		r.say("  %s = %s\n", wording.OneLine(w.Expr), wording.OneLine(text))
	}
}

// text is a value in one line.
func (r *repl) text(v value.Value, most int) string {
	return wording.OneLine(valueText(v, most, r.secrets))
}
