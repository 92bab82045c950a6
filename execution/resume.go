package execution

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolgraph/graph"
)

// ErrGraphChanged is the error of Resume for a run of a graph that has changed since.
var ErrGraphChanged = errors.New("the graph has changed")

// ErrHalfForked is the error of Resume for a fork whose process died before all was copied.
var ErrHalfForked = errors.New("not all steps were copied")

// checkStart checks that a run has its beginning, and a fork all that it was to copy.
func checkStart(events []Event) error {
	if len(events) == 0 || events[0].Start == nil {
		return fmt.Errorf("the events of a run begin with %s", RunStarted)
	}
	first := events[0]
	if given := len(events) - 1; given < first.Start.Copied {
		return fmt.Errorf("run %s ended while it was forked, with %d of %d events: %w; fork %s again",
			first.Run, given, first.Start.Copied, ErrHalfForked, first.Start.ForkedFrom)
	}
	return nil
}

// changedGraph is the error for a run of a graph that has changed since.
func changedGraph(first *Event, g *graph.Graph) error {
	return fmt.Errorf("run %s was started on graph %.12s, but tool %q is now %.12s: %w",
		first.Run, first.Start.Graph, g.Tool.Name.Value, g.HashWith(first.Start.Vars), ErrGraphChanged)
}

// WithChangedGraph lets Resume and Fork continue a run whose graph has changed since, when the path of
// the run exists in the graph as it is now.
func WithChangedGraph() Option { return func(h *hooks) { h.changedGraph = true } }

// Resume continues a run from its events, as a journal returns them: recorded steps do not run
// again. For a run that has ended it returns that end, except when the run ended because of an
// in-doubt call: see WithResolution.
func (e *Engine) Resume(ctx context.Context, g *graph.Graph, events []Event, opts ...Option) (*Result, error) {
	h := e.with(opts)
	l, err := e.rebuild(ctx, g, events, h)
	if err != nil {
		return nil, err
	}
	if end := events[len(events)-1].End; end != nil && !isUnknown(end) {
		return l.ended(end)
	}
	if err := l.checkInterrupted(events); err != nil {
		return nil, err
	}
	if len(l.past.doubts) == 0 && h.resolution.hasValue() {
		return nil, fmt.Errorf("run %s was not interrupted during a call; resume it without the value of a call", l.id)
	}
	l.past.weigh(l)
	l.start()
	return e.finish(ctx, l)
}

// Ended returns the end of a run that has ended, also because of an in-doubt call, from its events.
func (e *Engine) Ended(ctx context.Context, g *graph.Graph, events []Event, opts ...Option) (*Result, error) {
	l, err := e.rebuild(ctx, g, events, e.with(opts))
	if err != nil {
		return nil, err
	}
	end := events[len(events)-1].End
	if end == nil {
		return nil, fmt.Errorf("run %s has not ended", l.id)
	}
	result, err := l.ended(end)
	result.Usage.Duration = usedTime(events) // not the time of reading them, so that the end is the same each time
	return result, err
}

// EndedElsewhere is Ended for a run whose graph is not there: of another version of its tool. The result has its value and what it
// has used, and no steps; the error is that of Ended.
func EndedElsewhere(events []Event) (*Result, error) {
	if err := checkStart(events); err != nil {
		return nil, err
	}
	run, end := events[0].Run, events[len(events)-1].End
	if end == nil {
		return nil, fmt.Errorf("run %s has not ended", run)
	}
	result := &Result{RunID: run, Value: end.Value, Spilled: end.Spilled, Used: end.Used}
	if failed := end.Failure; failed != nil {
		walked := &frame{state: &state{}}
		for i := range events {
			if rec := events[i].Record; rec != nil && rec.Frame == "" && rec.Part == "" {
				walked.state.records = append(walked.state.records, rec)
			}
		}
		return result, walked.stepErrorOf(run, events[0].Start.Tool, failed)
	}
	return result, nil
}

// ended returns the recorded end of a run.
func (l *live) ended(end *End) (*Result, error) {
	result := l.result(end.Value)
	result.Spilled, result.Used = end.Spilled, end.Used
	if end.Failure != nil {
		result.Partial = l.combined(nil, end.Failure)
		return result, l.root.stepError(end.Failure)
	}
	return result, nil
}

func isUnknown(end *End) bool { return end.Failure != nil && end.Failure.Code == CodeOutcomeUnknown }

// rebuild returns a run from its events. Only the time of its steps counts for its time limit.
func (e *Engine) rebuild(ctx context.Context, g *graph.Graph, events []Event, h *hooks) (*live, error) {
	if err := checkStart(events); err != nil {
		return nil, err
	}
	first := events[0]
	if !first.Start.IsOf(g) && !h.changedGraph {
		return nil, changedGraph(&first, g)
	}
	h.vars = first.Start.Vars
	l := newLive(ctx, e.caller, first.Run, newFrame(g, first.Start.Args, h.vars), h.now().Add(-usedTime(events)), h)
	l.past = pastOf(events, h)
	l.tally = l.past.tally
	l.setOrder(OrderOf(g, first.Start.Changing, first.Start.Asking))
	l.below = l.past.below
	for _, call := range l.past.cancelled {
		l.cancelledCall(call)
	}
	for i := range events {
		l.begins(&events[i])
	}
	l.past.charge(l.root.budget, "")
	return l, l.past.restore(l.root)
}

// usedTime returns the time that the steps of a run took: those of its own frame, since parts
// overlap, and of the step in progress the time during which something below it was in progress.
// Time in which the run was interrupted does not count, so the times of the events say nothing; nor
// does the time in which it stood still for answers.
func usedTime(events []Event) time.Duration {
	var used time.Duration
	var open []span // below the step in progress
	failed := map[Address]*Retry{}
	asked := map[Address]time.Time{}
	var stood time.Duration
	for _, e := range events[1:] {
		switch {
		case e.Kind == CallStarted && failed[e.At()] != nil: // the wait before it is over
			before := failed[e.At()]
			open = append(open, span{before.End, before.End.Add(time.Duration(before.WaitMs) * time.Millisecond)})
		case e.Record != nil && e.Record.Frame == "" && e.Record.Part == "":
			used += e.Record.Duration()
			open = nil
		case e.Record != nil:
			open = append(open, span{e.Record.Start, e.Record.End})
		case e.Retry != nil:
			open = append(open, span{e.Retry.Start, e.Retry.End})
			failed[e.At()] = e.Retry
		case e.Kind == QuestionAsked:
			asked[e.At()] = e.Time
		case e.Kind == Answered:
			open = append(open, span{asked[e.At()], e.Time})
			stood += e.Answer.Stood
		}
	}
	return max(0, used+covered(open)-stood)
}

// span is a time in which something was in progress.
type span struct{ start, end time.Time }

// covered returns how long at least one of the spans lasted.
func covered(spans []span) (sum time.Duration) {
	slices.SortFunc(spans, func(a, b span) int { return a.start.Compare(b.start) })
	var until time.Time
	for _, s := range spans {
		if s.start.Before(until) {
			s.start = until
		}
		if s.end.After(s.start) {
			sum += s.end.Sub(s.start)
			until = s.end
		}
	}
	return sum
}

// fits checks that a record is of the next node of the graph.
func (f *frame) fits(rec *Record) error {
	if rec.Edited {
		return wayOut(f.graph.Node(rec.NodeID), rec)
	}
	node, err := f.next()
	switch {
	case err != nil:
		return err
	case node == nil:
		return fmt.Errorf("record %d is of node %q, but the run ends before it", rec.Index, rec.NodeID)
	case node.ID() != rec.NodeID || node.Type() != rec.NodeType:
		return fmt.Errorf("record %d is of %s node %q, but the graph goes to %s node %q there",
			rec.Index, rec.NodeType, rec.NodeID, node.Type(), node.ID())
	}
	return wayOut(node, rec)
}

// wayOut checks that the output of a switch, or an edit of it, is still a way out of it.
func wayOut(node graph.Node, rec *Record) error {
	if _, isSwitch := node.(*graph.Switch); isSwitch && rec.Error == nil {
		if target, _ := rec.Output.(string); !slices.Contains(node.Successors(), target) {
			return fmt.Errorf("record %d goes from switch %q to %q, which is no longer one of its ways out", rec.Index, rec.NodeID, target)
		}
	}
	return nil
}

// checkInterrupted checks that the graph still goes to the call of the run's own frame that was in
// flight, as far as that can be checked: records before it may be lost.
func (l *live) checkInterrupted(events []Event) error {
	if events[len(events)-1].End != nil { // maybe on another path: resolve finds that again
		return nil
	}
	for _, d := range l.past.doubts {
		if d.Frame != "" || d.Part != "" || d.Index != len(l.root.state.records) {
			continue
		}
		node, err := l.root.next()
		if err != nil {
			return err
		}
		if !isCallOf(node, d.Visit) {
			return fmt.Errorf("run %s was interrupted while node %q called %s.%s, but the graph does something else there now",
				l.id, d.NodeID, d.Server, d.Tool)
		}
	}
	return nil
}
