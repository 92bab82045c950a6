package mcpclient

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"sync"

	"toolgraph/config"
)

// Shared lends pools to the users of graph files that may change. All users whose files
// define the same servers get the same pool, and the servers keep running. A
// pool is closed when its last user is done and another pool was lent since. Pools with the option
// SharedBy have the servers in common that they define alike. The
// zero value is ready for use. Safe for concurrent use.
type Shared struct {
	mu      sync.Mutex // guards the fields below
	current *lent      // nil: no pool was lent yet, or Close was called
	open    map[*lent]bool
	closing sync.WaitGroup

	serving sync.Mutex            // guards the fields below; taken with mu held or without
	servers map[poolKey]*upstream // of open pools with SharedBy, by what makes them equal
	uses    map[*upstream]int     // by how many of these pools
	keep    *supervisor           // of all these; nil: there was none yet
}

// lent is a pool and how many use it; Shared itself is one user of the current pool.
type lent struct {
	pool  *Pool
	key   poolKey
	users int
}

// SharedBy has the pool use the servers that another pool of the same Shared has, where they are defined alike and variant is
// the same. It stands for what else the options say of servers, such as their ToolCheck: the options of the first
// pool that has a server hold for it.
func SharedBy(s *Shared, variant string) Option {
	return func(o *options) { o.shared, o.variant = s, variant }
}

// Lease returns the pool for these servers, and done to give it back; done may be called
// more than once. A pool that is open is lent when its servers are defined alike and variant,
// which stands for other options of a pool, is the same; otherwise start makes a new one.
func (s *Shared) Lease(servers []*config.Upstream, variant string, start func() *Pool) (pool *Pool, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := keyOf(variant, servers...)
	l := s.find(key)
	if l == nil {
		l = &lent{pool: start(), key: key}
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

// poolKey is that of pools whose servers are defined alike: a digest, since a variant can be long.
type poolKey [sha256.Size]byte

func keyOf(variant string, servers ...*config.Upstream) poolKey {
	sum := sha256.New()
	for _, conf := range servers {
		fmt.Fprintln(sum, conf.Key())
	}
	fmt.Fprintln(sum, variant)
	return poolKey(sum.Sum(nil))
}

// find returns an open pool of equal servers, or nil; s.mu is held. A file that was changed and the file as it was, or two files,
// have equal servers then.
func (s *Shared) find(key poolKey) *lent {
	for l := range s.open {
		if l.key == key {
			return l
		}
	}
	return nil
}

// server returns the server of a pool: that of another pool, or a new one.
func (s *Shared) server(conf *config.Upstream, opts *options) *upstream {
	s.serving.Lock()
	defer s.serving.Unlock()
	if s.servers == nil {
		s.servers, s.uses, s.keep = map[poolKey]*upstream{}, map[*upstream]int{}, newSupervisor()
	}
	key := keyOf(opts.variant, conf)
	u := s.servers[key]
	if u == nil {
		u = newUpstream(conf, opts, s.keep)
		s.servers[key] = u
	}
	s.uses[u]++
	return u
}

// leaveServer ends the use of a server by a pool, and reports whether it was the last.
func (s *Shared) leaveServer(u *upstream) bool {
	s.serving.Lock()
	defer s.serving.Unlock()
	if s.uses[u]--; s.uses[u] > 0 {
		return false
	}
	delete(s.uses, u)
	maps.DeleteFunc(s.servers, func(_ poolKey, other *upstream) bool { return other == u })
	return true
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
	s.serving.Lock()
	defer s.serving.Unlock()
	if s.keep != nil {
		s.keep.close()
	}
}
