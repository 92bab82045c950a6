package mcpclient

import (
	"sync"

	"toolgraph/config"
)

// Shared lends pools to the users of graph files that may change. All users whose files
// define the same servers get the same pool, and the servers keep running. A
// pool is closed when its last user is done and another pool was lent since. The
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
// more than once. A pool that is open is lent when its servers are defined alike and variant,
// which stands for other options of a pool, is the same; otherwise start makes a new one.
func (s *Shared) Lease(servers []*config.Upstream, variant string, start func() *Pool) (pool *Pool, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.find(servers, variant)
	if l == nil {
		l = &lent{pool: start(), servers: servers, variant: variant}
		if s.open == nil {
			s.open = map[*lent]bool{}
		}
		s.open[l] = true
	}
	l.users++
	if old := s.current; old != l { // the one that was lent last stays open until another is
		s.current = l
		if l.users++; old != nil {
			s.leave(old)
		}
	}
	return l.pool, sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leave(l)
	})
}

// find returns an open pool of equal servers, or nil; s.mu is held. A file that was changed and the file as it was, or two files,
// have equal servers then.
func (s *Shared) find(servers []*config.Upstream, variant string) *lent {
	for l := range s.open {
		if l.variant == variant && config.SameServers(l.servers, servers) {
			return l
		}
	}
	return nil
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
