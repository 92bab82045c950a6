package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/net/netutil"
)

// The paths that are served.
const (
	Endpoint    = "/mcp"
	healthPath  = "/healthz" // the process lives
	readyPath   = "/readyz"  // and takes calls
	metricsPath = "/metrics"
)

// HTTPOptions of ServeHTTP. The zero value is right for a listener on loopback.
type HTTPOptions struct {
	Token     string        // clients must send "Authorization: Bearer TOKEN"; "": there is none
	OAuth     *OAuth        // or they send an access token; nil: none is accepted
	Hosts     []string      // allowed names in Host and Origin, beside those of loopback
	MaxConns  int           // limit of connections; default 4096
	Metrics   http.Handler  // serves /metrics, behind the same checks as Endpoint; nil: 404
	KeepAlive time.Duration // interval of comments on an idle stream; default 15 s

	// Ready returns why the process should get no calls now, although it does not stop; a balancer
	// asks often. nil: it always should.
	Ready func(ctx context.Context) error

	MaxPerAddress int            // limit of connections of a client's address; default 256
	Shared        []netip.Prefix // addresses without that limit, because many clients share them

	headerTimeout time.Duration // for the headers of a request; tests shorten it
}

const (
	defaultMaxConns      = 4096
	defaultMaxPerAddress = 256
	defaultKeepAlive     = 15 * time.Second

	defaultHeaderTimeout = 10 * time.Second
	bodyTimeout          = 60 * time.Second // for the body of a request
	idleTimeout          = 2 * time.Minute  // between two requests on one connection
	maxHeader            = 32 << 10
)

// ServeHTTP serves clients over streamable HTTP at Endpoint until ctx ends, and then returns
// nil: it takes no more calls and closes streams; calls in flight continue for up to
// Options.Grace and are then cancelled with the cause of ctx. Any number of processes can serve
// the same clients, see Options.Fleet. It closes the listener.
func (s *Server) ServeHTTP(ctx context.Context, on net.Listener, opts HTTPOptions) error {
	base, cancelCause := context.WithCancelCause(context.WithoutCancel(ctx))
	cancel := func() { cancelCause(context.Cause(ctx)) }
	defer cancel()
	opts.MaxConns = positive(opts.MaxConns, defaultMaxConns)
	opts.MaxPerAddress = positive(opts.MaxPerAddress, defaultMaxPerAddress)
	opts.KeepAlive = positive(opts.KeepAlive, defaultKeepAlive)
	opts.headerTimeout = positive(opts.headerTimeout, defaultHeaderTimeout)
	e := &endpoint{server: s, opts: opts, base: base, closing: make(chan struct{}), sessions: newSessions()}
	e.questions.fleet = s.opts.Fleet
	defer s.serveAt(e)()
	srv := &http.Server{
		Handler:           newGuard(on.Addr(), opts, s.opts, e),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       connContext,
		ReadHeaderTimeout: opts.headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(newBounded(on, opts, s.opts.Logger)) }()
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

// LimitConns accepts a connection only while fewer than most are open. Closing a connection
// twice is counted once.
func LimitConns(on net.Listener, most int) net.Listener { return netutil.LimitListener(on, most) }
