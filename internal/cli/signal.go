package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
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

// endedBy is the signal that ended a command, if its error is the end of its context.
func endedBy(ctx context.Context, err error) (ended signalError, is bool) {
	if errors.As(err, &ended) {
		return ended, true
	}
	return ended, errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &ended)
}
