package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

const (
	renewEarly   = 30 * time.Second // before a token expires
	renewTimeout = 30 * time.Second
	metadataMost = 1 << 20 // bytes of an answer of an authorization server
)

// tokenError is a request for which there is no token.
type tokenError struct {
	why   string
	login bool          // only a login of the user helps; otherwise a renewal has failed and may succeed later
	wait  time.Duration // which the authorization server asks to wait before the next renewal

	machine bool // no user is involved
}

func (e *tokenError) Error() string {
	switch {
	case e.login:
		return e.why
	case e.machine:
		return "the login of the client failed: " + e.why
	}
	return "the token cannot be renewed: " + e.why
}

// authorizer gives the requests to one server their token, and renews it. The library
// speaks OAuth; tokens are stored and renewed here, because several processes share a
// token that can be renewed once.
type authorizer struct {
	conf   settings
	server *url.URL
	file   *tokenFile
	plain  *http.Client // to the server, without a token
	away   *http.Client // to its authorization server

	current atomic.Pointer[grant]
	turn    chan struct{} // holds one token: its owner may read the file and renew
	issuer  string        // of a machine's tokens, guarded by turn; empty: not yet known
}

func newAuthorizer(conf settings, dir string, keys *tokenKey) (*authorizer, error) {
	server, err := addressOf(conf)
	if err != nil {
		return nil, err
	}
	file, err := newTokenFile(dir, keys, server)
	if err != nil {
		return nil, err
	}
	return &authorizer{
		issuer: conf.OAuth.Issuer,
		conf:   conf, server: server, file: file, plain: newHTTPClient(server, conf, nil), away: newOAuthClient(server, conf),
		turn: make(chan struct{}, 1),
	}, nil
}

// close drops idle connections.
func (a *authorizer) close() {
	if a != nil {
		a.plain.CloseIdleConnections()
		a.away.CloseIdleConnections()
	}
}

// hide removes the tokens from a text.
func (a *authorizer) hide(text string) string {
	if a != nil {
		if g := a.current.Load(); g != nil {
			return g.secrets.Redact(text)
		}
	}
	return text
}

// use makes a grant the current one.
func (a *authorizer) use(g *grant) {
	g.secrets = config.NewSecrets(g.Token.AccessToken, g.Token.RefreshToken)
	a.current.Store(g)
}

func usable(g *grant, refused string) bool {
	return g != nil && g.Token.AccessToken != refused &&
		(g.Token.ExpiresAt.IsZero() || time.Until(g.Token.ExpiresAt) > renewEarly)
}

// token returns the token to send now, other than one that the server has refused. The
// error is a *tokenError when the user or time can help.
func (a *authorizer) token(ctx context.Context, refused string) (string, error) {
	if g := a.current.Load(); usable(g, refused) {
		return g.Token.AccessToken, nil
	}
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-a.turn }()
	if g := a.current.Load(); usable(g, refused) { // another request has renewed it meanwhile
		return g.Token.AccessToken, nil
	}
	var g *grant
	var err error
	if a.conf.OAuth.Machine {
		g, err = a.machine(ctx)
	} else if g, err = a.read(ctx); err == nil && !usable(g, refused) {
		g, err = a.renew(ctx, refused)
	}
	if err != nil {
		return "", err
	}
	a.use(g)
	return g.Token.AccessToken, nil
}

func (a *authorizer) read(ctx context.Context) (*grant, error) {
	g, err := a.file.read(ctx)
	if err != nil {
		return nil, &tokenError{login: true, why: err.Error()}
	}
	return g, nil
}

// renew trades the refresh token for another token, unless another process has just done so.
func (a *authorizer) renew(ctx context.Context, refused string) (*grant, error) {
	unlock, err := a.file.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	g, err := a.read(ctx)
	if err != nil || usable(g, refused) {
		return g, err
	}
	if g.Token.RefreshToken == "" {
		return nil, &tokenError{login: true, why: "the token has expired or is not accepted, and cannot be renewed"}
	}
	// Once sent, a refresh token is used up, whether or not the caller still waits.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer stop()
	ctx, seen := followed(ctx)
	challenge, err := a.challenge(ctx)
	if err != nil {
		return nil, err
	}
	c, _, err := a.discovered(ctx, seen, g, challenge, "", nil)
	if err != nil {
		return nil, &tokenError{why: err.Error(), wait: seen.wait}
	}
	token, err := c.RefreshToken(ctx, g.Token.RefreshToken)
	if err != nil {
		// After a refusal the user has to log in; another failure may pass.
		if denied := (transport.OAuthError{}); errors.As(err, &denied) && seen.fault == nil {
			return nil, &tokenError{login: true, why: "the token was not renewed: " + oauthCode(denied.ErrorCode)}
		}
		return nil, &tokenError{why: seen.words(err), wait: seen.wait}
	}
	renewed := *g
	renewed.Token = token
	return &renewed, a.file.write(ctx, &renewed)
}

// oauthClient is the library's part, and where it leaves the token.
type oauthClient struct {
	*transport.OAuthHandler
	store *transport.MemoryTokenStore
}

// discovered returns a client with the client id of a grant, and the metadata of the authorization
// server, which challenge names, the refusal of the server. Without a name there, they are looked for
// at the path of the server, then at its root.
func (a *authorizer) discovered(
	ctx context.Context, seen *trail, g *grant, challenge http.Header, redirect string, scopes []string,
) (oauthClient, *transport.AuthServerMetadata, error) {
	c := a.client(a.file.server, g, challenge, redirect, scopes)
	metadata, err := c.discover(ctx, seen)
	root := a.server.Scheme + "://" + a.server.Host
	if err != nil || seen.found || root == a.file.server || strings.Contains(strings.Join(challenge.Values("WWW-Authenticate"), ","), "resource_metadata") {
		return c, metadata, err
	}
	other := a.client(root, g, challenge, redirect, scopes)
	if more, err := other.discover(ctx, seen); err != nil || seen.found {
		return other, more, err
	}
	return c, metadata, nil
}

// client returns a client with the client id of a grant; base is where metadata are, unless challenge
// names them.
func (a *authorizer) client(base string, g *grant, challenge http.Header, redirect string, scopes []string) oauthClient {
	c := oauthClient{store: transport.NewMemoryTokenStore()}
	c.OAuthHandler = transport.NewOAuthHandler(transport.OAuthConfig{
		ClientID: g.ClientID, ClientSecret: g.ClientSecret, TokenEndpointAuthMethod: g.AuthMethod,
		RedirectURI: redirect, Scopes: scopes, PKCEEnabled: true, HTTPClient: a.away, TokenStore: c.store,
	})
	c.SetBaseURL(base)
	c.HandleUnauthorizedResponse(&http.Response{Header: challenge})
	return c
}

// discover returns the metadata of the authorization server.
func (c oauthClient) discover(ctx context.Context, seen *trail) (*transport.AuthServerMetadata, error) {
	metadata, err := c.GetServerMetadata(ctx)
	if err != nil || seen.fault != nil {
		return nil, errors.New(seen.words(err))
	}
	return metadata, nil
}

var errPlainHTTP = errors.New("OAuth needs https here")

// newOAuthClient returns a client for the authorization server of a server, whose addresses
// the server names: by https and at public addresses only, with the one exception of the
// host of the server's own url where its entry allows private addresses; no proxy,
// nothing posted twice, and bounded answers.
func newOAuthClient(server *url.URL, conf settings) *http.Client {
	g := gateTo(server, conf)
	g.NamesLoopback = false // the file names the server, and no other use of its machine
	return &http.Client{
		Transport: outing{Transport: newTransport(g, 10*time.Second), gate: g}, Timeout: renewTimeout,
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if to.Method != http.MethodGet || to.URL.Host != via[0].URL.Host || len(via) > redirectsMost {
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// outing is the round tripper that enforces those rules, and leaves a trail.
type outing struct {
	*http.Transport
	gate gate
}

func (o outing) RoundTrip(req *http.Request) (*http.Response, error) {
	t := trailOf(req)
	t.asks(req)
	if err := o.gate.vetURL(req.URL); err != nil {
		closeBody(req)
		return nil, t.refuse(fmt.Errorf("%s is refused: %w", req.URL.Host, err))
	}
	req, err := asNative(req)
	if err == nil {
		req, err = asMachine(req)
	}
	if err != nil {
		return nil, err
	}
	resp, err := o.Transport.RoundTrip(req)
	if err != nil {
		var private *privateAddressError
		if errors.As(err, &private) {
			err = t.refuse(fmt.Errorf("%s is refused: %w", req.URL.Host, o.gate.advised(req.URL.Hostname(), private)))
		}
		return nil, err
	}
	t.status, t.wait = resp.StatusCode, retryAfter(resp.Header, time.Now())
	resp.Body = &boundedBody{ReadCloser: resp.Body, limit: metadataMost}
	if req.Method == http.MethodGet && resp.StatusCode == http.StatusOK {
		if err := o.vet(resp, t); err != nil {
			return nil, err
		}
	}
	return resp, nil
}

// asNative returns a registration that says that the client is a native application, which the library
// does not: an authorization server may else refuse the loopback address. Any other request is returned as it is.
func asNative(req *http.Request) (*http.Request, error) {
	if req.Method != http.MethodPost || req.Header.Get("Content-Type") != "application/json" {
		return req, nil
	}
	var registration map[string]any
	err := json.NewDecoder(req.Body).Decode(&registration)
	closeBody(req)
	if err != nil {
		return nil, err
	}
	registration["application_type"] = "native"
	body, err := json.Marshal(registration)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return req, nil
}

// authorized sends a request with a token, and once more with a renewed one when the
// server refuses the first.
func (g *guard) authorized(req *http.Request) (*http.Response, error) {
	refused := ""
	for {
		token, err := g.auth.token(req.Context(), refused)
		if err != nil {
			closeBody(req)
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
			return nil, &tokenError{login: !g.auth.conf.OAuth.Machine, machine: true, why: "the token does not allow that; the server requires the scopes " + presentable(scopeOf(challenge), 200)}
		case resp.StatusCode != http.StatusUnauthorized:
			return resp, nil
		}
		discard(resp)
		if refused != "" || req.Body != nil && req.GetBody == nil {
			if g.auth.conf.OAuth.Machine {
				return nil, &tokenError{machine: true, why: "the server does not accept the token"}
			}
			return nil, &tokenError{login: true, why: "the server does not accept the token"}
		}
		refused = token
	}
}

func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, errorBodyMost)) // so that the connection can be used again
	_ = resp.Body.Close()
}

var scopeParam = wording.Pattern(`(?i)\bscope="([^"]*)"`)

// scopeOf returns the scope that a challenge names, or "".
func scopeOf(challenge string) string {
	if m := scopeParam().FindStringSubmatch(challenge); m != nil {
		return m[1]
	}
	return ""
}
