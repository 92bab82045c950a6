package execution

import (
	"context"

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
