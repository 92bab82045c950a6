package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"toolgraph/config"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

// poolUsers shares the pool of servers among the graph files that are served one after
// the other: a file with the servers of the one before it uses its pool, any other has
// one of its own, and a pool is closed when the last run that may call it has ended.
// Safe for concurrent use.
type poolUsers struct {
	mu      sync.Mutex // guards what follows
	current *sharedPool
	closing sync.WaitGroup
	ending  chan struct{}
	asks    mcpclient.Elicitor // puts the questions of their servers to a user
}

type sharedPool struct {
	pool    *mcpclient.Pool
	log     *slog.Logger
	servers []*config.Upstream
	lock    *lock.Lock // what its tools must be; nil: whatever they are
	users   int
}

func newPoolUsers(p *project.Project, locked *lock.Lock, log *slog.Logger, asks mcpclient.Elicitor) *poolUsers {
	return &poolUsers{current: newSharedPool(p, locked, log, asks), ending: make(chan struct{}), asks: asks}
}

func newSharedPool(p *project.Project, locked *lock.Lock, log *slog.Logger, asks mcpclient.Elicitor) *sharedPool {
	pool := newPool(p, log, append(guarded(locked, p), mcpclient.WithElicitor(asks))...)
	return &sharedPool{pool: pool, log: log, servers: p.File.Servers, lock: locked, users: 1}
}

func (u *poolUsers) pool() *mcpclient.Pool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.current.pool
}

// hold is the current pool, for somebody who drops it when it is no longer used.
func (u *poolUsers) hold() *sharedPool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.current.users++
	return u.current
}

// next is the pool for the servers of another file. The caller uses it by take, or
// drops it when the file cannot be served after all.
func (u *poolUsers) next(p *project.Project, locked *lock.Lock, log *slog.Logger) *sharedPool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if config.SameServers(u.current.servers, p.File.Servers) && sameLock(u.current.lock, locked) {
		u.current.users++
		return u.current
	}
	return newSharedPool(p, locked, log, u.asks)
}

// hints tells what is known of an upstream tool's effects: what the lock says, else
// what its server has said so far.
func (u *poolUsers) hints(upstream, tool string) (server.Hints, bool) {
	u.mu.Lock()
	current := u.current
	u.mu.Unlock()
	return hintsOf(current.pool, current.lock)(upstream, tool)
}

// take makes it the current pool; the one before loses a user once ended is closed.
func (u *poolUsers) take(next *sharedPool, ended <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	old := u.current
	u.current = next
	u.closing.Go(func() {
		select {
		case <-ended:
		case <-u.ending:
		}
		u.drop(old)
	})
}

// drop gives up one use of a pool.
func (u *poolUsers) drop(s *sharedPool) {
	u.mu.Lock()
	s.users--
	last := s.users == 0
	u.mu.Unlock()
	if last {
		closePool(s.pool, s.log)
	}
}

// close ends all servers and returns when their processes are gone.
func (u *poolUsers) close() {
	close(u.ending)
	u.mu.Lock()
	current := u.current
	u.mu.Unlock()
	u.drop(current)
	u.closing.Wait()
}

// askUser puts the question of an upstream server to the user of the host that called,
// and says whose question it is.
func askUser(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	var message string
	if json.Unmarshal(params, &fields) != nil || json.Unmarshal(fields["message"], &message) != nil {
		return nil, errors.New("the question has no message")
	}
	message = fmt.Sprintf("The server %q asks: %s", upstream, message)
	var err error
	if fields["message"], err = json.Marshal(message); err != nil {
		return nil, err
	}
	if params, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	return server.Ask(server.WithQuestionName(ctx, mcpclient.QuestionName(ctx)), params)
}
