package execution

import (
	"slices"
	"sync"
	"time"
)

// clock measures the time of a run, which stands still while a gate holds the run.
type clock struct {
	now func() time.Time

	mu      sync.Mutex // guards what follows
	started time.Time  // moved forward by each pause
	held    int        // waits at the gate that have not ended
	since   time.Time  // when the first of them began
	timers  []*timer
}

// timer calls a function after some time of the run.
type timer struct {
	left   time.Duration
	begun  time.Time
	timer  *time.Timer
	expire func()
}

// elapsed returns the time that the run has taken.
func (c *clock) elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Sub(c.started)
}

// after calls expire after d, in a goroutine of its own, unless stop is called before.
func (c *clock) after(d time.Duration, expire func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{left: d, expire: expire}
	c.timers = append(c.timers, t)
	if c.held == 0 {
		t.start(c.now())
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(other *timer) bool { return other == t })
		t.stop(c.now())
	}
}

func (t *timer) start(now time.Time) { t.begun, t.timer = now, time.AfterFunc(t.left, t.expire) }

func (t *timer) stop(now time.Time) {
	if t.timer != nil {
		t.timer.Stop()
		t.left -= now.Sub(t.begun)
		t.timer = nil
	}
}

// end stops the timers for good.
func (c *clock) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.timers {
		t.stop(c.now())
	}
	c.timers = nil
}

// hold stops the time until release is called.
func (c *clock) hold() (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held++; c.held == 1 {
		c.since = c.now()
		for _, t := range c.timers {
			t.stop(c.now())
		}
	}
	return c.release
}

func (c *clock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held--; c.held > 0 {
		return
	}
	c.started = c.started.Add(max(0, c.now().Sub(c.since)))
	for _, t := range c.timers {
		t.start(c.now())
	}
}
