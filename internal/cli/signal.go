package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"toolgraph/execution"
)

// signalError is the cause of a context that a signal has ended.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "ended by a signal: " + e.signal.String() }

// Is makes it the end of a context that was cancelled.
func (e signalError) Is(target error) bool { return target == context.Canceled }

// exitCode is the one that shells give a process that the signal ends: 130 for SIGINT,
// 143 for SIGTERM.
func (e signalError) exitCode() int { return 128 + int(e.signal) }

// untilSignal ends with the first signal that asks the process to end, which is its
// cause. A second signal ends the process at once, whatever it waits for.
func untilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			number, _ := s.(syscall.Signal)
			cancel(signalError{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}

// endedBy is the signal that ended a command, if its error is the end of its context, or
// that of a run that ended with it.
func endedBy(ctx context.Context, err error) (ended signalError, is bool) {
	if errors.As(err, &ended) {
		return ended, true
	}
	var run *execution.StepError
	cancelled := errors.Is(err, context.Canceled) || errors.As(err, &run) && run.Code() == execution.CodeCancelled
	return ended, cancelled && errors.As(context.Cause(ctx), &ended)
}

// defaultGrace is how long a call in flight may go on after SIGTERM: less than hosts wait
// before they kill the process.
const defaultGrace = 3 * time.Second

// isStop reports whether a context was ended by a signal that stops the process, such as
// SIGTERM: its runs are suspended. SIGINT is from the user of a terminal, and cancels them.
func isStop(ctx context.Context) bool {
	var ended signalError
	return errors.As(context.Cause(ctx), &ended) && ended.signal != syscall.SIGINT
}

// stopping is closed when a signal has stopped the process and, after it, a time has passed:
// runs end before their next node then, as say reports.
func stopping(ctx context.Context, after time.Duration, say func()) (stop <-chan struct{}, release func()) {
	timed, cancel := context.WithCancel(context.WithoutCancel(ctx))
	closed := make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		if isStop(ctx) && wait(timed, after) {
			close(closed)
			say()
		}
	})
	return closed, func() {
		unregister()
		cancel()
	}
}

// lasting is a context for calls. It goes on for a grace after a signal has stopped the
// process, and then ends with execution.ErrSuspended; with any other end of ctx it ends at
// once.
func lasting(ctx context.Context, grace time.Duration) (calls context.Context, release func()) {
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

// wait waits, and reports whether ctx did not end meanwhile.
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
