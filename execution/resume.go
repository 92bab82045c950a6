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

// WithChangedGraph lets Resume continue a run whose graph has changed since, when the path of
// the run exists in the graph as it is now.
func WithChangedGraph() Option { return func(h *hooks) { h.changedGraph = true } }

// Resume continues a run from its events, as a journal returns them: recorded steps do not run
// again. For a run that has ended it returns that end, except when the run ended because of an
// in-doubt call: see WithResolution.
func (e *Engine) Resume(ctx context.Context, g *graph.Graph, events []Event, opts ...Option) (*Result, error) {
	h := e.with(opts)
	r, err := rebuild(g, events, h)
	if err != nil {
		return nil, err
	}
	h.runID = r.id
	if end := events[len(events)-1].End; end != nil && !isUnknown(end) {
		result := &Result{RunID: r.id, Value: end.Value, History: r.Records()}
		if end.Failure != nil {
			return result, r.stepError(end.Failure)
		}
		return result, nil
	}
	interrupted, err := interruptedCall(r, events)
	if err != nil {
		return nil, err
	}
	if interrupted == nil && h.resolution.hasValue() {
		return nil, fmt.Errorf("run %s was not interrupted during a call; resume it without the value of a call", r.id)
	}
	l := newLive(ctx, e.caller, r, h)
	l.interrupted = interrupted
	if events[len(events)-1].End != nil {
		l.endedAt = len(r.Records())
	}
	return e.finish(ctx, l)
}

func isUnknown(end *End) bool { return end.Failure != nil && end.Failure.Code == CodeOutcomeUnknown }

// rebuild returns a run from its events. Only the time of its steps counts for its time limit.
func rebuild(g *graph.Graph, events []Event, h hooks) (*Run, error) {
	if len(events) == 0 || events[0].Start == nil {
		return nil, fmt.Errorf("the events of a run begin with %s", RunStarted)
	}
	first := events[0]
	if first.Start.Graph != g.Hash && !h.changedGraph {
		return nil, fmt.Errorf("run %s was started on graph %.12s, but tool %q is now %.12s: %w",
			first.Run, first.Start.Graph, g.Tool.Name.Value, g.Hash, ErrGraphChanged)
	}
	r := newRun(first.Run, g, first.Start.Args, first.Time, h.now)
	var used time.Duration
	for _, e := range events[1:] {
		if e.Record == nil {
			continue
		}
		rec := *e.Record
		rec.Bytes = sizeOf(rec.NodeType, rec.Output)
		err := r.fits(&rec)
		if err == nil {
			err = r.Apply(rec)
		}
		if err != nil {
			return nil, fmt.Errorf("run %s cannot be rebuilt: %w", first.Run, err)
		}
		used += rec.Duration()
	}
	r.started = h.now().Add(-used)
	return r, nil
}

// fits checks that a record is of the next node of the graph.
func (r *Run) fits(rec *Record) error {
	if rec.Edited {
		return wayOut(r.graph.Node(rec.NodeID), rec)
	}
	node, err := r.next()
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

// interruptedCall returns the last call without a record, which was in flight when the run was
// interrupted; nil for none. The graph must still go to it, as far as that can be checked:
// records before it may be lost.
func interruptedCall(r *Run, events []Event) (*Visit, error) {
	var call *Visit
	for _, e := range events {
		if e.Kind == CallStarted && e.Step.Index >= len(r.Records()) && (call == nil || e.Step.Index >= call.Index) {
			call = e.Step
		}
	}
	ended := events[len(events)-1].End != nil // maybe on another path: resolve finds that again
	if call == nil || call.Index > len(r.Records()) || ended {
		return call, nil
	}
	node, err := r.next()
	if err != nil {
		return nil, err
	}
	if m, isCall := node.(*graph.MCP); !isCall || !isCallOf(m, call) {
		return nil, fmt.Errorf("run %s was interrupted while node %q called %s.%s, but the graph does something else there now",
			r.id, call.NodeID, call.Server, call.Tool)
	}
	return call, nil
}
