package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"toolgraph/execution"
)

var (
	errConnection = errors.New("the connection to the database is lost")
	errDrained    = errors.New("the process is stopping")
)

// server is one process of a fleet, from its start to its death.
type server struct {
	f     *fleet
	slot  int
	drift time.Duration // of its clock, at its start
	rate  float64       // of its clock

	ctx  context.Context //nolint:containedctx // ends with the process
	kill context.CancelCauseFunc
	stop chan struct{} // closed when it is to end

	// Of the scheduler's goroutine.
	paused time.Time // until then
	beats  time.Time // when the next heartbeat is due
	news   bool      // a notification is on its way

	mu       sync.Mutex // guards what follows
	name     string     // changes with its lease
	leases   int
	pending  []*step
	queue    []queuedEvent
	writing  *batch // on its way; nil: none
	sending  bool   // a request has it
	taking   bool   // mail
	tenures  map[string]*tenure
	dead     bool
	draining bool
	wakeup   chan struct{} // closed when a notification comes
}

// step is an operation of a run.
type step struct {
	operation
	tenure *tenure
	routed bool // an answer to the question is on its way through another process
}

// queuedEvent is an event that waits to be written, or a mark behind events.
type queuedEvent struct {
	tenure *tenure
	event  execution.Event
	n      int
	mark   bool
	giving bool // the run is given back there
	done   chan error
}

// request is a transaction on its way to the database, and back.
type request struct {
	from     *server
	name     string
	exec     func()
	done     func(error)
	executed bool
	over     bool      // the process does not wait for it any more
	until    time.Time // it is on its way until then
}

func (f *fleet) start(slot int) *server {
	f.started++
	p := &server{f: f, slot: slot, rate: 1, stop: make(chan struct{}), tenures: map[string]*tenure{}, wakeup: make(chan struct{})}
	if f.rng.IntN(2) == 0 {
		p.drift = time.Duration(f.rng.IntN(7200)-3600) * time.Second
		p.rate = []float64{0.9, 1, 1.1}[f.rng.IntN(3)]
	}
	p.ctx, p.kill = context.WithCancelCause(f.ctx)
	p.name = fmt.Sprintf("p%d.%d", slot, f.started)
	f.db.beats[p.name] = time.Now()
	p.beats = time.Now().Add(beatEvery)
	f.running.Go(p.sweeps)
	f.note("%s starts", p.name)
	return p
}

// now is the clock of the process.
func (p *server) now() time.Time {
	since := time.Since(p.f.began)
	return p.f.began.Add(p.drift + time.Duration(float64(since)*p.rate))
}

// sleep reports whether the process lives when the time is over.
func (p *server) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-p.ctx.Done():
		return false
	}
}

// wait waits for a notification; it looks again after a while, since notifications get lost.
func (p *server) wait() bool {
	p.mu.Lock()
	wakeup := p.wakeup
	p.mu.Unlock()
	poll := 5 * time.Second
	if p.f.rules.noPolling {
		poll = 24 * time.Hour
	}
	select {
	case <-wakeup:
		return true
	case <-time.After(poll):
		return true
	case <-p.ctx.Done():
		return false
	}
}

// transact makes a transaction. When the connection is lost, it may be done or not.
func transact[T any](p *server, name string, exec func() T) (out T, err error) {
	var got T
	done := make(chan error, 1)
	if !p.f.send(&request{from: p, name: name, exec: func() { got = exec() }, done: func(err error) { done <- err }}) {
		return out, errCrash
	}
	if err := <-done; err != nil {
		return out, err
	}
	return got, nil
}

// call makes a transaction, again while the connection is lost.
func call[T any](p *server, name string, exec func() T) (out T, err error) {
	for {
		out, err = transact(p, name, exec)
		if err == nil || !errors.Is(err, errConnection) {
			return out, err
		}
		if !p.sleep(500 * time.Millisecond) {
			return out, errCrash
		}
	}
}

// send gives a request to the scheduler, unless its process is dead.
func (f *fleet) send(r *request) bool {
	r.from.mu.Lock()
	dead := r.from.dead
	r.from.mu.Unlock()
	if dead {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r)
	return true
}

// submit adds an operation of a run.
func (p *server) submit(s *step) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return false
	}
	if s.call != nil {
		p.f.called(s.tenure, s.call)
	}
	p.pending = append(p.pending, s)
	return true
}

func (p *server) withdraw(s *step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(other *step) bool { return other == s })
}

// sorted returns the pending operations in an order that does not depend on goroutines.
func (p *server) sorted() []*step {
	p.mu.Lock()
	defer p.mu.Unlock()
	slices.SortStableFunc(p.pending, func(a, b *step) int {
		return cmp.Or(cmp.Compare(a.tenure.run, b.tenure.run), a.at().Compare(b.at()), cmp.Compare(a.name(), b.name()))
	})
	return slices.Clone(p.pending)
}

// release ends an operation.
func (p *server) release(s *step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = slices.DeleteFunc(p.pending, func(other *step) bool { return other == s })
	t := s.tenure
	p.f.note("%s %s: %s", p.name, t.run, s.name())
	switch {
	case s.call != nil:
		p.f.answered(t, s.call)
		s.done <- p.f.world.answerTo(s.call)
	case s.question != nil:
		s.done <- answer{user: answerOfUser(s.question)}
	case t.taken:
		s.done <- answer{err: execution.ErrTaken}
	default:
		t.enqueue(s)
	}
}

// take makes a batch of queued events; p.mu is held.
func (p *server) take() {
	n := 1 + p.f.rng.IntN(len(p.queue))
	if p.f.rng.IntN(2) == 0 {
		n = len(p.queue)
	}
	b := &batch{owner: p.name, items: slices.Clone(p.queue[:n])}
	p.queue = slices.Clone(p.queue[n:])
	for _, q := range b.items {
		switch {
		case q.giving:
			b.giving = append(b.giving, q.tenure.run)
		case !q.mark:
			b.events = append(b.events, q)
		}
	}
	p.writing = b
}

// write sends the batch of the process, again after an error.
func (p *server) write() {
	p.mu.Lock()
	if p.writing == nil {
		p.take()
	}
	b := p.writing
	p.sending = true
	p.mu.Unlock()
	var lost []*tenure
	p.f.send(&request{from: p, name: "write", exec: func() { lost = p.f.db.write(b) }, done: func(err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sending = false
		if err != nil {
			return // it is sent again
		}
		p.writing = nil
		for _, t := range lost {
			p.lose(t)
		}
		release(b.items)
	}})
}

// lose marks a run as another process's; p.mu is held.
func (p *server) lose(t *tenure) {
	if t.taken {
		return
	}
	t.taken = true
	p.f.lost++
	p.f.note("%s has lost %s", p.name, t.run)
	rest := p.queue[:0:0]
	var gone []queuedEvent
	for _, q := range p.queue {
		if q.tenure == t {
			gone = append(gone, q)
		} else {
			rest = append(rest, q)
		}
	}
	p.queue = rest
	release(gone)
}

// release ends the waits for queued events.
func release(items []queuedEvent) {
	for _, q := range items {
		if q.done == nil {
			continue
		}
		if q.tenure.taken {
			q.done <- execution.ErrTaken
		} else {
			q.done <- nil
		}
	}
}

// beat prolongs the lease of the process. When it has lost it, it has lost its runs.
func (p *server) beat() {
	p.beats = time.Now().Add(beatEvery)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.f.db.beat(p.name) {
		return
	}
	p.f.note("%s has lost its lease", p.name)
	for _, run := range slices.Sorted(maps.Keys(p.tenures)) {
		t := p.tenures[run]
		p.lose(t)
		t.cancel(execution.ErrTaken)
	}
	p.leases++
	p.name = fmt.Sprintf("%s'", p.name)
	p.f.db.beats[p.name] = time.Now()
}

// die ends everything: what was on its way to the database may still arrive.
func (p *server) die() {
	p.mu.Lock()
	p.dead = true
	for _, s := range p.pending {
		s.done <- answer{err: errCrash}
	}
	for _, q := range p.queue {
		if q.done != nil {
			q.done <- errCrash
		}
	}
	if p.writing != nil {
		for _, q := range p.writing.items {
			if q.done != nil {
				q.done <- errCrash
			}
		}
	}
	p.pending, p.queue, p.writing = nil, nil, nil
	p.mu.Unlock()
	p.f.abandon(p)
	p.kill(errCrash)
}
