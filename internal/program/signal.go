package program

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"toolgraph/execution"
	"toolgraph/internal/runtime"
)

// SignalError is the cause of a context that was ended by a signal.
type SignalError struct{ Signal syscall.Signal }

func (e SignalError) Error() string { return "ended by a signal: " + e.Signal.String() }

// Is lets errors.Is match context.Canceled and, for a signal that suspends runs, ErrStop. SIGINT comes from the user of
// a terminal, and cancels runs.
func (e SignalError) Is(target error) bool {
	return target == context.Canceled || target == runtime.ErrStop && e.Signal != syscall.SIGINT
}

// exitCode returns the code that shells report for a process ended by the signal: 130 for SIGINT,
// 143 for SIGTERM.
func (e SignalError) exitCode() int { return 128 + int(e.Signal) }

// UntilSignal returns a context that ends with the first signal that asks the process to end; the
// signal is its cause. A second signal ends the process at once. A command can take SIGINT for
// itself, see onInterrupt.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	taken := &interrupts{}
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, interruptsKey{}, taken))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for {
			select {
			case s := <-signals:
				if s == os.Interrupt && taken.give() {
					continue
				}
				signal.Stop(signals)
				number, _ := s.(syscall.Signal)
				cancel(SignalError{number})
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
	}
}

// interrupts is who takes SIGINT instead of the end of the command. Safe for concurrent use.
type interrupts struct {
	mu   sync.Mutex // guards take
	take func()     // nil: SIGINT ends the command
}

type interruptsKey struct{}

func (i *interrupts) give() (taken bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.take != nil {
		i.take()
	}
	return i.take != nil
}

func (i *interrupts) set(take func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.take = take
}

// OnInterrupt calls take for each SIGINT until release, instead of ending ctx. take must not block.
func OnInterrupt(ctx context.Context, take func()) (release func()) {
	i, has := ctx.Value(interruptsKey{}).(*interrupts)
	if !has {
		return func() {}
	}
	i.set(take)
	return func() { i.set(nil) }
}

// endedBy returns the signal that ended a command, if its error is the end of its context or of a
// run in it.
func endedBy(ctx context.Context, err error) (ended SignalError, is bool) {
	if errors.As(err, &ended) {
		return ended, true
	}
	var run *execution.StepError
	cancelled := errors.Is(err, context.Canceled) || errors.As(err, &run) && run.Code() == execution.CodeCancelled
	return ended, cancelled && errors.As(context.Cause(ctx), &ended)
}

// defaultGrace is how long a call in flight may continue after SIGTERM: less than hosts wait
// before they kill the process.
const defaultGrace = 3 * time.Second
