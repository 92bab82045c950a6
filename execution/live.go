package execution

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// live is a run that is in progress in this process.
type live struct {
	base   context.Context // ends with the client's call; lives as long as the run
	ctx    context.Context // base up to the time limit
	cancel context.CancelFunc
	caller ToolCaller
	run    *Run
	hooks  hooks

	interrupted *Visit      // the call during which a resumed run was interrupted; nil once it is resolved
	endedAt     int         // the index at which a resumed run has ended before an in-doubt call; or -1
	hasResult   bool        // the result of the next call is known
	result      value.Value // that result
	unsafe      bool        // the next record is of a call that is not safe to repeat
}

func newLive(ctx context.Context, caller ToolCaller, r *Run, h hooks) *live {
	l := &live{base: ctx, caller: caller, run: r, hooks: h, endedAt: -1}
	l.startClock()
	return l
}

// startClock starts the rest of the time limit.
func (l *live) startClock() {
	left := l.run.graph.Limits.MaxExecutionTime - l.hooks.now().Sub(l.run.started)
	l.ctx, l.cancel = context.WithTimeoutCause(l.base, left, errTimeLimit)
}

func (l *live) close() { l.cancel() }

// value drives the run to its end and returns its value, which matches the outputSchema.
func (l *live) value() (value value.Value, err error) {
	defer recovered(&err)
	if value, err = l.drive(); err != nil {
		return nil, err
	}
	return value, l.run.checkValue(l.ctx, value)
}

// drive is the one loop: it takes the run to its end. The error is a *StepError for a
// failure of the run, or that of the journal, the gate or an observer.
func (l *live) drive() (value.Value, error) {
	r := l.run
	for {
		if failed := r.failure(); failed != nil { // also of a resumed run
			return nil, r.stepError(failed)
		}
		if err := l.wait(); err != nil {
			return nil, err
		}
		node, err := r.next()
		if err != nil {
			return nil, err
		}
		if node != nil {
			if err := l.hooks.stopped(); err != nil {
				return nil, err
			}
		}
		rec, failed := l.step(node)
		switch {
		case failed != nil:
			return nil, r.stepError(failed)
		case rec == nil:
			return r.value(), nil
		}
		if err := l.commit(rec); err != nil {
			return nil, err
		}
	}
}

// step runs a node and returns its record, or nil when the exit has run before. The
// failure is why the run ends before the node. The run does not change: commit applies the
// record.
func (l *live) step(node graph.Node) (*Record, *Failure) {
	if node == nil {
		return nil, l.resolve(nil, nil)
	}
	if failed := l.run.checkLimits(l.ctx, node); failed != nil {
		return nil, failed
	}
	if call, isCall := node.(*graph.MCP); isCall {
		return l.call(call)
	}
	if failed := l.resolve(node, nil); failed != nil {
		return nil, failed
	}
	rec := l.run.visit(l.ctx, node)
	return &rec, nil
}

// commit records a record, then applies it. A failure that only comes of the suspension of the
// run is not recorded.
func (l *live) commit(rec *Record) error {
	sync := l.unsafe
	l.unsafe = false
	if suspended(l.base, rec.Error) {
		return rec.Error
	}
	err := l.hooks.emit(l.ctx, Event{
		Kind: StepFinished, Run: l.run.id, Time: rec.End, Record: rec, Sync: sync,
	})
	if err != nil {
		return err
	}
	return l.run.Apply(*rec)
}

// wait waits for the gate before the next node, if there is one, and makes its edits. The time
// does not count for the time limit.
func (l *live) wait() error {
	if l.hooks.gate == nil {
		return nil
	}
	l.cancel()
	held := l.hooks.now()
	err := l.hold()
	l.run.started = l.run.started.Add(max(0, l.hooks.now().Sub(held)))
	l.startClock()
	if l.base.Err() == nil {
		return err
	}
	return nil // checkLimits returns why the run ends
}

func (l *live) hold() error {
	for {
		node, err := l.run.next() // afresh each time: an edit may lead elsewhere
		if err != nil || node == nil {
			return err
		}
		step := &Visit{Index: len(l.run.Records()), NodeID: node.ID(), NodeType: node.Type()}
		if call, isCall := node.(*graph.MCP); isCall {
			step.Server, step.Tool = call.Server, call.Tool
		}
		edits, err := l.hooks.gate.Wait(l.base, Event{
			Kind: StepReady, Run: l.run.id, Time: l.hooks.now(), Scope: l.run.scope, Step: step,
		})
		if err != nil || len(edits) == 0 || l.base.Err() != nil {
			return err
		}
		for _, e := range edits {
			if err := l.edit(e); err != nil {
				return err
			}
		}
	}
}

// edit records an edit, then applies it.
func (l *live) edit(e Edit) error {
	rec, err := l.run.edit(e)
	if err != nil {
		return err
	}
	if err := l.hooks.emit(l.base, Event{Kind: ContextEdited, Run: l.run.id, Time: rec.End, Record: &rec, Sync: true}); err != nil {
		return err
	}
	return l.run.Apply(rec)
}

// ErrSuspended is the error of a run that stops and can be resumed later: its current step and
// its end are not recorded, as if the process had died. WithStop suspends a run between two
// nodes; a context that ends with this cause suspends it at once, also during a call.
var ErrSuspended = errors.New("the process is ending, and the run is suspended")

// WithStop suspends a run before its next node once stop is closed. A call in flight ends
// first and is recorded, so that its outcome is known when the run is resumed.
func WithStop(stop <-chan struct{}) Option { return func(h *hooks) { h.stop = stop } }

// stopped returns the error of a run that is to be suspended before a node; or nil.
func (h *hooks) stopped() error {
	select {
	case <-h.stop:
		return &Failure{Code: CodeCancelled, Message: ErrSuspended.Error(), err: ErrSuspended}
	default:
		return nil
	}
}

// suspended reports whether a failure only comes of the suspension of the run.
func suspended(ctx context.Context, f *Failure) bool {
	return f != nil && f.Code == CodeCancelled && (errors.Is(f, ErrSuspended) || errors.Is(context.Cause(ctx), ErrSuspended))
}

// Edit replaces the latest output of a node of a paused run.
type Edit struct {
	NodeID string
	Output value.Value // nil: nothing
}

// edit returns the record of an edit.
func (r *Run) edit(e Edit) (Record, error) {
	node := r.graph.Node(e.NodeID)
	if node == nil {
		return Record{}, fmt.Errorf("the edit is of node %q, but this graph has no such node", e.NodeID)
	}
	now := r.now()
	rec := Record{
		Index: len(r.state.records), NodeID: e.NodeID, NodeType: node.Type(), Start: now, End: now, Edited: true,
	}
	output, size, failed := r.measure(node, e.Output)
	if failed != nil {
		return Record{}, failed
	}
	rec.Output, rec.Bytes = output, size
	return rec, nil
}
