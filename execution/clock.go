package execution

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// clock measures the time of a run, which stands still while a gate holds the run, and while all
// that is at work in it waits for answers of the user.
type clock struct {
	now func() time.Time
	run pace

	mu      sync.Mutex // guards what follows, and every pace
	started time.Time  // moved forward by each pause
	held    int        // waits at the gate that have not ended
	since   time.Time  // when the time stopped; zero while it runs
	timers  []*timer

	asked time.Time     // when the last one at work began to wait for an answer; zero while one works
	stood time.Duration // for answers, as far as it is not taken
}

// pace is what is at work in a run, or in a call of a graph that has a time limit of its own. Each
// counts for those around it as well.
type pace struct {
	outer   *pace
	working int // frames and parts that run, those that wait included
	waiting int // for an answer of the user
}

// still reports whether all wait for an answer.
func (p *pace) still() bool { return p.waiting > 0 && p.waiting >= p.working }

// inside returns the pace of a graph call that one frame has entered.
func (p *pace) inside() *pace { return &pace{outer: p, working: 1} }

// add counts those that work and those that wait, for the paces around this one too.
func (p *pace) add(working, waiting int) {
	for ; p != nil; p = p.outer {
		p.working += working
		p.waiting += waiting
	}
}

// timer calls a function after some time of a pace.
type timer struct {
	of     *pace
	name   string // of the limit, see Rest.Limits
	left   time.Duration
	begun  time.Time
	alarm  *alarm // nil while the time stands still
	expire func()
}

// alarm is a timer of the runtime that refers to its function, and so to the run, only until it is stopped: the runtime keeps
// some stopped timers in memory until they would have ended.
type alarm struct {
	timer *time.Timer
	rings atomic.Pointer[func()]
}

func newAlarm(d time.Duration, rings func()) *alarm {
	a := &alarm{}
	a.rings.Store(&rings)
	a.timer = time.AfterFunc(d, a.ring)
	return a
}

func (a *alarm) ring() {
	if rings := a.rings.Load(); rings != nil {
		(*rings)()
	}
}

func (a *alarm) stop() {
	a.timer.Stop()
	a.rings.Store(nil)
}

// elapsed returns the time that the run has taken.
func (c *clock) elapsed() time.Duration {
	_, elapsed := c.read()
	return elapsed
}

// read returns what time it is, and the time that the run has taken.
func (c *clock) read() (now time.Time, elapsed time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = c.now()
	if !c.since.IsZero() {
		return now, c.since.Sub(c.started)
	}
	return now, now.Sub(c.started)
}

// after calls expire after d of the pace, in a goroutine of its own, unless stop is called before.
func (c *clock) after(of *pace, name string, d time.Duration, expire func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{of: of, name: name, left: d, expire: expire}
	c.timers = append(c.timers, t)
	t.set(c.held == 0 && !of.still(), c.now)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(other *timer) bool { return other == t })
		t.set(false, c.now)
	}
}

// set lets the time of the timer run, or stand still.
func (t *timer) set(running bool, now func() time.Time) {
	switch {
	case running == (t.alarm != nil):
	case running:
		t.begun, t.alarm = now(), newAlarm(t.left, t.expire)
	default:
		t.alarm.stop()
		t.left -= now().Sub(t.begun)
		t.alarm = nil
	}
}

// end stops the timers for good.
func (c *clock) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.timers {
		if t.alarm != nil {
			t.alarm.stop()
		}
	}
	c.timers = nil
}

// hold stops the time until release is called.
func (c *clock) hold() (release func()) {
	c.change(func() { c.held++ })
	return func() { c.change(func() { c.held-- }) }
}

// work adds parts that run at the same time, or removes them.
func (c *clock) work(p *pace, n int) {
	c.change(func() { p.add(n, 0) })
}

// wait says that one of those at work waits for an answer until release is called.
func (c *clock) wait(p *pace) (release func()) {
	c.change(func() { p.add(0, 1) })
	return func() { c.change(func() { p.add(0, -1) }) }
}

// change changes what decides whether the time runs, and lets it run or stand still.
func (c *clock) change(counts func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts()
	now := c.now()
	asking := c.run.still()
	switch {
	case asking && c.asked.IsZero():
		c.asked = now
	case !asking && !c.asked.IsZero():
		c.stood += now.Sub(c.asked)
		c.asked = time.Time{}
	}
	switch stop := c.held > 0 || asking; {
	case stop && c.since.IsZero():
		c.since = now
	case !stop && !c.since.IsZero():
		c.started = c.started.Add(max(0, now.Sub(c.since)))
		c.since = time.Time{}
	}
	for _, t := range c.timers {
		t.set(c.held == 0 && !t.of.still(), c.now)
	}
}

// takeStood returns how long the time of the run has stood still for answers since it was asked
// last.
func (c *clock) takeStood() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	stood := c.stood
	if !c.asked.IsZero() {
		now := c.now()
		stood += now.Sub(c.asked)
		c.asked = now
	}
	c.stood = 0
	return stood
}
