package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/debug"
	"toolgraph/internal/wording"
)

// debugCommand is a command of the debugger.
type debugCommand struct {
	name, short string
	args, help  string
	do          func(ctx context.Context, r *repl, rest string) error
}

var debugCommands []debugCommand

func init() { // not above, because help refers to the table
	debugCommands = []debugCommand{
		{"step", "s", "", "execute one node, or go into its parts or the graph that it calls", func(ctx context.Context, r *repl, _ string) error { return r.resume(ctx, r.session.Step()) }},
		{"next", "n", "", "execute one node or part, with all that is in it", func(ctx context.Context, r *repl, _ string) error { return r.resume(ctx, r.session.Next()) }},
		{"out", "o", "", "continue to the end of the frame, or of the parts", func(ctx context.Context, r *repl, _ string) error { return r.resume(ctx, r.session.Out()) }},
		{"continue", "c", "", "continue to the next breakpoint or the end", func(ctx context.Context, r *repl, _ string) error { return r.resume(ctx, r.session.Resume()) }},
		{"until", "u", "NODE", "continue to a place, named as for break", func(ctx context.Context, r *repl, node string) error { return r.resume(ctx, r.session.RunTo(node)) }},
		{"break", "b", "NODE [if EXPR]", "pause before NODE, each part (NODE[]), NODE.BRANCH or TOOL:NODE, always or when a JSONata expression is true", breakAt},
		{"breaks", "", "", "list the breakpoints", listBreaks},
		{"delete", "d", "[NODE]", "delete the breakpoints of a node, or all", deleteBreaks},
		{"print", "p", "EXPR", "evaluate a JSONata expression as the step that is looked at would", printExpr},
		{"watch", "w", "[EXPR]", "show an expression at each pause, or list the watched expressions", watchExpr},
		{"unwatch", "", "", "remove all watched expressions", unwatch},
		{"context", "", "", "show the latest output of each node of the frame", printContext},
		{"history", "h", "", "show the steps so far", func(_ context.Context, r *repl, _ string) error { return r.history() }},
		{"edit", "e", "NODE JSON", "replace the latest output of a node of the frame; the word nothing removes it", editOutput},
		{"list", "l", "", "show the node that is looked at in its file, and what it asks", func(ctx context.Context, r *repl, _ string) error { return r.list(ctx) }},
		{"where", "", "", "show where the run is paused, its callers, and the watched expressions", func(ctx context.Context, r *repl, _ string) error { r.stack(ctx); return nil }},
		{"up", "", "", "look at the context of the caller", func(ctx context.Context, r *repl, _ string) error { return r.up(ctx) }},
		{"down", "", "", "look at the frame below again", func(ctx context.Context, r *repl, _ string) error { return r.down(ctx) }},
		{"frame", "f", "[ADDRESS]", "look at the context of a step such as 4.3/1, or of where the run is", func(ctx context.Context, r *repl, at string) error { return r.frame(ctx, at) }},
		{"parts", "", "[ADDRESS] [FROM]", "list the parts of a node and their state, 20 at a time", func(_ context.Context, r *repl, rest string) error { return r.parts(rest) }},
		{"quit", "q", "", "stop the run", func(context.Context, *repl, string) error { return errQuit }},
		{"stop", "", "", "stop the run", func(context.Context, *repl, string) error { return errQuit }},
		{"help", "?", "", "list the commands", func(_ context.Context, r *repl, _ string) error { return r.help() }},
	}
}

// resume waits until a run that was resumed pauses again.
func (r *repl) resume(ctx context.Context, err error) error {
	if err == nil {
		r.wait(ctx)
	}
	return err
}

func breakAt(ctx context.Context, r *repl, rest string) error {
	node, condition, _ := strings.Cut(rest, " if ")
	b := debug.Breakpoint{Node: strings.TrimSpace(node), Condition: strings.TrimSpace(condition)}
	if b.Node == "" {
		return errors.New("break needs a node: break NODE [if EXPR]")
	}
	err := r.session.SetBreakpoints(ctx, append(r.session.Breakpoints(), b))
	var bad *debug.ConditionError
	if errors.As(err, &bad) {
		return fmt.Errorf("the condition of the breakpoint at %q: %w", b.Node, shown(b.Condition, err))
	}
	return err
}

func listBreaks(_ context.Context, r *repl, _ string) error {
	for _, b := range r.session.Breakpoints() {
		condition := ""
		if b.Condition != "" {
			condition = " if " + b.Condition
		}
		r.say("  %s%s, %s\n", wording.OneLine(b.Node), wording.OneLine(condition), wording.Count(b.Hits, "hit"))
	}
	return nil
}

func deleteBreaks(ctx context.Context, r *repl, node string) error {
	all := r.session.Breakpoints()
	left := slices.DeleteFunc(slices.Clone(all), func(b debug.Breakpoint) bool { return node == "" || b.Node == node })
	if len(left) == len(all) {
		return fmt.Errorf("node %q has no breakpoint", node)
	}
	return r.session.SetBreakpoints(ctx, left)
}

func printExpr(ctx context.Context, r *repl, source string) error {
	value, err := r.session.Evaluate(ctx, source, r.looked)
	if err != nil {
		return errors.New(pointTo(source, offsetOf(err), err.Error()+codeOf(err)))
	}
	if value == nil {
		r.say(nothing + "\n")
		return nil
	}
	return printValue(r.std.err, value, r.secrets)
}

func watchExpr(ctx context.Context, r *repl, source string) error {
	if source != "" {
		if _, err := jsonata.Compile(ctx, source); err != nil {
			return shown(source, err)
		}
		r.watched = append(r.watched, source)
		r.session.SetWatches(ctx, r.watched)
	}
	r.watches(r.session.State())
	return nil
}

func unwatch(ctx context.Context, r *repl, _ string) error {
	r.watched = nil
	r.session.SetWatches(ctx, nil)
	return nil
}

func printContext(_ context.Context, r *repl, _ string) error {
	records, err := r.session.History().Before(r.at())
	if err != nil {
		return err
	}
	outputs, ran := execution.Context(records), map[string]bool{}
	for _, rec := range records {
		ran[rec.NodeID] = ran[rec.NodeID] || rec.Error == nil
	}
	for _, n := range r.drawn().Nodes {
		if ran[n.ID()] {
			r.say("  %s = %s\n", wording.OneLine(n.ID()), r.text(outputs[n.ID()], outputShown))
		}
	}
	return nil
}

func (r *repl) history() error {
	for _, rec := range r.session.Records(0) {
		r.trace.row(rec)
	}
	return nil
}

func editOutput(ctx context.Context, r *repl, rest string) error {
	node, text, _ := strings.Cut(rest, " ")
	if node == "" || strings.TrimSpace(text) == "" {
		return errors.New("edit needs a node and a value: edit NODE JSON")
	}
	var v value.Value
	if strings.TrimSpace(text) != nothing {
		var err error
		if v, err = value.Decode([]byte(text)); err != nil {
			return fmt.Errorf("%w; write a string in double quotes, or the word nothing for no value", err)
		}
	}
	if err := r.session.Edit(ctx, node, v); err != nil {
		return err
	}
	if _, isSwitch := r.session.State().Graph.Node(node).(*graph.Switch); isSwitch {
		r.wait(ctx) // it may choose another branch now
	}
	return nil
}

// list shows the lines of the node that is looked at, with a few before and after it.
func (r *repl) list(ctx context.Context) error {
	if r.session.State().Next == nil {
		return errNotPaused
	}
	_, _, part := r.at().Split()
	node := r.drawn().NodeAt(r.session.History().NodeID(r.at()), part)
	if node == nil {
		return fmt.Errorf("the node of step %s is not known", r.at())
	}
	source := r.source
	if file := node.Pos().File; file != r.file {
		text, err := config.ReadFile(file) // of an import
		if err != nil {
			return err
		}
		source = bytes.Split(text, []byte("\n"))
		r.say("%s\n", wording.OneLine(file))
	}
	const around = 4
	at := node.Pos().Line
	first, last := max(1, at-around), min(len(source), at+around)
	width := len(strconv.Itoa(last))
	for n := first; n <= last; n++ {
		mark := " "
		if n == at {
			mark = ">"
		}
		r.say("%s %*d  %s\n", mark, width, n, wording.Printable(r.secrets.Redact(string(source[n-1]))))
	}
	r.question(ctx, node, r.at())
	return nil
}

func (r *repl) help() error {
	for _, c := range debugCommands {
		name := c.name
		if c.short != "" {
			name += ", " + c.short
		}
		r.say("  %-13s %-16s %s\n", name, c.args, c.help)
	}
	return nil
}
