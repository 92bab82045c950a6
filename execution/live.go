package execution

import (
	"context"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// live is a run that goes on in this process.
type live struct {
	base   context.Context // ends with the client's call; lives as long as the run
	ctx    context.Context // base up to the time limit
	cancel context.CancelFunc
	caller ToolCaller
	run    *Run
	hooks  hooks

	interrupted *Visit      // a resumed run was interrupted in the middle of this call; nil once it is settled
	askedAt     int         // the index at which a resumed run has asked about a call and ended; or -1
	answered    bool        // the value of the next call is known; used up by it
	answer      value.Value // that value
	doubtful    bool        // the record to come is of a call that is not safe to repeat
}

func newLive(ctx context.Context, caller ToolCaller, r *Run, h hooks) *live {
	l := &live{base: ctx, caller: caller, run: r, hooks: h, askedAt: -1}
	l.startClock()
	return l
}

// startClock lets the time run that the run has left.
func (l *live) startClock() {
	left := l.run.graph.Limits.MaxExecutionTime - l.hooks.now().Sub(l.run.started)
	l.ctx, l.cancel = context.WithTimeoutCause(l.base, left, errTimeLimit)
}

func (l *live) close() { l.cancel() }

// drive is the one loop: it takes the run to its end. The error is a *StepError for a
// failure of the run, or that of the journal, the gate or an observer.
func (l *live) drive() (value.Value, error) {
	r := l.run
	for {
		if failed := r.failure(); failed != nil { // also that of a run that is resumed
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
// failure is why the run ends before the node. The run is left as it is: the record is for
// commit.
func (l *live) step(node graph.Node) (*Record, *Failure) {
	if node == nil {
		return nil, l.settle(nil, nil)
	}
	if failed := l.run.checkLimits(l.ctx, node); failed != nil {
		return nil, failed
	}
	if call, isCall := node.(*graph.MCP); isCall {
		return l.call(call)
	}
	if failed := l.settle(node, nil); failed != nil {
		return nil, failed
	}
	rec := l.run.visit(l.ctx, node)
	return &rec, nil
}

// commit makes a record lasting, then applies it. What failed only because the run is
// suspended is no record.
func (l *live) commit(rec *Record) error {
	sync := l.doubtful
	l.doubtful = false
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
