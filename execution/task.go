package execution

import (
	"context"
	"errors"
	"time"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// send sends a call, or takes up its task. A task with which the server answers is recorded, so that the resumed run
// takes it up; it goes on when the run is suspended or parked, or another process has taken the run.
func (l *live) send(s *site, node *graph.MCP, started *Visit, c *Call, unsafe bool) (output value.Value, err error) {
	ctx, cancel := s.ctx, context.CancelCauseFunc(nil)
	if l.parking != nil {
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
	}
	tasks := call.Tasks{
		Begun: func(id string) {
			if started.Task == id {
				return
			}
			visit := *started
			visit.Task = id
			e := Event{Kind: CallStarted, Run: c.Run, Time: l.clock.now(), Step: &visit, Sync: unsafe}
			// Observers know of the call. Without the record the call is in doubt after a crash.
			_ = l.hooks.record(s.ctx, &e)
		},
		Stays: taskStays,
		Waits: func(due, until time.Time) (back func()) {
			if l.parking == nil {
				return func() {}
			}
			return l.parking.add(&wait{at: c.At(), due: due, until: until, cancel: func(cause error) {
				if cause != nil {
					cancel(cause)
				}
			}})
		},
	}
	if c.Task != "" {
		tasks.Left = l.remains(c.At(), c.Timeout)
	}
	output, err = l.caller.CallTool(call.WithTasks(ctx, tasks), *c)
	switch {
	case err == nil:
	case s.ctx.Err() != nil:
		l.cancelledCall(s.visit())
	case suspendedBy(ctx) != nil:
		err = endOf(ctx, node, "", err)
	}
	return output, err
}

func taskStays(cause error) bool { return errors.Is(cause, ErrSuspended) || errors.Is(cause, ErrTaken) }

// takeUp waits for the task of a call that was made before the run was interrupted. The journal has the call and its task.
func (l *live) takeUp(s *site, node *graph.MCP, c *Call, unsafe bool) (output value.Value, err error) {
	if err := l.mayCall(s, node, c); err != nil {
		return nil, err
	}
	started := Event{Kind: CallStarted, Run: c.Run, Time: l.clock.now(), Step: s.visit()}
	started.Step.Attempt, started.Step.Args, started.Step.Task = c.Attempt, c.Args, c.Task
	if err := l.hooks.notify(&started); err != nil {
		return nil, recordFailure(node, err)
	}
	return l.send(s, node, started.Step, c, unsafe)
}

// resumed is a call whose task is taken up: what is decided if that fails.
type resumed struct {
	call   *doubt
	repeat bool // the call may be made again
}

// lostTask decides about a call whose task could not be taken up, as about one that is in doubt: it is made again, and
// the failure is nil, or the run ends before it.
func (l *live) lostTask(s *site, node *graph.MCP, c *Call, why *Failure) *Failure {
	c.Task = ""
	p := l.past
	p.mu.Lock()
	defer p.mu.Unlock()
	at := c.At()
	r := p.tasks[at]
	delete(p.tasks, at)
	if r == nil || r.repeat {
		return nil
	}
	failed := l.inDoubt(node, c, r.call).with("its task " + r.call.Task + " was not found: " + why.Message)
	return s.located(failed)
}

// isTaskLost reports whether a call has failed because its task could not be taken up.
func isTaskLost(c *Call, failed *Failure) bool {
	return c.Task != "" && failed.Detail == call.CodeTaskUnknown
}
