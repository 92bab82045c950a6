package server

import (
	"context"
	"net/http"
	"sync"
)

// gate counts the calls that an endpoint has, and lets no more in once it drains. Safe for concurrent
// use.
type gate struct {
	mu     sync.Mutex // guards what follows
	calls  int
	closed bool
	empty  chan struct{} // closed when the gate is, and no call is left; made when the gate closes
}

// enter lets a call in, unless the gate is closed; the call leaves when it has its answer.
func (g *gate) enter() (leave func(), open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, false
	}
	g.calls++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.calls--; g.closed && g.calls == 0 {
			close(g.empty)
		}
	}, true
}

// close lets no more calls in. The channel is closed when none is left.
func (g *gate) close() (empty <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.empty = true, make(chan struct{})
	if g.calls == 0 {
		close(g.empty)
	}
	return g.empty
}

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// errDraining refuses a call of a process that is about to end.
var errDraining = &rpcError{code: codeInternal, message: "this process is stopping and takes no more calls; call again, and another process answers"}

// drain takes no more calls, waits for those in flight for the grace, cancels them, and then waits windDown for them to
// end. Meanwhile it serves what else belongs to these calls, such as cancellations, and the checks of a balancer.
func (t *Site) drain(srv *http.Server, cancel context.CancelFunc) {
	t.mu.Lock()
	t.draining = true
	t.mu.Unlock()
	srv.SetKeepAlivesEnabled(false) // the next request of a client comes on a new connection, to another process
	all := t.all()
	var empty []<-chan struct{}
	for _, e := range all {
		if !e.calls.isClosed() { // it is leaving otherwise
			close(e.closing)
			empty = append(empty, e.calls.close())
		}
	}
	grace, stop := context.WithTimeout(context.Background(), t.grace)
	defer stop()
	for _, one := range empty {
		select {
		case <-one:
		case <-grace.Done():
		}
	}
	if idle(grace, srv, all) {
		return
	}
	t.log.Warn("the grace period is over; cancelling the calls in flight")
	cancel()
	end, stopEnd := context.WithTimeout(context.Background(), windDown)
	defer stopEnd()
	if !idle(end, srv, all) {
		t.log.Warn("cancelled calls have not ended")
		_ = srv.Close() // its error has no consequence any more
	}
}

// idle waits until no call is in flight and no run without a call is left, and reports whether
// that was so before ctx ended.
func idle(ctx context.Context, srv *http.Server, all []*endpoint) bool {
	if srv.Shutdown(ctx) != nil {
		return false
	}
	ended := make(chan struct{})
	go func() {
		for _, e := range all {
			e.running.Wait()
		}
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// unreadyKey is the key of the query of /readyz for the status that says that the process takes no calls. Balancers that close the
// connections of a process which is down need another than 503, as HAProxy's disable-on-404 does: this one still answers its calls.
const unreadyKey = "unready"

// ready answers whether this process takes calls; a balancer asks.
func (t *Site) ready(w http.ResponseWriter, r *http.Request) {
	unready := http.StatusServiceUnavailable
	if r.URL.Query().Get(unreadyKey) == "404" {
		unready = http.StatusNotFound
	}
	t.mu.Lock()
	draining := t.draining
	t.mu.Unlock()
	if draining {
		http.Error(w, "draining", unready)
		return
	}
	if ready := t.opts.Ready; ready != nil {
		if ready(r.Context()) != nil {
			http.Error(w, "the run history cannot be written", unready)
			return
		}
	}
	health(w, r)
	if t.opts.State != nil && r.URL.Query().Has("verbose") {
		t.opts.State(w)
	}
}

// lastingContext returns the context of a call with a key, whose client may come back for the answer:
// it lasts longer than the connection, and ends when the client cancels the call, or the process ends.
func (e *endpoint) lastingContext(ctx context.Context) (lasting context.Context, release func()) {
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ofProcess := context.AfterFunc(e.base, func() { cancel(context.Cause(e.base)) })
	ofClient := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); cause == errCancelledByClient { //nolint:errorlint // it is not wrapped
			cancel(cause)
		}
	})
	return lasting, func() {
		ofProcess()
		ofClient()
		cancel(context.Canceled)
	}
}
