package execution

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// live is a run that is in progress in this process: what its frames share.
type live struct {
	id     string
	base   context.Context // ends with the client's call; lives as long as the run
	cancel context.CancelCauseFunc
	clock  clock
	spent  budget // of the run
	tally  *tally
	caller ToolCaller
	hooks  *hooks
	root   *frame
	past   *past // nil: the run is new

	order  *Order        // of its steps; nil: it has none
	places chan struct{} // has one for each call of a step that is in flight

	consents *consents // of a plan; else nil

	parking *parking // nil: the run is never parked

	observing sync.Mutex // held while the observers get an event
	working   working

	mu        sync.Mutex        // guards what follows
	asking    chan struct{}     // holds one while a question of the run is open; made for the first
	besides   chan struct{}     // holds one for each question that is open beside others; likewise
	below     []*Record         // records of parts and of other frames than the run's own
	begun     map[Address]begun // parts
	cancelled []*Visit          // calls that may have changed something: see withCancelled
}

func newLive(ctx context.Context, caller ToolCaller, id string, root *frame, started time.Time, h *hooks) *live {
	l := &live{id: id, base: ctx, clock: clock{now: h.now, started: started}, tally: &tally{}, caller: caller, hooks: h, root: root}
	l.spent.limit(root.graph.Limits)
	l.spent.mu = &l.spent.own
	root.live, root.budget = l, &l.spent
	l.clock.run.working = 1
	root.pace, root.allow = &l.clock.run, root.graph.Allow
	if h.parking != nil && h.journal != nil && h.gate == nil {
		l.parking = newParking(l, h.parking)
		h.parked = l.parking.over
	}
	return l
}

// start starts the rest of the time limit.
func (l *live) start() {
	limit := l.root.graph.Limits.MaxExecutionTime
	l.root.ctx, l.cancel = context.WithCancelCause(l.base)
	l.root.work = l.evaluating(l.root.ctx)
	l.clock.after(&l.clock.run, "", l.hooks.rest.left("", limit-l.clock.elapsed(), l.clock.now()), func() { l.cancel(&timeLimitError{limit}) })
}

// evaluating returns the context of evaluations and validations. It ends with ctx, when the run is to be
// suspended, since nothing is lost by doing them again, and soon after the client has closed its input.
// What follows a call, such as retry.until, has the context of the call: its result would be lost.
func (l *live) evaluating(ctx context.Context) context.Context {
	return l.hooks.stopping.Working(value.Working(ctx))
}

// close frees what the run holds; nothing runs any more.
func (l *live) close() {
	l.parking.end()
	l.clock.end()
	l.cancel(nil)
}

// value drives the run to its end and returns its value, which matches the outputSchema.
func (l *live) value() (result value.Value, err error) {
	defer recovered(&err)
	l.atWork(1)
	result, failed, err := l.drive(l.root)
	if err != nil {
		return nil, err
	}
	if failed == nil {
		result = orNull(l.combined(result, nil)) // JSON, so nothing is null
		if failed = l.root.checkResult(result); failed == nil {
			return result, nil
		}
		step := l.root.stepError(failed)
		step.Step = len(l.root.state.records) - 1
		return nil, step
	}
	return nil, l.root.stepError(failed)
}

// drive is the one loop: it takes a frame to its end and returns the output of its exit. The
// failure is that of the frame; the error is that of the journal, the gate or an observer.
func (l *live) drive(f *frame) (value.Value, *Failure, error) {
	for {
		if failed := f.failure(); failed != nil { // also of a resumed run
			return nil, failed, nil
		}
		if err := l.wait(f, nil); err != nil {
			return nil, nil, err
		}
		node, err := f.next()
		if err != nil {
			return nil, nil, err
		}
		if node == nil {
			end := f.site(nil)
			return f.state.records[end.index-1].Output, l.resolve(end, nil), nil
		}
		if failed := l.hooks.stopped(); failed != nil {
			return nil, failed, nil
		}
		out, err := l.step(f, node)
		switch {
		case err != nil:
			return nil, nil, err
		case out.failed != nil:
			return nil, out.failed, nil
		}
		if failed, err := l.commit(f, out); failed != nil || err != nil {
			return nil, failed, err
		}
	}
}

// outcome is what came of a node or a part: a record, or the failure that ends the run before
// the node or its call.
type outcome struct {
	record *Record
	sync   bool // the record is of a call that is not safe to repeat
	failed *Failure
}

// recorded is the outcome of a step that has ended. sync: it is of a call that is not safe to repeat.
func recorded(rec *Record, sync bool) (outcome, error) { return outcome{record: rec, sync: sync}, nil }

// ended is the outcome of a step before which the run ends.
func ended(failed *Failure) (outcome, error) { return outcome{failed: failed}, nil }

// step runs a node. The frame does not change: commit applies the record.
func (l *live) step(f *frame, node graph.Node) (outcome, error) {
	start, failed := f.begin(node)
	if failed != nil {
		return ended(failed)
	}
	switch n := node.(type) {
	case *graph.MCP:
		return l.calls(f.site(node), n.ForEach)
	case *graph.SubGraph:
		return l.calls(f.site(node), n.ForEach)
	case *graph.Parallel:
		s := f.site(node)
		if failed := l.resolve(s, nil); failed != nil {
			return ended(failed)
		}
		return l.parallel(s, n)
	case *graph.Ask:
		return l.ask(f.site(node), n)
	case *graph.Steps:
		return l.steps(f.site(node), n)
	case *graph.Entry, *graph.Transform, *graph.Switch, *graph.Exit:
	}
	if l.past != nil {
		if failed := l.resolve(f.site(node), nil); failed != nil {
			return ended(failed)
		}
	}
	return recorded(f.visit(node, start), false)
}

// calls makes the call of an mcp or graph node, or one for each item.
func (l *live) calls(s *site, each *graph.ForEach) (outcome, error) {
	if each == nil {
		return l.call(s)
	}
	if failed := l.resolve(s, nil); failed != nil {
		return ended(failed)
	}
	return l.forEach(s, each)
}

// commit records a record, then applies it. A failure that only comes of the suspension of the
// run, or of the end of an enclosing part, is not recorded.
func (l *live) commit(f *frame, out outcome) (*Failure, error) {
	rec := out.record
	if failed := rec.Error; suspended(l.base, failed) || failed.interrupted() {
		return failed, nil
	}
	if err := l.emit(f.ctx, &Event{Kind: StepFinished, Run: l.id, Time: rec.End, Record: rec, Sync: out.sync}); err != nil {
		return nil, err
	}
	if rec.Error == nil {
		l.past.close(rec)
	}
	if rec.Part != "" {
		return nil, nil
	}
	return nil, f.state.apply(rec)
}

// emit gives an event to the journal first, then to the observers.
func (l *live) emit(ctx context.Context, e *Event) error {
	l.parking.stir()
	if err := l.hooks.record(ctx, e); err != nil {
		return err
	}
	l.begins(e)
	if e.Record != nil && (e.Record.Part != "" || e.Record.Frame != "") {
		l.mu.Lock()
		l.below = append(l.below, e.Record)
		l.mu.Unlock()
	}
	return l.notify(e)
}

// notify gives an event to the observers, one event at a time.
func (l *live) notify(e *Event) error {
	if len(l.hooks.observers) == 0 {
		return nil
	}
	l.observing.Lock()
	defer l.observing.Unlock()
	return l.hooks.notify(e)
}

// result returns the result of a run that has ended.
func (l *live) result(value value.Value) *Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &Result{RunID: l.id, Value: value, Usage: l.usage(), records: l.root.state.records, below: l.below, begun: l.begun, Changed: l.changed(l.below)}
}

// wait waits for the gate before the next node, or before a part, if there is a gate, and makes
// its edits. The time does not count for the time limit.
func (l *live) wait(f *frame, part *site) error {
	if l.hooks.gate == nil {
		return nil
	}
	defer l.clock.hold()()
	ctx := f.ctx
	if part != nil {
		ctx = part.ctx
	}
	err := l.hold(ctx, f, part)
	if ctx.Err() == nil {
		return err
	}
	return nil // frame.begin, or the part, returns why it ends
}

func (l *live) hold(ctx context.Context, f *frame, part *site) error {
	for {
		visit, scope, turn := part.visit(), f.scope, (*Turn)(nil)
		if part == nil {
			node, err := f.next() // afresh each time: an edit may lead elsewhere
			if err != nil || node == nil {
				return err
			}
			visit = f.site(node).visit()
		} else {
			part.read(false)
			scope, turn = part.scope, &Turn{part.next}
			part.await()
		}
		edits, err := l.hooks.gate.Wait(ctx, Event{
			Kind: StepReady, Run: l.id, Time: l.clock.now(), Scope: scope, Graph: f.graph, Step: visit, Turn: turn,
		})
		switch {
		case err != nil || len(edits) == 0 || l.base.Err() != nil:
			if part != nil {
				part.read(true)
			}
			return err
		case part != nil && part.block == nil:
			return fmt.Errorf("an output cannot be edited before a part of node %q; edit it before the node", visit.NodeID)
		}
		for _, e := range edits {
			edit := func() error { return l.edit(f, e) }
			if part != nil {
				edit = func() error { return l.editStep(part, e) }
			}
			if err := edit(); err != nil {
				return err
			}
		}
	}
}

// edit records an edit, then applies it.
func (l *live) edit(f *frame, e Edit) error {
	rec, err := f.edit(e)
	if err != nil {
		return err
	}
	if err := l.emit(l.base, &Event{Kind: ContextEdited, Run: l.id, Time: rec.End, Record: &rec, Sync: true}); err != nil {
		return err
	}
	return f.state.apply(&rec)
}

// ErrSuspended is the error of a run that stops and can be resumed later: its current step and
// its end are not recorded, as if the process had died. WithStop suspends a run between two
// nodes; a context that ends with this cause suspends it at once, also during a call.
var ErrSuspended = errors.New("the process is ending, and the run is suspended")

// WithStop suspends a run before its next node once stop is closed. Calls in flight end first
// and are recorded, so that their outcomes are known when the run is resumed; an evaluation ends at once.
func WithStop(stop <-chan struct{}) Option {
	return func(h *hooks) {
		h.stop = stop
		h.stopping = &value.Ending{From: stop, Cause: ErrSuspended}
	}
}

// stopped returns the failure of a run that is to be suspended before a node; or nil.
func (h *hooks) stopped() *Failure {
	select {
	case <-h.stop:
		return suspension()
	case <-h.parked:
		return suspension()
	default:
		return nil
	}
}

func suspension() *Failure {
	return &Failure{Code: CodeCancelled, Message: ErrSuspended.Error(), err: ErrSuspended}
}

// suspended reports whether a failure only comes of the suspension of the run.
func suspended(ctx context.Context, f *Failure) bool {
	return f != nil && f.Code == CodeCancelled && (errors.Is(f, ErrSuspended) || errors.Is(context.Cause(ctx), ErrSuspended))
}

// Edit replaces the latest output of a node of a paused run, in the frame that is paused; before a step, that of a step
// above.
type Edit struct {
	NodeID string      // of a step its path of ids, as users.lookup
	Output value.Value // nil: nothing
}

// edit returns the record of an edit.
func (f *frame) edit(e Edit) (Record, error) {
	node := f.graph.Node(e.NodeID)
	if node == nil {
		return Record{}, fmt.Errorf("the edit is of node %q, but this graph has no such node", e.NodeID)
	}
	now := f.live.clock.now()
	rec := Record{
		Frame: f.address, Index: len(f.state.records), Tool: f.tool, NodeID: e.NodeID, NodeType: node.Type(), Start: now, End: now, Edited: true,
	}
	if f.setOutput(f.work, &rec, node, e.Output); rec.Error != nil {
		return Record{}, rec.Error
	}
	return rec, nil
}
