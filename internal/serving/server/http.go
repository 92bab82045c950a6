package server

import (
	"context"
	"io"
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

	// State writes more about what is served, a line each, for /readyz?verbose, which needs no token; nil: there is no more.
	State func(w io.Writer)

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

// ServeHTTP serves clients over streamable HTTP at Endpoint until ctx ends, as a Site does, and closes the listener.
func (s *Server) ServeHTTP(ctx context.Context, on net.Listener, opts HTTPOptions) error {
	site := NewSite(ctx, opts, s.opts.Logger, s.opts.Grace, s.opts.Stall)
	site.Put(Endpoint, s)
	return site.Serve(ctx, on)
}

// LimitConns accepts a connection only while fewer than most are open. Closing a connection
// twice is counted once.
func LimitConns(on net.Listener, most int) net.Listener { return netutil.LimitListener(on, most) }
