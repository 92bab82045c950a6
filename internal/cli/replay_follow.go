package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
)

// follower compares a replay with the recorded run, address by address: it repeats the edits of
// the recorded run until the two diverge, and finds where they do first.
type follower struct {
	recorded *fold.History
	replayed *fold.History
	calls    int
	answers  int
	graph    *graph.Graph
	edits    []execution.Record // of steps, that were not repeated yet
	diverged *execution.Record  // the record with the smallest address that differs
	changes  []diff.Change      // of its output; none: it is another node, or one of the two failed
}

// newFollower follows a replay on a graph of these events, of which the first steps are copied.
func newFollower(g *graph.Graph, events []execution.Event, copied int) *follower {
	f := &follower{graph: g, recorded: fold.NewHistory(), replayed: fold.NewHistory()}
	for _, e := range events {
		f.recorded.Add(e)
		if e.Record != nil && e.Record.Edited && e.Record.Part != "" && e.At().Outermost() >= copied {
			f.edits = append(f.edits, *e.Record)
		}
		if (e.Record != nil || e.Step != nil) && e.At().Outermost() < copied {
			f.replayed.Add(e)
		}
	}
	return f
}

// Wait returns the edit that was made before this step.
func (f *follower) Wait(_ context.Context, next execution.Event) ([]execution.Edit, error) {
	at := next.Step.At()
	if was, known := f.recorded.Record(at); known && was.Edited && !f.isAfter(at) {
		if was.Part == "" {
			return []execution.Edit{{NodeID: was.NodeID, Output: was.Output}}, nil
		}
	}
	return f.stepEdit(next), nil
}

// stepEdit returns the first edit of a step that can be repeated before this one, where it is above and has ended: no step
// that reads it has begun then, as in the recorded run.
func (f *follower) stepEdit(next execution.Event) []execution.Edit {
	ended := func(at execution.Address) bool {
		_, ended := f.replayed.Record(at)
		return ended
	}
	none := func(execution.Address) bool { return false }
	for i, edit := range f.edits {
		of := f.graph.ReachedTool(edit.Tool)
		at, _, err := execution.StepToEdit(of, next.Step.At(), edit.Step(), none, ended)
		if err != nil || at != edit.At() || f.isAfter(at) {
			continue
		}
		f.edits = slices.Delete(f.edits, i, i+1)
		return []execution.Edit{{NodeID: edit.Step(), Output: edit.Output}}
	}
	return nil
}

// isAfter reports whether the runs diverge before an address.
func (f *follower) isAfter(at execution.Address) bool {
	return f.diverged != nil && f.replayed.Compare(f.diverged.At(), at) < 0
}

// Observe compares a record with that of the recorded run.
func (f *follower) Observe(e execution.Event) {
	f.replayed.Add(e)
	switch e.Kind {
	case execution.CallStarted:
		f.calls++
	case execution.Answered:
		f.answers++
	case execution.RunStarted, execution.StepReady, execution.AttemptFailed, execution.PartsStarted, execution.QuestionAsked,
		execution.StepFinished, execution.ContextEdited, execution.RunFinished:
	}
	if e.Record == nil || f.isAfter(e.Record.At()) {
		return
	}
	now := *e.Record
	if now.Edited && now.Part != "" {
		return // it is the recorded one
	}
	was, known := f.recorded.AsEnded(now.At())
	same := known && was.NodeID == now.NodeID && was.Edited == now.Edited && comparedText(was.Error) == comparedText(now.Error) &&
		comparedText(was.Handled) == comparedText(now.Handled) && len(was.Attempts) == len(now.Attempts) &&
		confirmedDigest(was) == confirmedDigest(now)
	var changes []diff.Change
	if same && now.Error == nil {
		changes = diff.Values(was.Output, now.Output)
	}
	if !same || len(changes) > 0 {
		f.diverged, f.changes = &now, changes
	}
}

// comparedText is what is compared of a failure: without what was added to its message, such as
// how long its attempts took.
func comparedText(failed *execution.Failure) string {
	switch {
	case failed == nil:
		return ""
	case failed.Code == execution.CodeUser: // with the message of a question that is the same, or not in the recording
		return failed.Detail
	}
	return cmp.Or(failed.Plain, failed.Message)
}

// confirmedDigest identifies the call to which the user has agreed; empty when no user was asked.
func confirmedDigest(r execution.Record) string {
	if r.Confirmed == nil {
		return ""
	}
	return r.Confirmed.Digest
}

func confirmedText(r execution.Record) string {
	if r.Confirmed == nil {
		return "called without a question"
	}
	return "confirmed by the user, digest " + wording.OneLine(r.Confirmed.Digest)
}

// changesShown is how many changes of one value are printed, valueShown how much of each.
const (
	changesShown = 8
	valueShown   = 60
)

// print prints where the runs first diverge.
func (f *follower) print(ctx context.Context, w io.Writer, p *project.Project, g *graph.Graph, result *execution.Result) {
	if f.diverged == nil {
		f.printSame(w, len(result.History()))
		return
	}
	now := *f.diverged
	at := now.At()
	fmt.Fprintf(w, "the replay diverges from the recorded run at step %s, node %q", at, wording.OneLine(now.Name()))
	node := g.ReachedTool(now.Tool).NodeAt(now.NodeID, now.Part)
	if node != nil {
		fmt.Fprintf(w, " (%s)", node.Pos())
	}
	fmt.Fprintln(w, ":")
	secrets := p.File.Secrets
	was, known := f.recorded.Record(at)
	switch {
	case !known && at.Frame() == "" && now.Part == "":
		fmt.Fprintln(w, "  the recorded run had already ended")
	case !known:
		fmt.Fprintln(w, "  the recorded run has no such step")
	case was.NodeID != now.NodeID:
		fmt.Fprintf(w, "  the recorded run went to %q\n", wording.OneLine(was.NodeID))
	case len(was.Attempts) != len(now.Attempts):
		fmt.Fprintf(w, "  was  %s\n  is   %s\n", wording.Count(len(was.Attempts)+1, "attempt"), wording.Count(len(now.Attempts)+1, "attempt"))
	case confirmedDigest(was) != confirmedDigest(now) && was.Error == nil && now.Error == nil:
		fmt.Fprintf(w, "  was  %s\n  is   %s\n", confirmedText(was), confirmedText(now))
	case len(f.changes) == 0:
		fmt.Fprintf(w, "  was  %s\n  is   %s\n", outputText(was, outputShown, secrets), outputText(now, outputShown, secrets))
	default:
		for _, c := range f.changes[:min(len(f.changes), changesShown)] {
			fmt.Fprintf(w, "  %s: %s → %s\n", wording.OneLine(cmp.Or(c.Path, "the value")),
				valueText(c.Old, valueShown, secrets), valueText(c.New, valueShown, secrets))
		}
		if more := len(f.changes) - changesShown; more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
	scope, err := f.replayed.Scope(ctx, g, at)
	if err != nil {
		return // these values are only a help
	}
	for _, read := range readBy(ctx, node, scope) {
		fmt.Fprintf(w, "  it reads %s = %s\n", wording.OneLine(read.path), valueText(read.value, valueShown, secrets))
	}
}

// printSame prints that a replay of so many steps matches, as far as it went.
func (f *follower) printSame(w io.Writer, steps int) {
	for _, was := range f.recorded.Sorted() {
		if _, made := f.replayed.Record(was.At()); !made {
			fmt.Fprintf(w, "the replay ends after %s, before node %q of the recorded run\n", wording.Count(steps, "step"), wording.OneLine(was.Name()))
			return
		}
	}
	answered := wording.Count(f.calls, "call")
	if f.answers > 0 {
		answered += " and " + wording.Count(f.answers, "question")
	}
	fmt.Fprintf(w, "the replay matches the recorded run: %s, %s answered from it\n", wording.Count(steps, "step"), answered)
}

// reading is a path that a rule reads, with its value.
type reading struct {
	path  string
	value value.Value
}

// readBy returns the values that the conditions of a switch read from the context: they made it
// choose its branch.
func readBy(ctx context.Context, node graph.Node, scope *expressions.Scope) []reading {
	n, isSwitch := node.(*graph.Switch)
	if !isSwitch {
		return nil
	}
	var all []reading
	for _, c := range n.Conditions {
		for _, ref := range c.Rule.References() {
			path := "$." + strings.Join(ref.Path, ".")
			if ref.Body || ref.Function != "" || len(ref.Path) == 0 || slices.ContainsFunc(all, func(r reading) bool { return r.path == path }) {
				continue
			}
			expr, err := jsonata.Compile(ctx, path)
			if err != nil {
				continue // a name that needs backticks; these values are only a help
			}
			if value, err := expr.Eval(ctx, scope); err == nil {
				all = append(all, reading{path, value})
			}
		}
	}
	return all
}
