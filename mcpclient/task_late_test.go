package mcpclient

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"toolgraph/execution/call"
)

// The task with which a server answers a call that has been cancelled is cancelled, unless the run goes on elsewhere.
func TestLateTaskIsCancelled(t *testing.T) {
	for _, mode := range []string{"modern", "both"} {
		for _, stays := range []bool{false, true} {
			s := newTasked(t, mode, "latetask")
			p := pool(t, s.u)
			why := errors.New("the process ends")
			ctx, stop := context.WithCancelCause(t.Context())
			tasks := call.Tasks{Begun: func(string) {}, Stays: func(cause error) bool { return stays && errors.Is(cause, why) }}
			done := s.begin(call.WithTasks(ctx, tasks), p, `{}`, "")
			waitForLine(t, s.diary, "waits")
			stop(why)
			s.want(done, CodeCancelled, "the call was in flight")
			waitForLine(t, s.diary, "task 1")
			if !stays {
				waitForLine(t, s.diary, "cancel task-1")
			}
			mustCall(t, p, "inc", `{"n":1}`, "2")
			if got := s.count("cancel task-1"); (got == 1) == stays {
				t.Errorf("%s, stays %t: cancelled %d times", mode, stays, got)
			}
		}
	}
}

// ending ends the context of a call when its answer has come.
type ending struct {
	Observer
	stop context.CancelCauseFunc
	why  error
}

func (e *ending) Sending(_ context.Context, r Sending) func(error) {
	return func(error) {
		if r.Method == callMethod {
			e.stop(e.why)
		}
	}
}

func (*ending) Started(string, error) {}

func (*ending) Opened(Peer) func(error) { return func(error) {} }

// A task that comes with the end of its call is known to the run, which can take it up; or it is cancelled.
func TestTaskThatComesAtTheEnd(t *testing.T) {
	for _, stays := range []bool{false, true} {
		s := newTasked(t, "modern")
		why := errors.New("the process ends")
		ctx, stop := context.WithCancelCause(t.Context())
		p := pool(t, s.u, WithObserver(&ending{stop: stop, why: why}))
		var begun atomic.Value
		tasks := call.Tasks{Begun: func(id string) { begun.Store(id) }, Stays: func(error) bool { return stays }}
		s.want(s.begin(call.WithTasks(ctx, tasks), p, `{}`, ""), CodeCancelled, "cancelled while")
		if begun.Load() != "task-1" {
			t.Errorf("the task that has begun is %v", begun.Load())
		}
		if got := s.count("cancel task-1"); (got == 1) == stays {
			t.Errorf("stays %t: cancelled %d times", stays, got)
		}
	}
}
