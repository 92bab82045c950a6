package mcpclient

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// clock is the time of a pool. A test sets its own, so that waits are tested without
// waiting. Deadlines of pipes and sockets are always the system's.
type clock struct {
	now       func() time.Time
	after     func(time.Duration) <-chan time.Time
	afterFunc func(time.Duration, func()) timer
}

// timer is the result of afterFunc: a *time.Timer.
type timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// systemClock is the clock of every pool outside tests.
func systemClock() clock {
	return clock{
		now: time.Now, after: time.After,
		afterFunc: func(d time.Duration, f func()) timer { return time.AfterFunc(d, f) },
	}
}

// watch is the time limit of one request. It pauses while the user is asked, and begins
// anew with the answer.
type watch struct {
	ctx   context.Context // the request's; ends when the time is over
	limit time.Duration
	leave func() // called when the user is asked, so that other requests may be sent; or nil

	mu     sync.Mutex // guards the fields below
	timer  timer
	asking int
}

// watchKey is the key of a request's watch in its context.
type watchKey struct{}

// startWatch returns a watch whose context ends after limit with the cause errCallTimeout.
func startWatch(ctx context.Context, limit time.Duration, clk clock) (w *watch, stop func()) {
	w = &watch{limit: limit}
	ctx, cancel := context.WithCancelCause(ctx)
	w.ctx = context.WithValue(ctx, watchKey{}, w)
	var ends atomic.Pointer[context.CancelCauseFunc] // the runtime keeps some stopped timers, which must not keep the call
	ends.Store(&cancel)
	w.timer = clk.afterFunc(limit, func() {
		if cancel := ends.Load(); cancel != nil {
			(*cancel)(errCallTimeout)
		}
	})
	return w, func() {
		w.timer.Stop()
		ends.Store(nil)
		cancel(nil)
	}
}

func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asking++; w.timer != nil {
		w.timer.Stop()
	}
	if w.leave != nil {
		w.leave()
	}
}

func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asking--; w.asking == 0 && w.timer != nil && w.ctx.Err() == nil {
		w.timer.Reset(w.limit)
	}
}
