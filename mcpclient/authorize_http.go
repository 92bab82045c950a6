package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
)

const metadataMost = 1 << 20 // bytes of an answer of an authorization server

var errPlainHTTP = errors.New("OAuth needs https here")

// newOAuthClient is a client for the authorization server of a server, whose addresses
// the server names: by https and at public addresses only, with the one exception of the
// host of the server's own url where its entry allows private addresses; no proxy,
// nothing posted twice, and bounded answers.
func newOAuthClient(server *url.URL, set settings) *http.Client {
	g := gateTo(server, set)
	g.loopback = false // what the file names is the server, and no other use of its machine
	wire := &http.Transport{
		DialContext: g.dial, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 10 * time.Second, MaxResponseHeaderBytes: headerBytesMost,
	}
	return &http.Client{
		Transport: outing{wire: wire, gate: g}, Timeout: renewTimeout,
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if to.Method != http.MethodGet || to.URL.Host != via[0].URL.Host || len(via) > redirectsMost {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// outing is the round tripper that holds those rules, and leaves a trail.
type outing struct {
	wire *http.Transport
	gate gate
}

func (o outing) RoundTrip(req *http.Request) (*http.Response, error) {
	t := trailOf(req)
	t.asks(req)
	if err := o.gate.vetURL(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // unread; the request goes nowhere
		}
		return nil, t.refuse(fmt.Errorf("%s is refused: %w", req.URL.Host, err))
	}
	resp, err := o.wire.RoundTrip(req)
	if err != nil {
		var private *privateAddressError
		if errors.As(err, &private) {
			err = t.refuse(fmt.Errorf("%s is refused: %w", req.URL.Host, o.gate.advised(req.URL.Hostname(), private)))
		}
		return nil, err
	}
	t.status, t.wait = resp.StatusCode, retryAfter(resp.Header, time.Now())
	resp.Body = &boundedBody{in: resp.Body, limit: metadataMost}
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusOK {
		if err := o.vet(resp, t); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// CloseIdleConnections is what http.Client.CloseIdleConnections looks for.
func (o outing) CloseIdleConnections() { o.wire.CloseIdleConnections() }

// authorized sends a request with a token, and once more with a renewed one when the
// server refuses the first.
func (g *guard) authorized(req *http.Request) (*http.Response, error) {
	refused := ""
	for {
		token, err := g.auth.token(req.Context(), refused)
		if err != nil {
			if req.Body != nil {
				_ = req.Body.Close() // unread; the request goes nowhere
			}
			return nil, err
		}
		signed := req.Clone(req.Context())
		signed.Header.Set("Authorization", "Bearer "+token)
		if refused != "" && req.GetBody != nil {
			if signed.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
		resp, err := g.fetch(signed)
		if err != nil {
			return nil, err
		}
		challenge := resp.Header.Get("WWW-Authenticate")
		switch {
		case resp.StatusCode == http.StatusForbidden && strings.Contains(challenge, "insufficient_scope"):
			discard(resp)
			return nil, &loginError{why: "the token does not allow that; the server wants the scopes " + presentable(scopeOf(challenge), 200)}
		case resp.StatusCode != http.StatusUnauthorized:
			return resp, nil
		}
		discard(resp)
		if refused != "" || req.Body != nil && req.GetBody == nil {
			return nil, &loginError{why: "the server does not accept the token"}
		}
		refused = token
	}
}

func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, errorBodyMost)) // so that the connection is kept
	_ = resp.Body.Close()
}

var scopeParam = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bscope="([^"]*)"`) })

// scopeOf is the scope that a challenge names.
func scopeOf(challenge string) string {
	if m := scopeParam().FindStringSubmatch(challenge); m != nil {
		return m[1]
	}
	return ""
}

// challenge asks the server for anything without a token, so that it tells whom to
// ask for one. It is the header of the refusal, nil when there was none.
func (a *authorizer) challenge(ctx context.Context) (http.Header, error) {
	method, body := http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if a.conf.Transport == config.SSE {
		method, body = http.MethodGet, ""
	}
	ctx, stop := context.WithTimeout(ctx, renewTimeout)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, method, a.server.String(), strings.NewReader(body))
	if err != nil {
		return nil, errors.New("its url cannot be used")
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	for _, h := range a.conf.Headers {
		if !strings.EqualFold(h.Name.Value, "Authorization") {
			req.Header.Set(h.Name.Value, h.Value.Value)
		}
	}
	resp, err := a.plain.Do(req)
	var status *statusError
	if errors.As(err, &status) && status.status < 500 {
		return nil, nil // it takes the request for another kind of mistake, and names nobody
	} else if status != nil {
		return nil, fmt.Errorf("%s answered with %w", a.server.Host, status)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // a stream of events has no end to read to
	if resp.StatusCode == http.StatusUnauthorized {
		return resp.Header, nil
	}
	return nil, nil
}
