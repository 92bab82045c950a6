package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// stores is a fleet whose journal is real: each process has a journal.Store of its own, on one
// database. It runs in real time, so a seed gives the kinds of faults and not their exact order.
type stores struct {
	t       testing.TB
	s       *scenario
	place   place
	file    string // of the runs of this fleet
	durable bool
	rng     *rand.Rand // of the goroutine that makes the faults

	// reference is the run without faults, with one process.
	reference   *world
	undisturbed *life

	silent   time.Time       // until then a process may not reach the database
	ctx      context.Context //nolint:containedctx // ends with the fleet
	running  sync.WaitGroup
	closing  sync.WaitGroup
	tookOver int

	mu         sync.Mutex // guards what follows
	members    []*member  // nil: the process is dead
	ledger     map[attemptKey][]*stay
	stays      []*stay
	outcomes   map[string][]string // of the clients of a run
	refused    int                 // runs that failed because they could not be recorded
	violations []violation
	trace      []string
}

// place is a database that several processes share.
type place interface {
	// open returns the store of a new process, and what can happen to it.
	open(t testing.TB, f *stores, seed uint64) (*journal.Store, mishaps)
	// notes reports whether a process notes its calls beside the database.
	notes() bool
}

// mishaps are what can happen between a process and its database.
type mishaps interface {
	pause(time.Duration) // for longer than a lease, sometimes
	kill()
	calm()
}

// member is a process of such a fleet.
type member struct {
	f     *stores
	name  string
	store *journal.Store
	way   mishaps
	ctx   context.Context //nolint:containedctx // ends with the process
	end   context.CancelCauseFunc
	stop  chan struct{}

	mu       sync.Mutex // guards what follows
	stays    map[string]*stay
	draining bool
}

// stay is a run in a process.
type stay struct {
	m    *member
	run  string
	real execution.Journal

	from int // events that the run had when it was claimed

	mu       sync.Mutex // guards what follows
	clock    int        // counts when appending begins and ends
	appended map[string]*appended
	taken    bool
}

// appended is an event that a process has given to its store.
type appended struct {
	began, ended int  // 0: not yet
	failed       bool // Append has returned an error
	safe         bool // Append has waited for the commit, or has noted the event
	at           execution.Address
	attempt      int // of a call
}

// identity recognises an event.
func identity(e *execution.Event) string { return fmt.Sprintf("%s %d", describe(e), e.Time.UnixNano()) }

func (f *stores) about() journal.About { return journal.About{File: f.file, Server: f.file} }

func (f *stores) start(slot int) *member {
	m := &member{f: f, name: fmt.Sprintf("p%d.%d", slot, f.rng.IntN(1000)), stop: make(chan struct{}), stays: map[string]*stay{}}
	m.store, m.way = f.place.open(f.t, f, f.rng.Uint64())
	m.ctx, m.end = context.WithCancelCause(f.ctx)
	f.running.Go(m.sweeps)
	f.note("%s starts", m.name)
	return m
}

// Append gives an event to the store.
func (s *stay) Append(ctx context.Context, e execution.Event) error {
	if s.m.ctx.Err() != nil {
		return errCrash
	}
	a := &appended{}
	if e.Kind == execution.CallStarted {
		a.at, a.attempt = e.At(), e.Step.Attempt
	}
	s.mu.Lock()
	s.clock++
	a.began = s.clock
	s.appended[identity(&e)] = a
	s.mu.Unlock()
	err := s.real.Append(ctx, e)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	a.ended = s.clock
	a.failed = err != nil
	a.safe = err == nil && e.Sync && e.Kind == execution.CallStarted
	s.taken = s.taken || errors.Is(err, execution.ErrTaken)
	return err
}

// Load is not used: runs are loaded after they are claimed.
func (s *stay) Load(context.Context, string) ([]execution.Event, error) {
	return nil, errors.New("not used")
}

// CallTool is the upstream server.
func (s *stay) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.m.ctx.Err() != nil {
		return nil, errCrash
	}
	s.m.f.called(s, &c)
	select {
	case <-time.After(time.Duration(len(text(c.Args))%4) * 6 * time.Millisecond):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return answerOf(s.m.f.s.trouble, c.Tool, c.Args, attemptOf(c.Attempt))
}

// Ask answers as the user does.
func (s *stay) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	return answerOfUser(&q), nil
}

// called adds a call to the ledger, and checks that it may be sent.
func (f *stores) called(s *stay, c *execution.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := attemptKey{c.Run, c.At(), attemptOf(c.Attempt)}
	if before := f.ledger[key]; len(before) > 0 && !f.s.specs[c.Name()].safe {
		f.violate(sentKind, "%s: call %s attempt %d is not safe to repeat, and is sent by %s and by %s", c.Run, key.at, key.attempt, before[0].m.name, s.m.name)
	}
	f.ledger[key] = append(f.ledger[key], s)
}

// adopt begins a stay; nil when the process has the run, or is to end.
func (m *member) adopt(run string) *stay {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stays[run] != nil || m.draining || m.ctx.Err() != nil {
		return nil
	}
	s := &stay{m: m, run: run, real: m.store.Journal(nil, m.f.about()), appended: map[string]*appended{}}
	m.stays[run] = s
	return s
}

func (m *member) drop(s *stay) {
	if s != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.stays, s.run)
	}
}

// pauses is how often a process looks again.
const pauses = 30 * time.Millisecond

// request answers a client with the outcome of a run, which this process begins, joins or takes over.
func (m *member) request(run string) (string, error) {
	for m.ctx.Err() == nil {
		r, err := m.store.Exact(m.ctx, run)
		s := m.adopt(run)
		var out string
		switch {
		case err != nil && !errors.Is(err, journal.ErrNotFound):
			m.drop(s)
		case err == nil && r.HasEnded():
			m.drop(s)
			if out, err = m.outcome(run); err == nil {
				return out, nil
			}
		case s == nil: // another request of this process drives the run
		case err != nil:
			out, err = m.drive(s, func(e *execution.Engine, opts ...execution.Option) (*execution.Result, error) {
				return e.Run(m.ctx, m.f.s.graph, m.f.s.args, append(opts, execution.WithCaller("client", true))...)
			})
			if err == nil || errors.Is(err, errDrained) {
				return out, err
			}
		case r.Status == journal.Interrupted:
			if out, err = m.takeOver(s); err == nil || errors.Is(err, errDrained) {
				return out, err
			}
		default:
			m.drop(s)
		}
		select {
		case <-m.ctx.Done():
		case <-time.After(pauses):
		}
	}
	return "", errCrash
}

// outcome is the end of a run as the store has it.
func (m *member) outcome(run string) (string, error) {
	events, err := m.store.Load(m.ctx, run)
	if err != nil {
		return "", err
	}
	end := events[len(events)-1].End
	if end == nil {
		return "", errors.New("it has no end")
	}
	return outcomeOf(end), nil
}

// drive runs or resumes a run, and returns its outcome once that is recorded.
func (m *member) drive(s *stay, start func(*execution.Engine, ...execution.Option) (*execution.Result, error)) (string, error) {
	defer m.drop(s)
	m.f.mu.Lock()
	m.f.stays = append(m.f.stays, s)
	m.f.mu.Unlock()
	engine := engine(s, false, execution.WithRunID(s.run), execution.WithJournal(s), execution.WithUser(s), execution.WithStop(m.stop))
	result, err := start(engine)
	if m.ctx.Err() != nil {
		return "", errCrash
	}
	if errors.Is(err, execution.ErrSuspended) {
		_ = m.store.Release(m.ctx, s.run) // else the run is interrupted when the store is closed
		return "", errDrained
	}
	if flushed := s.real.(execution.Flusher).Flush(m.ctx, s.run); flushed != nil {
		m.f.note("%s: %s is not flushed: %v", m.name, s.run, flushed)
		return "", flushed
	}
	if errors.Is(err, execution.ErrTaken) {
		return "", err
	}
	var failed *execution.Failure
	switch {
	case errors.As(err, &failed):
		return outcomeOf(&execution.End{Failure: failed}), nil
	case err != nil: // it has not begun
		m.f.note("%s: %s ends with %v", m.name, s.run, err)
		return "", err
	}
	return outcomeOf(&execution.End{Value: result.Value}), nil
}

// takeOver claims a run and resumes it.
func (m *member) takeOver(s *stay) (string, error) {
	if err := m.store.Claim(m.ctx, s.run); err != nil {
		m.drop(s)
		return "", err
	}
	events, err := s.real.Load(m.ctx, s.run)
	for tries := 0; err != nil && tries < 20 && m.ctx.Err() == nil; tries++ { // another process cannot
		time.Sleep(pauses)
		events, err = s.real.Load(m.ctx, s.run)
	}
	if err != nil {
		_ = m.store.Release(m.ctx, s.run) // or this process finds out that it does not work on the run
		m.drop(s)
		return "", err
	}
	s.from = len(events)
	m.f.mu.Lock()
	m.f.tookOver++
	slow := m.f.tookOver%2 == 0
	m.f.mu.Unlock()
	if slow { // who had the run before may write meanwhile
		time.Sleep(8 * pauses)
	}
	m.f.note("%s takes over %s after %d events", m.name, s.run, len(events))
	return m.drive(s, func(e *execution.Engine, opts ...execution.Option) (*execution.Result, error) {
		return e.Resume(m.ctx, m.f.s.graph, events, opts...)
	})
}

// sweeps takes over interrupted runs.
func (m *member) sweeps() {
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-m.stop:
			return
		case <-time.After(5 * pauses):
		}
		left, err := m.store.Interrupted(m.ctx, m.f.about())
		if err != nil {
			continue
		}
		for _, r := range left {
			if s := m.adopt(r.ID); s != nil {
				m.f.running.Go(func() { _, _ = m.takeOver(s) }) // who waits for the run reads its end
			}
		}
	}
}
