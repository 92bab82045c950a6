package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"toolgraph/config"
)

const metadataMost = 1 << 20 // bytes of an answer of an authorization server

var errPlainHTTP = errors.New("an authorization server must be reached by https")

// newOAuthClient is a client for authorization servers, whose addresses the server
// tells: by https and at public addresses only unless private ones are allowed, no
// proxy, nothing posted twice, and bounded answers.
func newOAuthClient(set settings) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !set.allowPrivate {
		dialer.Control = publicOnly
	}
	wire := &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 10 * time.Second, MaxResponseHeaderBytes: headerBytesMost,
	}
	return &http.Client{
		Transport: outing{wire: wire, plainAllowed: set.allowPrivate}, Timeout: renewTimeout,
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if to.Method != http.MethodGet || to.URL.Host != via[0].URL.Host || len(via) > redirectsMost {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// outing is the round tripper that holds those rules.
type outing struct {
	wire         *http.Transport
	plainAllowed bool
}

func (o outing) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != "https" && !o.plainAllowed {
		if req.Body != nil {
			_ = req.Body.Close() // unread; the request goes nowhere
		}
		return nil, errPlainHTTP
	}
	resp, err := o.wire.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{in: resp.Body, limit: metadataMost}
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

var scopeParam = regexp.MustCompile(`(?i)\bscope="([^"]*)"`)

// scopeOf is the scope that a challenge names.
func scopeOf(challenge string) string {
	if m := scopeParam.FindStringSubmatch(challenge); m != nil {
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
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() // a stream of events has no end to read to
	if resp.StatusCode == http.StatusUnauthorized {
		return resp.Header, nil
	}
	if resp.StatusCode >= 500 {
		return nil, fmt.Errorf("the server answered with status %d", resp.StatusCode)
	}
	return nil, nil
}
