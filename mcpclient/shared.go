package mcpclient

import (
	"sync"

	"toolgraph/config"
)

// Shared lends pools to the users of a graph file that may change. As long as the file
// defines the same servers, all users get the same pool, and the servers keep running. A
// pool is closed when its last user is done and another pool has taken its place. The
// zero value is ready for use. Safe for concurrent use.
type Shared struct {
	mu      sync.Mutex // guards the fields below
	current *lent      // nil: no pool was lent yet, or Close was called
	open    map[*lent]bool
	closing sync.WaitGroup
}

// lent is a pool and how many use it; Shared itself is one user of the current pool.
type lent struct {
	pool    *Pool
	servers []*config.Upstream
	variant string
	users   int
}

// Lease returns the pool for these servers, and done to give it back; done may be called
// more than once. The current pool is lent when its servers are defined alike and variant,
// which stands for other options of a pool, is the same; otherwise start makes a new one.
func (s *Shared) Lease(servers []*config.Upstream, variant string, start func() *Pool) (pool *Pool, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.variant != variant || !config.SameServers(s.current.servers, servers) {
		old := s.current
		s.current = &lent{pool: start(), servers: servers, variant: variant, users: 1}
		if s.open == nil {
			s.open = map[*lent]bool{}
		}
		s.open[s.current] = true
		if old != nil {
			s.leave(old)
		}
	}
	l := s.current
	l.users++
	return l.pool, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leave(l)
	})
}

// Current returns the pool that was lent last, nil when there is none.
func (s *Shared) Current() *Pool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	return s.current.pool
}

// leave ends one use of a pool; s.mu is held.
func (s *Shared) leave(l *lent) {
	if l.users--; l.users == 0 {
		s.end(l)
	}
}

// end closes a pool in the background, once; s.mu is held.
func (s *Shared) end(l *lent) {
	if s.open[l] {
		delete(s.open, l)
		s.closing.Go(func() { _ = l.pool.Close() }) // which always returns nil
	}
}

// Close closes all pools, also those in use, and returns when their servers have ended.
func (s *Shared) Close() {
	s.mu.Lock()
	s.current = nil
	for l := range s.open {
		s.end(l)
	}
	s.mu.Unlock()
	s.closing.Wait()
}
