package execution

import (
	"context"
	"maps"
	"sync"
	"time"
)

// A run can wait for days: for the answer of a user, for its next attempt, for the task of a server. When all that is
// unfinished in it waits for such a thing, the run is parked: it is suspended, and what it waits for is its error. So
// waiting costs no process: any that has the journal resumes the run with the answer, or at its time.

// Parking says when a run is parked. It has a journal from which any process can resume it.
type Parking struct {
	After time.Duration // that all of the run has waited
	Least time.Duration // that the run would still wait, if no answer comes
	// May reports whether the run may be parked now. It is called when nothing else is against that, and must be
	// quick; the run is parked when it returns true. nil: it may.
	May func(run string) bool
}

// WithParking parks a run that waits for long; nil never does. A run with a gate is never parked: a person steps through it.
func WithParking(p *Parking) Option { return func(h *hooks) { h.parking = p } }

// Rest is what a parked run waits for, and how far its times have come.
type Rest struct {
	At  time.Time `json:"at"`           // when the run was parked
	Due time.Time `json:"due,omitzero"` // when it goes on without an answer; zero: never

	// Until has, by the addresses of what waits, when the wait is over: that for an answer, for the next attempt or turn,
	// and the time of a call whose server works on a task.
	Until map[Address]time.Time `json:"until,omitempty"`
	// Limits has what is left of the time limits: under "" that of the run, under the addresses of calls of graphs those
	// of their graphs, and with "!" that of the call itself.
	Limits map[string]Limit `json:"limits,omitempty"`
}

// Limit is what is left of a time limit.
type Limit struct {
	Left  time.Duration `json:"left"`            // in nanoseconds
	Still bool          `json:"still,omitempty"` // it stands still, for all that it limits waits for answers
}

// left returns what is left of a limit at a time.
func (r *Rest) left(limit string, whole time.Duration, now time.Time) time.Duration {
	if r == nil {
		return whole
	}
	l, known := r.Limits[limit]
	switch {
	case !known:
		return whole
	case !l.Still:
		l.Left -= max(0, now.Sub(r.At))
	}
	return min(whole, l.Left)
}

// WithRest continues the waits of a run that was parked, when it is resumed. Without it they begin anew.
func WithRest(r *Rest) Option {
	return func(h *hooks) {
		if h.rest = r; r != nil {
			own := *r
			own.Until = maps.Clone(r.Until)
			h.rest = &own
		}
	}
}

// Parked is the error of a run that is parked; it matches ErrSuspended.
type Parked struct{ Rest }

func (*Parked) Error() string {
	return "the run is parked: it waits, and goes on with an answer or at its time"
}

// Is lets errors.Is match ErrSuspended.
func (*Parked) Is(target error) bool { return target == ErrSuspended }

// wait is one of the waits of a run.
type wait struct {
	at     Address
	due    time.Time // when it is over by itself; zero: it is over when another part of the run goes on
	until  time.Time // see Rest.Until; zero: it is not one of these
	cancel context.CancelCauseFunc
}

// parking decides whether a run is parked.
type parking struct {
	Parking
	live *live
	over chan struct{} // closed when the run is parked

	mu    sync.Mutex // guards what follows; clock.mu may be taken while it is held
	waits map[*wait]bool
	timer *time.Timer // runs while all waits; nil: it does not
	as    *Parked     // nil: the run is not parked
}

func newParking(l *live, p *Parking) *parking {
	return &parking{Parking: *p, live: l, over: make(chan struct{}), waits: map[*wait]bool{}}
}

// waits says that one of those at work waits until back is called. The context of the wait ends when the run is parked;
// its cause is then an ErrSuspended.
func (l *live) waits(ctx context.Context, w wait) (waiting context.Context, back func()) {
	p := l.parking
	if p == nil {
		return ctx, func() {}
	}
	ctx, w.cancel = context.WithCancelCause(ctx)
	return ctx, p.add(&w)
}

// add adds a wait; back removes it.
func (p *parking) add(w *wait) (back func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.as != nil {
		w.cancel(p.as)
		return func() { w.cancel(nil) }
	}
	p.waits[w] = true
	p.consider()
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waits, w)
		p.consider()
		w.cancel(nil)
	}
}

// worked says that the number of those at work has changed.
func (p *parking) worked() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.consider()
	}
}

// consider starts the timer when all waits, and stops it when something works. mu is held.
func (p *parking) consider() {
	switch allWait := p.as == nil && len(p.waits) > 0 && len(p.waits) >= p.live.clock.atWork(); {
	case allWait && p.timer == nil:
		p.timer = time.AfterFunc(p.After, p.park)
	case !allWait && p.timer != nil:
		p.timer.Stop()
		p.timer = nil
	}
}

// park parks the run, if all of it has waited since the timer was started.
func (p *parking) park() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil || p.as != nil {
		return
	}
	p.timer = nil
	if len(p.waits) < p.live.clock.atWork() {
		return // and is considered again with the next change
	}
	rest := p.live.clock.rest()
	rest.Until = map[Address]time.Time{}
	for w := range p.waits {
		rest.dueAt(w.due)
		if !w.until.IsZero() {
			rest.Until[w.at] = w.until
		}
	}
	left := rest.Due.Sub(rest.At)
	switch {
	case !rest.Due.IsZero() && left < p.Least:
		return // it goes on soon
	case p.May != nil && !p.May(p.live.id):
		p.timer = time.AfterFunc(p.Least, p.park) // maybe later
		return
	}
	p.as = &Parked{rest}
	close(p.over)
	for w := range p.waits {
		w.cancel(p.as)
	}
}

// stir says that a run goes on although it was just parked: something has happened in it meanwhile. It is then suspended
// before its next step, and is due at once.
func (p *parking) stir() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.as != nil {
			p.as = &Parked{Rest{At: p.as.At, Due: p.as.At, Limits: p.as.Limits}}
		}
	}
}

// parked returns the error of a run that is parked; nil for another one.
func (p *parking) parked() *Parked {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.as
}

// end stops the timer for good; nothing of the run works any more.
func (p *parking) end() {
	if p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.timer != nil {
			p.timer.Stop()
			p.timer = nil
		}
	}
}

// dueAt lets the run be due at a time, if that is earlier.
func (r *Rest) dueAt(at time.Time) {
	if !at.IsZero() && (r.Due.IsZero() || at.Before(r.Due)) {
		r.Due = at
	}
}

// atWork returns how many frames and parts run, those that wait included.
func (c *clock) atWork() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run.working
}

// rest returns what is left of the time limits now. The run is due when the first of those is over that do not stand still.
func (c *clock) rest() Rest {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := Rest{At: c.now(), Limits: map[string]Limit{}}
	for _, t := range c.timers {
		l := Limit{Left: t.left, Still: t.alarm == nil}
		if !l.Still {
			l.Left -= r.At.Sub(t.begun)
			r.dueAt(r.At.Add(l.Left))
		}
		r.Limits[t.name] = l
	}
	return r
}

// remains returns how long a wait takes: what is left of it, if the run had it when it was parked. It is asked once.
func (l *live) remains(at Address, whole time.Duration) time.Duration {
	r := l.hooks.rest
	if r == nil {
		return whole
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	until, known := r.Until[at]
	if !known {
		return whole
	}
	delete(r.Until, at)
	return min(whole, until.Sub(l.clock.now()))
}
