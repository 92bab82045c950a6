package mcpclient

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"
)

const (
	redirectsMost   = 5
	headerBytesMost = 256 << 10
)

var (
	errBodyTooLarge = errors.New("the answer is too large")
	errElsewhere    = errors.New("the request would leave the server's origin")
	errRedirects    = errors.New("too many redirects")
)

// newHTTPClient is a client for one origin. It takes no proxy from the environment,
// dials only what its gate lets through, sends nothing, headers least of all, to
// another origin, and bounds what it reads. Requests are bounded in time by their
// contexts. Certificates are always checked.
// auth gives each request its token, unless it is nil.
func newHTTPClient(origin *url.URL, set settings, auth *authorizer) (*http.Client, *http.Transport) {
	wire := &http.Transport{
		DialContext:            gateTo(origin, set).dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    32,
		MaxResponseHeaderBytes: headerBytesMost,
	}
	return &http.Client{
		Transport: &guard{wire: wire, origin: origin, limit: set.maxMessage, auth: auth},
		CheckRedirect: func(_ *http.Request, via []*http.Request) error {
			if len(via) > redirectsMost {
				return errRedirects
			}
			return nil
		},
	}, wire
}

// guard is the round tripper that holds those rules.
type guard struct {
	wire   *http.Transport
	origin *url.URL
	limit  int
	auth   *authorizer // nil: requests go as they are
}

// CloseIdleConnections is what http.Client.CloseIdleConnections looks for.
func (g *guard) CloseIdleConnections() { g.wire.CloseIdleConnections() }

func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != g.origin.Scheme || req.URL.Host != g.origin.Host {
		if req.Body != nil {
			_ = req.Body.Close() // unread; the request goes nowhere
		}
		return nil, fmt.Errorf("%w: to %s", errElsewhere, req.URL.Host)
	}
	send := g.fetch
	if g.auth != nil {
		send = g.authorized
	}
	resp, err := send(req)
	if err != nil {
		return nil, err
	}
	return judge(req, resp)
}

func (g *guard) fetch(req *http.Request) (*http.Response, error) {
	resp, err := g.wire.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	limit := g.limit
	if resp.StatusCode >= 300 {
		limit = min(limit, errorBodyMost)
	}
	x := exchangeOf(req)
	resp.Body = &boundedBody{in: resp.Body, limit: limit, events: kind == "text/event-stream", x: x}
	if x != nil && x.direct && resp.StatusCode < 300 {
		resp.Body = x.checked(kind, resp.Body)
	}
	return resp, nil
}

// boundedBody fails when a body, or one event of a stream of events, exceeds the
// limit. It sees the body decompressed.
type boundedBody struct {
	in      io.ReadCloser
	limit   int
	events  bool
	seen    int  // bytes of the body, or of the event so far
	newline bool // the last byte but returns was one
	failed  error
	x       *exchange // may be nil
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.in.Read(p)
	if !b.events {
		b.seen += n
	} else {
		b.count(p[:n])
	}
	if b.seen > b.limit {
		b.failed = b.x.fail(fmt.Errorf("%w: more than %d bytes", errBodyTooLarge, b.limit))
		return 0, b.failed
	}
	return n, err
}

// count starts anew at each blank line.
func (b *boundedBody) count(p []byte) {
	for _, c := range p {
		b.seen++
		switch c {
		case '\n':
			if b.newline {
				b.seen = 0
			}
			b.newline = true
		case '\r':
		default:
			b.newline = false
		}
		if b.seen > b.limit {
			return
		}
	}
}

func (b *boundedBody) Close() error { return b.in.Close() }
