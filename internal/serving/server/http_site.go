package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Site serves clients over streamable HTTP at one address: at each of its paths a server, which may come and go while
// it serves. Any number of processes can serve the same clients, see Options.Fleet. Safe for concurrent use.
type Site struct {
	opts   HTTPOptions
	log    *slog.Logger
	grace  time.Duration // of calls in flight at the end
	stall  time.Duration // limit of the time that a client may leave an answer unread
	base   context.Context
	cancel context.CancelCauseFunc // of base, and with it of the calls in flight

	paths atomic.Pointer[map[string]*endpoint]

	mu       sync.Mutex // guards what follows, and changes of paths
	leaving  map[*endpoint]struct{}
	draining bool
}

// NewSite returns a site without servers. Requests have the values of ctx.
func NewSite(ctx context.Context, opts HTTPOptions, log *slog.Logger, grace, stall time.Duration) *Site {
	opts.MaxConns = positive(opts.MaxConns, defaultMaxConns)
	opts.MaxPerAddress = positive(opts.MaxPerAddress, defaultMaxPerAddress)
	opts.KeepAlive = positive(opts.KeepAlive, defaultKeepAlive)
	opts.headerTimeout = positive(opts.headerTimeout, defaultHeaderTimeout)
	t := &Site{opts: opts, log: log, grace: positive(grace, defaultGrace), stall: positive(stall, defaultStall), leaving: map[*endpoint]struct{}{}}
	t.base, t.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	t.paths.Store(&map[string]*endpoint{})
	return t
}

// Put serves s at a path such as /mcp, in place of what is there.
func (t *Site) Put(path string, s *Server) {
	e := &endpoint{server: s, opts: t.opts, base: t.base, closing: make(chan struct{}), sessions: newSessions()}
	e.questions.fleet = s.opts.Fleet
	e.forget = s.serveAt(e)
	t.change(path, e)
}

// Remove serves nothing at a path any more. Its streams end, its calls in flight go on.
func (t *Site) Remove(path string) { t.change(path, nil) }

// change puts an endpoint at a path; nil: none.
func (t *Site) change(path string, e *endpoint) {
	t.mu.Lock()
	defer t.mu.Unlock()
	paths := map[string]*endpoint{}
	for at, of := range *t.paths.Load() {
		paths[at] = of
	}
	old := paths[path]
	if delete(paths, path); e != nil {
		paths[path] = e
	}
	t.paths.Store(&paths)
	if old == nil || t.draining { // then all of them end
		return
	}
	close(old.closing)
	t.leaving[old] = struct{}{}
	empty := old.calls.close()
	go func() { // ends with the last call, at the latest when base is cancelled
		<-empty
		old.running.Wait()
		old.forget()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.leaving, old)
	}()
}

// at returns the endpoint of a path; nil when there is none.
func (t *Site) at(path string) *endpoint { return (*t.paths.Load())[path] }

// Paths returns the paths at which servers are, sorted.
func (t *Site) Paths() (all []string) {
	for path := range *t.paths.Load() {
		all = append(all, path)
	}
	slices.Sort(all)
	return all
}

// Serve serves until ctx ends, and then returns nil: it takes no more calls and closes streams; calls in flight continue
// for up to the grace and are then cancelled with the cause of ctx. It closes the listener.
func (t *Site) Serve(ctx context.Context, on net.Listener) error {
	defer func() {
		t.cancel(context.Cause(ctx))
		for _, e := range t.all() {
			e.forget()
		}
	}()
	srv := &http.Server{
		Handler:           newGuard(on.Addr(), t),
		BaseContext:       func(net.Listener) context.Context { return t.base },
		ConnContext:       connContext,
		ReadHeaderTimeout: t.opts.headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(t.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(newBounded(on, t.opts, t.log)) }()
	select {
	case err := <-ended:
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	t.drain(srv, func() { t.cancel(context.Cause(ctx)) })
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// all returns the endpoints, those that are leaving among them.
func (t *Site) all() (all []*endpoint) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range *t.paths.Load() {
		all = append(all, e)
	}
	for e := range t.leaving {
		all = append(all, e)
	}
	return all
}
