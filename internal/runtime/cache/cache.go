// Package cache gives the answers of calls again to equal calls of the same process, for a time.
package cache

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

const (
	mostBytes = 64 << 20
	overhead  = 256 // bytes that an answer counts besides its value: many small ones need memory, too
)

// Store has the answers of calls by what was called, with which arguments. The least recently used are
// dropped first. Safe for concurrent use.
type Store struct {
	now  func() time.Time // with the monotonic clock, which no change of the system's time moves
	most int              // bytes of all answers together

	mu      sync.Mutex // guards what follows
	answers map[key]*list.Element
	recent  list.List // of *answer, the one used last in front
	bytes   int
	flights map[key]*flight // calls that are being made
}

// New returns an empty store.
func New() *Store {
	return &Store{now: time.Now, most: mostBytes, answers: map[key]*list.Element{}, flights: map[key]*flight{}}
}

// key is a hash of a server's identity, a tool and its arguments, such that no two calls have the same.
type key [sha256.Size]byte

func keyOf(ctx context.Context, identity string, c *execution.Call) (key, error) {
	return value.Digest(value.Until(ctx), []any{identity, c.Tool, c.Args})
}

type answer struct {
	key        key
	value      value.Value // nil: nothing
	bytes      int
	definition string    // of the tool
	at         time.Time // when it came
}

// flight is a call that is being made, for which equal calls wait.
type flight struct {
	definition string        // of the tool when it began
	ended      chan struct{} // closed when the fields below are set
	answered   bool
	failed     bool // it has an error of its own: its run has not ended
	value      value.Value
}

// Pool says what the answers of its servers depend on besides tool and arguments.
type Pool interface {
	// Identity identifies the server behind a name; empty: its answers are not given again.
	Identity(server string) string
	// Definition identifies the definition of a tool as its server lists it; empty while unknown.
	Definition(ctx context.Context, server, tool string) string
}

// Of returns the store as the cache of runs whose calls are made by the pool.
func (s *Store) Of(p Pool) execution.Cache { return pooled{s, p} }

type pooled struct {
	*Store
	pool Pool
}

// Answer is that of execution.Cache. A call that waits for an equal one waits for one that fails at
// most: then it is made, together with all others that have waited, so that a server which fails
// keeps no call waiting longer than one that is asked by each. When the run of the other ends, one of
// those that have waited takes its place.
func (p pooled) Answer(
	ctx context.Context, c execution.Call, ttl time.Duration, send func() (value.Value, error),
) (v value.Value, cached bool, err error) {
	identity := p.pool.Identity(c.Server)
	if identity == "" {
		v, err = send()
		return v, false, err
	}
	k, err := keyOf(ctx, identity, &c)
	if err != nil {
		return nil, false, context.Cause(ctx)
	}
	for alone := false; ; {
		definition := p.pool.Definition(ctx, c.Server, c.Tool)
		known, f, leads := p.enter(k, definition, ttl, alone)
		switch {
		case known != nil:
			return known.value, true, nil
		case leads:
			v, err = p.lead(ctx, k, f, &c, send)
			return v, false, err
		}
		select {
		case <-f.ended:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
		if f.answered {
			return f.value, true, nil
		}
		alone = alone || f.failed
	}
}

// enter returns the answer that may be given again, or a flight: leads says whether it is to be made,
// or another makes it.
func (s *Store) enter(k key, definition string, ttl time.Duration, alone bool) (known *answer, f *flight, leads bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.answers[k]; e != nil {
		a, _ := e.Value.(*answer)
		if a.definition == definition && s.now().Sub(a.at) < ttl {
			s.recent.MoveToFront(e)
			return a, nil, false
		}
	}
	if f = s.flights[k]; f != nil && !alone && (f.definition == "" || f.definition == definition) {
		return nil, f, false
	}
	f = &flight{definition: definition, ended: make(chan struct{})}
	s.flights[k] = f
	return nil, f, true
}

// lead makes a call for itself and for those that wait for it.
func (p pooled) lead(ctx context.Context, k key, f *flight, c *execution.Call, send func() (value.Value, error)) (v value.Value, err error) {
	var fresh *answer
	defer func() { p.settle(f, k, fresh) }() // also when send panics
	if v, err = send(); err != nil {
		f.failed = ctx.Err() == nil
		return nil, err
	}
	f.answered, f.value = true, v
	definition := p.pool.Definition(ctx, c.Server, c.Tool)
	if f.definition == "" || f.definition == definition { // else it is of an older one
		fresh = &answer{key: k, value: v, bytes: overhead + value.Size(v), definition: definition, at: p.now()}
	}
	return v, nil
}

// settle ends a flight, and keeps its answer unless that is nil.
func (s *Store) settle(f *flight, k key, a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flights[k] == f {
		delete(s.flights, k)
	}
	close(f.ended)
	if a == nil || a.bytes > s.most {
		return
	}
	if before := s.answers[k]; before != nil {
		s.drop(before)
	}
	s.answers[k] = s.recent.PushFront(a)
	for s.bytes += a.bytes; s.bytes > s.most; {
		s.drop(s.recent.Back())
	}
}

// drop forgets an answer. mu is held.
func (s *Store) drop(e *list.Element) {
	a, _ := s.recent.Remove(e).(*answer)
	delete(s.answers, a.key)
	s.bytes -= a.bytes
}
