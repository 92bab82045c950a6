package authoring

import (
	"sync"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

// pools keeps the servers of the file running from one operation to the next, as long
// as the file defines the same ones. A pool is closed when its last user is done after
// the file has changed. Safe for concurrent use.
type pools struct {
	make func(*project.Project) *mcpclient.Pool

	mu      sync.Mutex // guards what follows
	current *shared
	closing sync.WaitGroup
}

// shared is a pool and who uses it; the pools themselves count as one user of the
// current one.
type shared struct {
	pool    *mcpclient.Pool
	servers []*config.Upstream
	users   int
}

// lease is the pool for the servers of a project, for one operation.
func (p *pools) lease(of *project.Project) (pool *mcpclient.Pool, done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil || !config.SameServers(p.current.servers, of.File.Servers) {
		old := p.current
		p.current = &shared{pool: p.make(of), servers: of.File.Servers, users: 1}
		if old != nil {
			p.leave(old)
		}
	}
	s := p.current
	s.users++
	return s.pool, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.leave(s)
	}
}

// known is the current pool, nil when nothing was started yet.
func (p *pools) known() *mcpclient.Pool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return nil
	}
	return p.current.pool
}

// leave gives up one use; p.mu is held.
func (p *pools) leave(s *shared) {
	if s.users--; s.users == 0 {
		p.closing.Go(func() { _ = s.pool.Close() }) // it takes seconds, and has no error to tell
	}
}

// close ends all servers and returns when they are gone.
func (p *pools) close() {
	p.mu.Lock()
	if p.current != nil {
		p.leave(p.current)
		p.current = nil
	}
	p.mu.Unlock()
	p.closing.Wait()
}
