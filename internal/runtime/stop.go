package runtime

import (
	"context"
	"errors"
	"time"

	"toolgraph/execution"
	"toolgraph/internal/serving/server"
)

// ErrStop is the cause of the end of a context, or matches it, when the process is asked to stop: its runs are
// suspended, and another process or the next start resumes them. With any other cause they are cancelled.
var ErrStop = errors.New("the process is asked to stop")

// isStop reports whether a context ended because the process is asked to stop, or has lost the client whose task it is.
func isStop(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, ErrStop) || errors.Is(cause, server.ErrLeft)
}

// stopping returns a channel that is closed some time after the process is asked to stop: then runs
// end before their next node. report is called at that moment.
func stopping(ctx context.Context, after time.Duration, report func()) (stop <-chan struct{}, release func()) {
	timed, cancel := context.WithCancel(context.WithoutCancel(ctx))
	closed := make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		if isStop(ctx) && wait(timed, after) {
			close(closed)
			report()
		}
	})
	return closed, func() {
		unregister()
		cancel()
	}
}

// withGrace returns a context for calls. After the process is asked to stop it lasts for the grace,
// and then ends with execution.ErrSuspended; with any other end of ctx it ends at once.
func withGrace(ctx context.Context, grace time.Duration) (calls context.Context, release func()) {
	calls, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unregister := context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if isStop(ctx) {
			wait(calls, grace)
			cause = execution.ErrSuspended
		}
		cancel(cause)
	})
	return calls, func() {
		unregister()
		cancel(context.Canceled)
	}
}

// wait reports whether the time has passed before ctx ended.
func wait(ctx context.Context, long time.Duration) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
