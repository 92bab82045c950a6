package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/diff"
	"toolgraph/internal/project"
	"toolgraph/internal/wording"
)

// follower goes along a kept run while it is replayed: it makes the edits that were
// made, as long as the two are the same, and notes where they part.
type follower struct {
	kept    []execution.Record
	from    int // steps that are taken as they are
	calls   int
	parted  *execution.Record // the first record that differs
	changes []diff.Change     // of its output; none: it is another node, or one of the two failed
}

func newFollower(events []execution.Event, from int) *follower {
	f := &follower{from: from}
	for _, e := range events {
		if e.Record != nil {
			f.kept = append(f.kept, *e.Record)
		}
	}
	return f
}

// Wait gives the edit that was made before this step.
func (f *follower) Wait(_ context.Context, next execution.Event) ([]execution.Edit, error) {
	if i := next.Step.Index; f.parted == nil && i < len(f.kept) && f.kept[i].Edited {
		return []execution.Edit{{NodeID: f.kept[i].NodeID, Output: f.kept[i].Output}}, nil
	}
	return nil, nil
}

// Observe compares a record with that of the kept run.
func (f *follower) Observe(e execution.Event) {
	if e.Kind == execution.CallStarted {
		f.calls++
	}
	if e.Record == nil || f.parted != nil {
		return
	}
	now := *e.Record
	if now.Index >= len(f.kept) {
		f.parted = &now
		return
	}
	was := f.kept[now.Index]
	f.changes = nil
	same := was.NodeID == now.NodeID && was.Edited == now.Edited && messageOf(was) == messageOf(now)
	if same && now.Error == nil {
		f.changes = diff.Values(was.Output, now.Output)
	}
	if !same || len(f.changes) > 0 {
		f.parted = &now
	}
}

func messageOf(r execution.Record) string {
	if r.Error == nil {
		return ""
	}
	return r.Error.Message
}

// changesShown is how many changes of one value are told, valueShown how much of each.
const (
	changesShown = 8
	valueShown   = 60
)

// tell tells where the runs part first.
func (f *follower) tell(ctx context.Context, w io.Writer, p *project.Project, g *graph.Graph, result *execution.Result) {
	steps := len(result.History)
	if f.parted == nil {
		if steps < len(f.kept) {
			fmt.Fprintf(w, "the replay ends after %s, before node %q of the kept run\n", wording.Count(steps, "step"), f.kept[steps].NodeID)
			return
		}
		fmt.Fprintf(w, "the replay is the kept run: %s, %s answered from it\n", wording.Count(steps, "step"), wording.Count(f.calls, "call"))
		return
	}
	now := *f.parted
	fmt.Fprintf(w, "the replay parts from the kept run at step %d, node %q", now.Index, wording.OneLine(now.NodeID))
	if node := g.Node(now.NodeID); node != nil {
		fmt.Fprintf(w, " (%s)", node.Pos())
	}
	fmt.Fprintln(w, ":")
	text := func(v value.Value) string { return wording.OneLine(valueText(v, valueShown, p.File.Secrets)) }
	switch {
	case now.Index >= len(f.kept):
		fmt.Fprintln(w, "  the kept run had ended before it")
	case f.kept[now.Index].NodeID != now.NodeID:
		fmt.Fprintf(w, "  the kept run went to %q\n", wording.OneLine(f.kept[now.Index].NodeID))
	case len(f.changes) == 0:
		fmt.Fprintf(w, "  was  %s\n  is   %s\n", wording.OneLine(outputText(f.kept[now.Index], p.File.Secrets)), wording.OneLine(outputText(now, p.File.Secrets)))
	default:
		for _, c := range f.changes[:min(len(f.changes), changesShown)] {
			fmt.Fprintf(w, "  %s: %s → %s\n", pathText(c.Path), text(c.Old), text(c.New))
		}
		if more := len(f.changes) - changesShown; more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
	for _, read := range readBy(ctx, g.Node(now.NodeID), execution.ScopeOf(result.History[:now.Index])) {
		fmt.Fprintf(w, "  it reads %s = %s\n", wording.OneLine(read.path), text(read.value))
	}
}

func pathText(path string) string {
	if path == "" {
		return "the value"
	}
	return wording.OneLine(path)
}

// reading is a path that a rule reads, and its value.
type reading struct {
	path  string
	value value.Value
}

// readBy is what the rules of a switch read from the context: the values that made it go
// where it went.
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
				continue // a name that wants backticks: it is only a help
			}
			if value, err := expr.Eval(ctx, scope); err == nil {
				all = append(all, reading{path, value})
			}
		}
	}
	return all
}
