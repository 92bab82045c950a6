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

// HTTPOptions of ServeHTTP. The zero value is for loopback and this machine's users.
type HTTPOptions struct {
	Token     string        // what clients must send as "Authorization: Bearer …"; "" for nothing
	Hosts     []string      // names that may stand in Host and Origin beside those of loopback
	MaxConns  int           // connections at once; more wait to be accepted; default 4096
	Metrics   http.Handler  // answers /metrics, guarded as the endpoint is; nil: nothing does
	KeepAlive time.Duration // how often a stream without news shows that it lives; default 15 s

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

// ServeHTTP serves clients over streamable HTTP at Endpoint until ctx ends, which is a
// regular end and gives nil: no more connections are accepted, streams are closed, and
// calls in flight go on for up to Options.Grace, and are cancelled then with the cause of ctx. Each request stands for itself, so any
// number of processes can serve the same clients without sharing anything. It closes
// the listener.
func (s *Server) ServeHTTP(ctx context.Context, on net.Listener, opts HTTPOptions) error {
	base, cancelCause := context.WithCancelCause(context.WithoutCancel(ctx))
	cancel := func() { cancelCause(context.Cause(ctx)) }
	defer cancel()
	opts.MaxConns = positive(opts.MaxConns, defaultMaxConns)
	opts.KeepAlive = positive(opts.KeepAlive, defaultKeepAlive)
	opts.headerTimeout = positive(opts.headerTimeout, defaultHeaderTimeout)
	d := &door{server: s, opts: opts, base: base, closing: make(chan struct{}), sessions: newSessions()}
	srv := &http.Server{
		Handler:           newGuard(on.Addr(), opts, s.opts.Stall, d),
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
	close(d.closing)
	s.drainHTTP(srv, cancel)
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// drainHTTP waits for the calls in flight: as long as the grace allows, and then a
// little for them to notice that they are cancelled.
func (s *Server) drainHTTP(srv *http.Server, cancel context.CancelFunc) {
	grace, stop := context.WithTimeout(context.Background(), s.opts.Grace)
	defer stop()
	if srv.Shutdown(grace) == nil {
		return
	}
	s.opts.Logger.Warn("calls are cancelled: the server is to end and they have not")
	cancel()
	end, stopEnd := context.WithTimeout(context.Background(), windDown)
	defer stopEnd()
	if srv.Shutdown(end) != nil {
		s.opts.Logger.Warn("calls have not ended although they were cancelled")
		_ = srv.Close() // what is left cannot be told to anybody
	}
}

// LimitConns accepts a connection only while fewer than most are open. Closing a connection
// twice is counted once.
func LimitConns(on net.Listener, most int) net.Listener { return netutil.LimitListener(on, most) }

// guard lets requests through that may come in: with a Host and an Origin that are
// ours, so that no web page can reach us by way of its visitor's browser, and with the
// token when there is one.
type guard struct {
	next  http.Handler
	local bool            // we listen on loopback, where only its names are right
	hosts map[string]bool // names that are right as well, in lower case
	token []byte          // its hash; nil when there is none
	stall time.Duration   // how long a client may leave an answer unread

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
		health(w, r) // says nothing that is worth guarding
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

// mayName reports whether a host, with or without its port, is one of ours.
func (g *guard) mayName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return g.local && isLoopback(host) || g.hosts[strings.ToLower(name)]
}

// mayOrigin reports whether a page of this origin may call us. Programs send none.
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

// knows compares the token without telling by its time how much of it was right.
func (g *guard) knows(credentials []string) bool {
	if len(credentials) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], g.token) == 1
}

// isLoopback reports whether a host, with or without its port, is this machine alone.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

func health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notAllowed(w, "GET, HEAD")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n")) // whoever asked may have gone
}

func notAllowed(w http.ResponseWriter, methods string) {
	w.Header().Set("Allow", methods)
	http.Error(w, "method not allowed, expected "+methods, http.StatusMethodNotAllowed)
}
