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
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/debugger/debug"
)

// debugCommand is a command of the debugger.
type debugCommand struct {
	name, short string
	args, help  string
	more        string                                                     // what help NAME says besides
	words       func(r *repl, text string) (from int, candidates []string) // completes the last word of the arguments; nil: there are none
	do          func(ctx context.Context, r *repl, rest string) error
}

var debugCommands []debugCommand

// partHelp is about commands when several parts are paused.
const partHelp = "It acts on the part that is shown, or on one that is paused at ADDRESS; other parts stay paused."

const placeHelp = "NODE is a place: read, before the node; read[], before each part of it; facts.weather, before a branch; rows.text, before a step of a block; rows[], before each item and turn of a step; todos_of_file:read, in another tool."

func init() { // not above, because help refers to the table
	debugCommands = []debugCommand{
		{"step", "s", "[ADDRESS]", "execute one node, or go into its parts or the graph that it calls", partHelp, pausedWords, func(ctx context.Context, r *repl, at string) error { return r.resume(ctx, r.session.Step, at) }},
		{"next", "n", "[ADDRESS]", "execute one node or part, with all that is in it", partHelp, pausedWords, func(ctx context.Context, r *repl, at string) error { return r.resume(ctx, r.session.Next, at) }},
		{"out", "o", "[ADDRESS]", "continue to the end of the frame, or of the parts", partHelp, pausedWords, func(ctx context.Context, r *repl, at string) error { return r.resume(ctx, r.session.Out, at) }},
		{"continue", "c", "[ADDRESS]", "continue, with all parts, to the next breakpoint or the end", "With an address, only that part continues. Ctrl-C pauses the run before its next step; a second Ctrl-C stops it.", pausedWords, func(ctx context.Context, r *repl, at string) error { return r.resume(ctx, r.session.Resume, at) }},
		{"until", "u", "NODE", "continue to a place, named as for break", placeHelp, placeWords, func(ctx context.Context, r *repl, node string) error { return r.waitAfter(ctx, r.session.RunTo(node)) }},
		{"break", "b", "NODE [if EXPR]", "pause before NODE, each part (NODE[]), NODE.BRANCH or TOOL:NODE, always or when a JSONata expression is true", placeHelp + " The condition sees what the step sees; before a part also $item and $index.", breakWords, breakAt},
		{"breaks", "", "", "list the breakpoints", "", nil, listBreaks},
		{"delete", "d", "[NODE]", "delete the breakpoints of a node, or all", "", setWords, deleteBreaks},
		{"disable", "", "[NODE]", "keep the breakpoints of a node, or all, without pausing at them", "", setWords, func(ctx context.Context, r *repl, node string) error { return switchBreaks(ctx, r, node, true) }},
		{"enable", "", "[NODE]", "pause again at the breakpoints of a node, or all", "", setWords, func(ctx context.Context, r *repl, node string) error { return switchBreaks(ctx, r, node, false) }},
		{"print", "p", "[--all] EXPR", "evaluate a JSONata expression as the step that is looked at would", "On a terminal a value that is longer than the screen is truncated; --all prints all of it.", exprWords, printExpr},
		{"watch", "w", "[EXPR]", "show an expression at each pause, or list the watched expressions", "", exprWords, watchExpr},
		{"unwatch", "", "[EXPR]", "remove a watched expression, or all", "", watchedWords, unwatch},
		{"context", "", "[--all]", "show the latest output of each node of the frame", "--all prints whole values.", nil, printContext},
		{"history", "h", "[--all]", "show the steps so far", "On a terminal only as many of the latest steps are shown as it has lines; --all shows all.", nil, func(_ context.Context, r *repl, rest string) error { return r.history(rest) }},
		{"edit", "e", "NODE JSON", "replace the latest output of a node of the frame, or of a step above; the word nothing removes it", "A step is edited before the steps that read it begin. Tab after NODE offers the present output. The output of a switch is the id of the next node.", editWords, editOutput},
		{"list", "l", "", "show the node that is looked at in its file, and what it asks", "", nil, func(ctx context.Context, r *repl, _ string) error { return r.list(ctx) }},
		{"where", "", "", "show where the run is paused, its callers, and the watched expressions", "", nil, func(ctx context.Context, r *repl, _ string) error { r.stack(ctx); return nil }},
		{"up", "", "", "look at the context of the caller, or of what a step is in", "", nil, func(ctx context.Context, r *repl, _ string) error { return r.up(ctx) }},
		{"down", "", "", "look at the frame below again", "", nil, func(ctx context.Context, r *repl, _ string) error { return r.down(ctx) }},
		{"frame", "f", "[ADDRESS]", "look at the context of a step such as 4.3/1, or of where the run is; commands then act on a part that is paused there", "4 is step 4; 4.3 its part 3; 4/1 step 1 of the graph that step 4 calls; 1.rows.3.text step text for item 3 of step rows.", addressWords, func(ctx context.Context, r *repl, at string) error { return r.frame(ctx, at) }},
		{"parts", "", "[ADDRESS] [FROM]", "list the parts of a node, or steps, items and turns, and their state, 20 at a time", "", addressWords, func(_ context.Context, r *repl, rest string) error { return r.parts(rest) }},
		{"quit", "q", "", "stop the run", "", nil, func(context.Context, *repl, string) error { return errQuit }},
		{"stop", "", "", "stop the run", "", nil, func(context.Context, *repl, string) error { return errQuit }},
		{"help", "?", "[COMMAND]", "list the commands, or describe one", "", commandWords, func(_ context.Context, r *repl, name string) error { return r.help(name) }},
	}
}

// resume continues the run, or what is paused at an address, and waits until the run is paused again.
func (r *repl) resume(ctx context.Context, command func(at execution.Address) error, at string) error {
	if at == "" {
		return r.waitAfter(ctx, command(""))
	}
	address, err := execution.ParseAddress(at)
	if err != nil {
		return err
	}
	return r.waitAfter(ctx, command(address))
}

// waitAfter waits after a command that continues the run, unless it has failed.
func (r *repl) waitAfter(ctx context.Context, err error) error {
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
		if b.Disabled {
			condition += ", disabled"
		}
		r.say("  %s%s, %s\n", wording.OneLine(b.Node), wording.OneLine(condition), wording.Count(b.Hits, "hit"))
	}
	return nil
}

// switchBreaks disables or enables the breakpoints of a node, or all.
func switchBreaks(ctx context.Context, r *repl, node string, disabled bool) error {
	all, found := r.session.Breakpoints(), node == ""
	for i := range all {
		if node == "" || all[i].Node == node {
			all[i].Disabled, found = disabled, true
		}
	}
	if !found {
		return fmt.Errorf("node %q has no breakpoint", node)
	}
	return r.session.SetBreakpoints(ctx, all)
}

func deleteBreaks(ctx context.Context, r *repl, node string) error {
	all := r.session.Breakpoints()
	left := slices.DeleteFunc(slices.Clone(all), func(b debug.Breakpoint) bool { return node == "" || b.Node == node })
	if len(left) == len(all) {
		return fmt.Errorf("node %q has no breakpoint", node)
	}
	return r.session.SetBreakpoints(ctx, left)
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

func unwatch(ctx context.Context, r *repl, source string) error {
	left := slices.DeleteFunc(slices.Clone(r.watched), func(w string) bool { return source == "" || w == source })
	if source != "" && len(left) == len(r.watched) {
		return fmt.Errorf("%q is not watched; watch lists the watched expressions", source)
	}
	r.watched = left
	r.session.SetWatches(ctx, left)
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
	if err := r.session.Edit(ctx, "", node, v); err != nil {
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
		text := fmt.Sprintf("%s %*d  %s", mark, width, n, wording.Printable(r.secrets.Redact(string(source[n-1]))))
		style := terminal.Plain
		if n == at {
			style = terminal.Bold
		}
		r.say("%s\n", r.screen.Line(terminal.Part{Text: text, Style: style}))
	}
	r.question(ctx, node, r.at())
	return nil
}

// help lists the commands, or describes one.
func (r *repl) help(name string) error {
	if name != "" {
		c, err := findCommand(name)
		if err != nil {
			return err
		}
		r.say("  %s\n%s\n", strings.TrimSpace(c.called()+"  "+c.args), r.screen.Wrap(c.help, 0))
		if c.more != "" {
			r.say("%s\n", r.screen.Wrap(c.more, 0))
		}
		return nil
	}
	for _, c := range debugCommands {
		head := fmt.Sprintf("  %-13s %-16s ", c.called(), c.args)
		r.say("%s\n", r.screen.Wrap(head+c.help, len(head)))
	}
	if r.interrupts != nil {
		r.say("A name can be shortened as long as it is clear. Ctrl-C pauses a run that runs.\n")
	}
	return nil
}

// called is the name of a command with its short name.
func (c *debugCommand) called() string {
	if c.short != "" {
		return c.name + ", " + c.short
	}
	return c.name
}
