package mcpclient

import (
	"context"
	"errors"
	"testing"
	"time"

	"toolgraph/execution/call"
)

// A call says that it waits for its task while the server works on it, and when it asks again; its context may end then, and the task
// goes on. It is taken up with what is left of the time of the call.
func TestTaskWaitsAreSaid(t *testing.T) {
	for _, mode := range []string{"modern", "both"} {
		s := newTasked(t, mode)
		p := pool(t, s.u, skipping(10*pollLeast, pollLeast))
		parked := errors.New("parked")
		type waits struct{ due, until time.Duration }
		said := make(chan waits, 100)
		took := func(left time.Duration, taken string) {
			t.Helper()
			ctx, stop := context.WithCancelCause(t.Context())
			now := time.Now()
			done := s.begin(call.WithTasks(ctx, call.Tasks{
				Begun: func(string) {}, Stays: func(cause error) bool { return errors.Is(cause, parked) }, Left: left,
				Waits: func(due, until time.Time) (back func()) {
					select {
					case said <- waits{due.Sub(now), until.Sub(now)}:
					default:
					}
					return func() {}
				},
			}), p, `{}`, taken)
			if w := receive(t, said, "the call waits"); w.due < parkLeast || w.due > parkMost || w.until <= 0 || taken != "" && w.until > left+time.Minute {
				t.Errorf("%s, taken up %q: %+v", mode, taken, w)
			}
			stop(parked)
			s.want(done, CodeCancelled, "cancelled while")
			for len(said) > 0 {
				<-said
			}
		}
		took(0, "")
		took(30*time.Second, "task-1")
		s.put(".state", seven)
		s.want(s.begin(t.Context(), p, `{}`, "task-1"), "", "")
		if s.count("task") != 1 || s.count("cancel") != 0 {
			t.Errorf("%s: %d calls were made, %d cancelled", mode, s.count("task"), s.count("cancel"))
		}
	}
}
