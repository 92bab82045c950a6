package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
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
