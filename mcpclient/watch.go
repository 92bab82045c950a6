package mcpclient

import (
	"context"
	"sync"
	"time"
)

// watch is the time that one request has. It stands while the user is asked, and
// begins anew with the answer.
type watch struct {
	ctx   context.Context // the request's; ends when the time is over
	limit time.Duration
	leave func() // called when the user is asked: others may be sent meanwhile; or nil

	mu     sync.Mutex // guards what follows
	timer  timer
	asking int
}

// watchKey is under which a context holds the watch of its request.
type watchKey struct{}

// startWatch is a context that ends after limit with errCallTimeout as its cause.
func startWatch(ctx context.Context, limit time.Duration, clk clock) (*watch, func()) {
	c := &watch{limit: limit}
	ctx, cancel := context.WithCancelCause(ctx)
	c.ctx = context.WithValue(ctx, watchKey{}, c)
	c.timer = clk.afterFunc(limit, func() { cancel(errCallTimeout) })
	return c, func() {
		c.timer.Stop()
		cancel(nil)
	}
}

func (c *watch) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking++; c.timer != nil {
		c.timer.Stop()
	}
	if c.leave != nil {
		c.leave()
	}
}

func (c *watch) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asking--; c.asking == 0 && c.timer != nil && c.ctx.Err() == nil {
		c.timer.Reset(c.limit)
	}
}

// clock is the time that a pool goes by. A test brings its own, so that what waits is
// tested without waiting. Deadlines of pipes and sockets are the system's, always.
type clock struct {
	now       func() time.Time
	after     func(time.Duration) <-chan time.Time
	afterFunc func(time.Duration, func()) timer
}

// timer is what afterFunc gives: a *time.Timer.
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
