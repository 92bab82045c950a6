package execution

import (
	"context"
	"errors"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// local is the in-process Host.
type local struct {
	base   context.Context // ends with the client's call; lives as long as the run
	ctx    context.Context // base up to the time limit
	cancel context.CancelFunc
	caller ToolCaller
	run    *Run
	hooks  hooks

	interrupted *Visit      // a resumed run was cut in the middle of this call; nil once it is settled
	askedAt     int         // the index at which a resumed run has asked about a call and ended; or -1
	answered    bool        // the value of the next call is known; used up by Call
	answer      value.Value // that value
	doubtful    bool        // the record to come is of a call that may not be made twice
}

func newLocal(ctx context.Context, caller ToolCaller, r *Run, h hooks) *local {
	l := &local{base: ctx, caller: caller, run: r, hooks: h, askedAt: -1}
	if h.gate != nil {
		r.batch = 1
	}
	l.startClock()
	return l
}

// startClock lets the time run that the run has left.
func (l *local) startClock() {
	left := l.run.graph.Limits.MaxExecutionTime - l.hooks.now().Sub(l.run.started)
	l.ctx, l.cancel = context.WithTimeoutCause(l.base, left, errTimeLimit)
}

func (l *local) close() { l.cancel() }

// Advance asks the gate, then runs f. A call that was under way before is settled.
func (l *local) Advance(f func(context.Context) (Step, error)) (Step, error) {
	if l.hooks.gate != nil {
		if err := l.wait(); err != nil {
			return Step{}, err
		}
	}
	if err := l.hooks.stopped(); err != nil {
		return Step{}, err
	}
	step, err := f(l.ctx)
	return l.settle(step), err
}

// Call tells that the call is about to be made, then makes it: were we to die now, it
// has to be known that the call may have been made.
func (l *local) Call(c Call) (value.Value, error) {
	started := Event{
		Kind: CallStarted, Run: c.RunID, Time: l.hooks.now(),
		Step: &Visit{
			Index: c.Index, NodeID: c.Node.ID(), NodeType: c.Node.Type(),
			Server: c.Server, Tool: c.Tool, Args: c.Args, Digest: digest(c.Args),
		},
	}
	l.doubtful = !l.hooks.mayRepeat(c.Node)
	if l.answered {
		answer := l.answer
		l.answered, l.answer = false, nil
		return answer, l.kept(c, l.hooks.keep(l.ctx, started)) // for a replay, which knows answers by it
	}
	if err := l.ctx.Err(); err != nil { // before it passes for one that may have been made
		return nil, failureOf(l.ctx, l.run.graph.Limits, graph.Node(c.Node), err)
	}
	if err := l.hooks.stopped(); err != nil {
		return nil, err
	}
	started.Sync = l.doubtful
	if err := l.kept(c, l.hooks.emit(l.ctx, started)); err != nil {
		return nil, err
	}
	value, err := l.callTool(c)
	if err != nil {
		return nil, failureOf(l.ctx, l.run.graph.Limits, graph.Node(c.Node), err)
	}
	return value, nil
}

func (l *local) callTool(c Call) (value value.Value, err error) {
	defer recovered(&err)
	return l.caller.CallTool(l.ctx, c.Server, c.Tool, c.Args, c.Meta())
}

// kept is the error of the journal as a failure of a call.
func (l *local) kept(c Call, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{Code: CodeInternal, Node: c.Node.ID(), Pos: c.Node.Pos(), Message: err.Error(), err: err}
}

// Commit tells of each record. What failed only because the run is suspended is none.
func (l *local) Commit(records ...Record) error {
	sync := l.doubtful
	l.doubtful = false
	for i := range records {
		if suspended(l.base, records[i].Error) {
			return records[i].Error
		}
		err := l.hooks.emit(l.ctx, Event{
			Kind: StepFinished, Run: l.run.id, Time: records[i].End, Record: &records[i], Sync: sync,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Now is the engine's clock.
func (l *local) Now() time.Time { return l.hooks.now() }

// emit gives an event to the journal first, then to the observers.
func (h *hooks) emit(ctx context.Context, e Event) error {
	if err := h.keep(ctx, e); err != nil {
		return err
	}
	return h.tell(e)
}

// keep gives an event to the journal, also when the run has just been cancelled.
func (h *hooks) keep(ctx context.Context, e Event) (err error) {
	defer recovered(&err)
	if h.journal == nil {
		return nil
	}
	return h.journal.Append(context.WithoutCancel(ctx), e)
}

// tell gives an event to all observers. The error is the panic of the first that did.
func (h *hooks) tell(e Event) error {
	var first error
	for _, o := range h.observers {
		if err := observe(o, e); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func observe(o Observer, e Event) (err error) {
	defer recovered(&err)
	o.Observe(e)
	return nil
}

// keptFailure is an error of drive in the form that is kept.
func keptFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Code: CodeInternal, Message: err.Error(), err: err}
}
