package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/program"
)

// repl reads commands and executes them in a debugging session.
type repl struct {
	std     program.Streams
	screen  terminal.Screen
	next    func(ctx context.Context) (string, error) // returns a command, see input
	session *debug.Session
	graph   *graph.Graph
	secrets *config.Secrets
	trace   *trace
	show    func()   // shows again what is in flight; nil: it was not hidden
	file    string   // the graph file
	source  [][]byte // its lines
	watched []string
	looked  execution.Address // the step whose context is looked at; empty: where the run is
	last    string            // the command that an empty line repeats

	interrupts  chan struct{} // of Ctrl-C while the run runs
	interrupted bool          // Ctrl-C has ended the session
}

// errQuit ends the loop of commands.
var errQuit = errors.New("quit")

// commands executes commands until the run or the input ends.
func (r *repl) commands(ctx context.Context) {
	if r.wait(ctx) {
		return
	}
	for {
		line, err := r.next(ctx)
		if r.interrupted = errors.Is(err, terminal.ErrInterrupted); err != nil || r.execute(ctx, line) {
			return
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
		r.say("%s\n", r.screen.Carets(wording.Printable(r.secrets.Redact(err.Error()))))
	}
	return r.session.State().Status.Ended()
}

func (r *repl) say(format string, args ...any) { fmt.Fprintf(r.std.Err, format, args...) }

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
	c, err := findCommand(name)
	if err != nil {
		return err
	}
	return c.do(ctx, r, strings.TrimSpace(rest))
}

// findCommand returns the command of a name, a short name, or the beginning of one name.
func findCommand(name string) (*debugCommand, error) {
	var names, begin []string
	var found *debugCommand
	for i := range debugCommands {
		c := &debugCommands[i]
		if name == c.name || name == c.short {
			return c, nil
		}
		names = append(names, c.name)
		if strings.HasPrefix(c.name, name) {
			begin, found = append(begin, c.name), c
		}
	}
	switch len(begin) {
	case 1:
		return found, nil
	case 0:
		return nil, fmt.Errorf("unknown command %q; %s", name, cmp.Or(wording.DidYouMean(name, names), "type help to list the commands"))
	}
	return nil, fmt.Errorf("several commands begin with %q: %s", name, wording.Or(begin))
}

// wait waits until the run is paused again and prints where, or reports that it has ended. Meanwhile
// Ctrl-C pauses the run, and a second one stops it.
func (r *repl) wait(ctx context.Context) (ended bool) {
	if r.show != nil {
		r.show()
	}
	waiting, done := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.interruptible(waiting)
	}()
	err := r.session.Wait(ctx)
	done()
	<-over
	r.show = terminal.Hide(r.std.Err)
	if err != nil {
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
	r.say("%s (%s) %s [%s]\n", r.screen.Paint(terminal.Bold, fmt.Sprintf("before step %s, %s", next.At(), place(*next))),
		wording.OneLine(what), r.screen.Paint(terminal.Faint, "at "+wording.OneLine(node.Pos().String())), state.PausedBy)
	r.question(ctx, node, next.At())
	if state.Problem != "" {
		r.say("%s\n", r.screen.Paint(terminal.Notice, wording.Printable(r.secrets.Redact(state.Problem))))
	}
	r.others(state)
	r.watches(state)
}

// others prints which other parts are paused.
func (r *repl) others(state debug.State) {
	const shown = 20
	var all []string
	for _, h := range state.Held {
		if h.Visit != state.Next {
			all = append(all, string(h.Visit.At()))
		}
	}
	if len(all) == 0 {
		return
	}
	more := ""
	if len(all) > shown {
		more = fmt.Sprintf(" and %d more", len(all)-shown)
		all = all[:shown]
	}
	r.say("%s\n", r.screen.Wrap(fmt.Sprintf("  also paused: %s%s", strings.Join(all, ", "), more), 2))
}

// watches prints the watched expressions.
func (r *repl) watches(state debug.State) {
	for _, w := range state.Watches {
		text, style := r.secrets.Redact(w.Error), terminal.Bad // which may quote a value
		if text == "" {
			text, style = r.text(w.Value, r.room(w.Expr)), terminal.Plain
		}
		r.row(w.Expr, text, style)
	}
}

// row prints a name and a text, on a terminal in one line of it.
func (r *repl) row(name, text string, style terminal.Style) {
	r.say("%s\n", r.screen.Line(terminal.Part{Text: "  " + wording.OneLine(name) + " = "}, terminal.Part{Text: wording.OneLine(text), Style: style}))
}

// room is how many characters of a value a row after a name has room for.
func (r *repl) room(name string) int {
	const around = len("   = … (123456 bytes)")
	if columns := r.screen.Columns(); columns > 0 {
		return max(outputShown/4, columns-terminal.Width(name)-around)
	}
	return outputShown
}

// text returns a value in one line.
func (r *repl) text(v value.Value, most int) string {
	return valueText(v, most, r.secrets)
}
