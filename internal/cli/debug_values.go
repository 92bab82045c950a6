package cli

import (
	"context"
	"errors"
	"strings"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// allOf reports whether the arguments of a command begin with --all, and returns the rest.
func allOf(rest string) (all bool, after string) {
	word, after, _ := strings.Cut(rest, " ")
	if word == "--all" {
		return true, strings.TrimSpace(after)
	}
	return false, rest
}

func printExpr(ctx context.Context, r *repl, rest string) error {
	all, source := allOf(rest)
	v, err := r.session.Evaluate(ctx, source, r.looked)
	if err != nil {
		return errors.New(pointTo(source, offsetOf(err), err.Error()+codeOf(err)))
	}
	return r.print(v, all, "print --all "+source)
}

// print prints a value. On a terminal it is not longer than the screen, unless all of it is wanted;
// command shows all.
func (r *repl) print(v value.Value, all bool, command string) error {
	if v == nil {
		r.say(nothing + "\n")
		return nil
	}
	if all || !r.screen.Live() {
		return printValue(r.std.Err, v, r.secrets)
	}
	src, err := redactedJSON(v, r.secrets)
	if err != nil {
		return err
	}
	text := wording.Printable(indentedJSON(program.Escaped(src)))
	shown, whole := r.screen.Head(text, reservedRows)
	r.say("%s\n", shown)
	if !whole {
		r.say("%s\n", r.screen.Paint(terminal.Faint, wording.OneLine("truncated, "+wording.Count(len(src), "byte")+": "+command)))
	}
	return nil
}

// reservedRows is how many rows of the screen the prompt, the command and a note keep.
const reservedRows = 4

func printContext(ctx context.Context, r *repl, rest string) error {
	all, _ := allOf(rest)
	names, values, err := r.seen(ctx)
	if err != nil {
		return err
	}
	for i, name := range names {
		if !all {
			r.row(name, r.text(values[i], r.room(name)), terminal.Plain)
			continue
		}
		r.say("  %s =\n", wording.OneLine(name))
		if err := r.print(values[i], true, ""); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// seen returns what the expressions of the step that is looked at see: the latest output of each node that has run, in the
// order of the file; of steps args, those above and variables.
func (r *repl) seen(ctx context.Context) (names []string, values []value.Value, err error) {
	steps, err := r.session.History().StepContext(ctx, r.graph, r.at())
	if err != nil {
		return nil, nil, err
	}
	if object, ofSteps := steps.(value.Object); ofSteps {
		for _, name := range object.Keys() {
			v, _ := object.Get(name)
			names, values = append(names, name), append(values, v)
		}
		return names, values, nil
	}
	records, err := r.session.History().Before(r.at())
	if err != nil {
		return nil, nil, err
	}
	outputs, ran := execution.Context(records), map[string]bool{}
	for _, rec := range records {
		ran[rec.NodeID] = ran[rec.NodeID] || rec.Error == nil
	}
	for _, n := range r.drawn().Nodes {
		if ran[n.ID()] {
			names, values = append(names, n.ID()), append(values, outputs[n.ID()])
		}
	}
	return names, values, nil
}

// history shows the steps so far; on a terminal the latest, unless all are wanted.
func (r *repl) history(rest string) error {
	all, _ := allOf(rest)
	records := r.session.Records(0)
	if most := r.screen.Rows() - reservedRows; r.screen.Live() && !all && len(records) > most {
		left := len(records) - max(most, 1)
		records = records[left:]
		r.say("%s\n", r.screen.Paint(terminal.Faint, wording.Count(left, "step")+" before: history --all"))
	}
	for _, rec := range records {
		r.trace.row(rec)
	}
	return nil
}
