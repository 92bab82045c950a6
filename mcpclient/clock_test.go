package mcpclient

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// patience is a guard against hanging, and is never waited for when a test passes.
const patience = 2 * time.Minute

// withClock changes the clock of a pool.
func withClock(change func(*clock)) Option { return func(o *options) { change(&o.clock) } }

// unhurried makes every grace ten times as long, so that none ends because the machine
// is busy. A test of what follows a grace skips it.
func unhurried(c *clock) {
	after := c.after
	c.after = func(d time.Duration) <-chan time.Time { return after(10 * d) }
}

// skipping ends these waits at once.
func skipping(waits ...time.Duration) Option {
	return withClock(func(c *clock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time {
			if slices.Contains(waits, d) {
				return over()
			}
			return after(d)
		}
	})
}

// over is a wait that has ended.
func over() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}

// movedTime is a time that a test moves.
type movedTime struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func newMovedTime() *movedTime { return &movedTime{now: time.Unix(1_800_000_000, 0)} }

func (m *movedTime) read() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *movedTime) move(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

// clock moves the time by each of these waits, which end at once; passed, unless it is
// nil, is called after each.
func (m *movedTime) clock(passed func(), waits ...time.Duration) Option {
	return withClock(func(c *clock) {
		after := c.after
		c.now = m.read
		c.after = func(d time.Duration) <-chan time.Time {
			if !slices.Contains(waits, d) {
				return after(d)
			}
			m.move(d)
			if passed != nil {
				passed()
			}
			return over()
		}
	})
}

// heldTimers are the timers of a pool, none of which runs out before the test says so.
type heldTimers struct {
	mu     sync.Mutex // guards what follows and the timers
	timers []*heldTimer
	resets []time.Duration
}

type heldTimer struct {
	of   *heldTimers
	f    func()
	runs bool
}

func (h *heldTimers) clock() Option {
	return withClock(func(c *clock) {
		c.afterFunc = func(_ time.Duration, f func()) timer {
			h.mu.Lock()
			defer h.mu.Unlock()
			held := &heldTimer{of: h, f: f, runs: true}
			h.timers = append(h.timers, held)
			return held
		}
	})
}

func (t *heldTimer) Stop() bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	ran := t.runs
	t.runs = false
	return ran
}

func (t *heldTimer) Reset(d time.Duration) bool {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	ran := t.runs
	t.runs = true
	t.of.resets = append(t.of.resets, d)
	return ran
}

// running is the number of timers that run.
func (h *heldTimers) running() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, t := range h.timers {
		if t.runs {
			n++
		}
	}
	return n
}

// expire ends the time of all timers that run.
func (h *heldTimers) expire() {
	h.mu.Lock()
	var due []func()
	for _, t := range h.timers {
		if t.runs {
			t.runs = false
			due = append(due, t.f)
		}
	}
	h.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// receive is the next value of a channel.
func receive[T any](t testing.TB, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
		panic("unreachable")
	}
}
