package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/netutil"
)

// The paths that are served.
const (
	Endpoint    = "/mcp"
	healthPath  = "/healthz"
	metricsPath = "/metrics"
)

// HTTPOptions of ServeHTTP. The zero value is right for a listener on loopback.
type HTTPOptions struct {
	Token     string        // clients must send "Authorization: Bearer TOKEN"; "" for no check
	Hosts     []string      // allowed names in Host and Origin, beside those of loopback
	MaxConns  int           // limit of connections; more wait to be accepted; default 4096
	Metrics   http.Handler  // serves /metrics, behind the same checks as Endpoint; nil: 404
	KeepAlive time.Duration // interval of comments on an idle stream; default 15 s

	headerTimeout time.Duration // for the headers of a request; tests shorten it
}

const (
	defaultMaxConns  = 4096
	defaultKeepAlive = 15 * time.Second

	defaultHeaderTimeout = 10 * time.Second
	bodyTimeout          = 60 * time.Second // for the body of a request
	idleTimeout          = 2 * time.Minute  // between two requests on one connection
	maxHeader            = 32 << 10
)

// ServeHTTP serves clients over streamable HTTP at Endpoint until ctx ends, and then returns
// nil: it accepts no more connections and closes streams; calls in flight continue for up
// to Options.Grace and are then cancelled with the cause of ctx. Requests are independent, so
// any number of processes can serve the same clients without shared state. It closes the
// listener.
func (s *Server) ServeHTTP(ctx context.Context, on net.Listener, opts HTTPOptions) error {
	base, cancelCause := context.WithCancelCause(context.WithoutCancel(ctx))
	cancel := func() { cancelCause(context.Cause(ctx)) }
	defer cancel()
	opts.MaxConns = positive(opts.MaxConns, defaultMaxConns)
	opts.KeepAlive = positive(opts.KeepAlive, defaultKeepAlive)
	opts.headerTimeout = positive(opts.headerTimeout, defaultHeaderTimeout)
	e := &endpoint{server: s, opts: opts, base: base, closing: make(chan struct{}), sessions: newSessions()}
	srv := &http.Server{
		Handler:           newGuard(on.Addr(), opts, s.opts.Stall, e),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: opts.headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(LimitConns(on, opts.MaxConns)) }()
	select {
	case err := <-ended:
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	close(e.closing)
	e.drain(srv, cancel)
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// drain waits for the calls in flight for Options.Grace, cancels them, and then waits windDown
// for them to end.
func (e *endpoint) drain(srv *http.Server, cancel context.CancelFunc) {
	grace, stop := context.WithTimeout(context.Background(), e.server.opts.Grace)
	defer stop()
	if e.idle(grace, srv) {
		return
	}
	e.server.opts.Logger.Warn("the grace period is over; cancelling the calls in flight")
	cancel()
	end, stopEnd := context.WithTimeout(context.Background(), windDown)
	defer stopEnd()
	if !e.idle(end, srv) {
		e.server.opts.Logger.Warn("cancelled calls have not ended")
		_ = srv.Close() // its error has no consequence any more
	}
}

// idle waits until no call is in flight and no run without a call is left, and reports whether
// that was so before ctx ended.
func (e *endpoint) idle(ctx context.Context, srv *http.Server) bool {
	if srv.Shutdown(ctx) != nil {
		return false
	}
	ended := make(chan struct{})
	go func() {
		e.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}

// LimitConns accepts a connection only while fewer than most are open. Closing a connection
// twice is counted once.
func LimitConns(on net.Listener, most int) net.Listener { return netutil.LimitListener(on, most) }

// guard checks requests: Host and Origin must name this server, so that no web page can reach
// it through the browser of a visitor, and the token must be right if there is one.
type guard struct {
	next  http.Handler
	local bool            // the listener is on loopback, so Host must be checked
	hosts map[string]bool // more allowed names, in lower case
	token []byte          // SHA-256 of the token; nil for no check
	stall time.Duration   // limit of the time that a client may leave an answer unread

	metrics http.Handler // nil: none
}

func newGuard(on net.Addr, opts HTTPOptions, stall time.Duration, next http.Handler) *guard {
	g := &guard{next: next, local: isLoopback(on.String()), hosts: map[string]bool{}, stall: stall, metrics: opts.Metrics}
	for _, name := range opts.Hosts {
		g.hosts[strings.ToLower(name)] = true
	}
	if opts.Token != "" {
		sum := sha256.Sum256([]byte(opts.Token))
		g.token = sum[:]
	}
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(g.stall))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == healthPath:
		health(w, r) // reveals nothing
	case g.local && !g.mayName(r.Host):
		http.Error(w, "the Host header names another host; expected localhost, or a name given by --http-allow-host", http.StatusForbidden)
	case !g.mayOrigin(r.Header["Origin"]):
		http.Error(w, "the Origin header names a page that may not call this server; allow its host by --http-allow-host", http.StatusForbidden)
	case g.token != nil && !g.knows(r.Header["Authorization"]):
		w.Header().Set("WWW-Authenticate", `Bearer realm="toolgraph"`)
		http.Error(w, "expected the header Authorization: Bearer TOKEN with this server's token", http.StatusUnauthorized)
	case r.URL.Path == metricsPath && g.metrics != nil:
		g.metrics.ServeHTTP(w, r)
	case r.URL.Path != Endpoint:
		http.Error(w, "not found; the MCP endpoint is "+Endpoint, http.StatusNotFound)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// mayName reports whether a host, with or without a port, is allowed.
func (g *guard) mayName(host string) bool {
	return g.local && isLoopback(host) || g.hosts[strings.ToLower(withoutPort(host))]
}

// mayOrigin reports whether a page of this origin is allowed. Programs send no origin.
func (g *guard) mayOrigin(origins []string) bool {
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	if err != nil || u.Scheme+"://"+u.Host != origins[0] || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return g.mayName(u.Host)
}

// knows compares the token in constant time.
func (g *guard) knows(credentials []string) bool {
	if len(credentials) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token) == 1
}

// isLoopback reports whether a host, with or without a port, is the loopback interface.
func isLoopback(host string) bool {
	name := withoutPort(host)
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notAllowed(w, "GET, HEAD")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // the client may have gone
}

func notAllowed(w http.ResponseWriter, methods string) {
	w.Header().Set("Allow", methods)
	http.Error(w, "method not allowed; use "+methods, http.StatusMethodNotAllowed)
}
