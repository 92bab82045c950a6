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
	records, err := r.session.History().Before(r.at())
	if err != nil {
		return err
	}
	outputs, ran := execution.Context(records), map[string]bool{}
	for _, rec := range records {
		ran[rec.NodeID] = ran[rec.NodeID] || rec.Error == nil
	}
	for _, n := range r.drawn().Nodes {
		switch {
		case !ran[n.ID()]:
		case all:
			r.say("  %s =\n", wording.OneLine(n.ID()))
			if err := r.print(outputs[n.ID()], true, ""); err != nil {
				return err
			}
		default:
			r.row(n.ID(), r.text(outputs[n.ID()], r.room(n.ID())), terminal.Plain)
		}
	}
	return ctx.Err()
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
