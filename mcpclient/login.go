package mcpclient

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// Login gets a token for a server whose entry has oauth, and stores it for later calls
// of any process of this user. show gets the address at which the user agrees; the
// answer comes back to a loopback address on which Login listens until ctx ends. The
// error is an *Error. place says, in words, where the token is.
func (p *Pool) Login(ctx context.Context, server string, show func(address string)) (place string, err error) {
	err = p.use(server, "", func(u *upstream) *Error {
		switch {
		case u.authFault != nil:
			return &Error{Code: CodeLoginNeeded, Message: u.authFault.Error()}
		case u.auth == nil:
			e := &Error{Code: CodeLoginNeeded, Message: "has no oauth in its entry, so there is no login"}
			if !u.conf.isLocal() {
				e.Hint = "add oauth: {} to it"
			}
			return e
		case u.conf.OAuth.Machine:
			return &Error{Code: CodeLoginNeeded, Message: "has grant: client_credentials, so it needs no login of a person"}
		}
		var err error
		place, err = u.auth.login(ctx, u.opts.name, show)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return &Error{Code: CodeCancelled, Message: "the user did not complete the login in time", Err: context.Cause(ctx)}
		}
		return &Error{Code: CodeLoginNeeded, Message: "the login failed: " + loginFault(err)}
	})
	return place, err
}

// Logout deletes the token of a server, and reports whether there was one. The authorization server is not asked to revoke it. The
// error is an *Error.
func (p *Pool) Logout(ctx context.Context, server string) (was bool, err error) {
	err = p.use(server, "", func(u *upstream) *Error {
		switch {
		case u.authFault != nil:
			return &Error{Code: CodeLoginNeeded, Message: u.authFault.Error()}
		case u.auth == nil:
			return &Error{Code: CodeLoginNeeded, Message: "has no oauth in its entry, so there is no token of a login"}
		}
		var err error
		if was, err = u.auth.file.remove(ctx); err != nil {
			return &Error{Code: CodeLoginNeeded, Message: "the token cannot be deleted: " + err.Error()}
		}
		return nil
	})
	return was, err
}

// loginFault describes what went wrong, without addresses that may hold a secret.
func loginFault(err error) string {
	var address *url.Error
	if errors.As(err, &address) {
		at := "a server"
		if to, perr := url.Parse(address.URL); perr == nil {
			at = to.Host
		}
		err = fmt.Errorf("%s cannot be reached: %w", at, address.Err)
	}
	return presentable(err.Error(), 500)
}

func (a *authorizer) login(ctx context.Context, clientName string, show func(string)) (place string, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.conf.OAuth.RedirectPort)))
	if err != nil {
		return "", fmt.Errorf("cannot listen for the browser: %w", err)
	}
	state := rand.Text() + rand.Text()
	back := newCallback(listener, state)
	defer back.close()
	ctx, seen := followed(ctx)
	client, issuer, err := a.registered(ctx, seen, clientName, back.address())
	if err != nil {
		return "", err
	}
	verifier, err := transport.GenerateCodeVerifier()
	if err != nil {
		return "", err
	}
	address, err := client.GetAuthorizationURL(ctx, state, transport.GenerateCodeChallenge(verifier))
	if err != nil {
		return "", errors.New(seen.words(err))
	}
	show(address)
	code, err := back.wait(ctx, issuer, seen.named)
	if err != nil {
		return "", err
	}
	if err := client.ProcessAuthorizationResponse(ctx, code, state, verifier); err != nil {
		return "", fmt.Errorf("no token for the answer of the browser: %s", seen.words(err))
	}
	return a.store(ctx, client)
}

// registered returns a client with a client id, that of the file or a new one, and its
// issuer.
func (a *authorizer) registered(ctx context.Context, seen *trail, name, redirect string) (c oauthClient, issuer string, err error) {
	challenge, err := a.challenge(ctx)
	if err != nil {
		return c, "", err
	}
	scopes := a.conf.OAuth.Scopes
	if len(scopes) == 0 {
		scopes = strings.Fields(scopeOf(strings.Join(challenge.Values("WWW-Authenticate"), ", ")))
	}
	by := &grant{ClientID: a.conf.OAuth.ClientID, ClientSecret: a.conf.OAuth.ClientSecret, AuthMethod: a.conf.OAuth.SecretIn}
	c, metadata, err := a.discovered(ctx, seen, by, challenge, redirect, scopes)
	if err == nil && len(scopes) == 0 && len(seen.scopes) > 0 { // nothing says which of them are enough
		c, metadata, err = a.discovered(ctx, seen, by, challenge, redirect, seen.scopes)
	}
	if err != nil {
		return c, "", err
	}
	if expected := a.conf.OAuth.Issuer; expected != "" && metadata.Issuer != expected {
		return c, "", fmt.Errorf("%s names the authorization server %s, and issuer of oauth is another one", a.server.Host, presentable(metadata.Issuer, 200))
	}
	if err := provesCodes(metadata, seen); err != nil {
		return c, "", err
	}
	if a.conf.OAuth.ClientID == "" {
		if err := c.RegisterClient(ctx, name); err != nil {
			return c, "", fmt.Errorf("dynamic client registration failed (%s); register manually and set clientId", seen.words(err))
		}
	}
	return c, metadata.Issuer, nil
}

// provesCodes returns the reason not to log in at an authorization server that does not
// declare support of PKCE with S256. Without it, an intercepted code is as good as a
// token, and the MCP specification forbids to continue; the metadata of OpenID Connect do
// not have the field, and the rule is the same for them.
func provesCodes(metadata *transport.AuthServerMetadata, seen *trail) error {
	methods := metadata.CodeChallengeMethodsSupported
	if slices.Contains(methods, "S256") {
		return nil
	}
	host := seen.host
	if issuer, err := url.Parse(metadata.Issuer); err == nil && issuer.Host != "" {
		host = issuer.Host
	}
	why := "code_challenge_methods_supported in its metadata does not list S256"
	switch {
	case !seen.found:
		why = "it publishes no metadata that can be read"
	case len(methods) == 0:
		why = "its metadata have no code_challenge_methods_supported, expected a list with S256"
	}
	return fmt.Errorf("the authorization server %s does not declare support of PKCE with S256, without which MCP allows no login: %s; ask its operator to add it, or give a token in headers", presentable(host, 200), why)
}

// store writes the token of the exchange to the file, and says where it is.
func (a *authorizer) store(ctx context.Context, c oauthClient) (place string, err error) {
	token, err := c.store.GetToken(ctx)
	if err != nil {
		return "", err
	}
	if token.AccessToken == "" {
		return "", errors.New("the authorization server gave an empty token")
	}
	unlock, err := a.file.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	g := &grant{ClientID: c.GetClientID(), ClientSecret: c.GetClientSecret(), AuthMethod: c.GetTokenEndpointAuthMethod(), Token: token}
	plain, err := a.file.writeFresh(ctx, g)
	if err != nil {
		return "", fmt.Errorf("the token cannot be stored: %w", err)
	}
	a.use(g)
	switch {
	case plain == nil:
		return a.file.path() + ", encrypted with a key in the secret store of the system", nil
	case errors.Is(plain, errNoStore):
		return a.file.path() + ", which only your user can read", nil
	}
	return fmt.Sprintf("%s, which only your user can read; it is not encrypted: %s", a.file.path(), presentable(plain.Error(), 200)), nil
}

const callbackPath = "/callback"

// callback is the loopback address to which a browser brings the answer of an
// authorization server. A request without the right state, such as one that the page of
// another site sends, is refused and ends nothing.
type callback struct {
	host   string // the only one that is served
	state  string
	server *http.Server
	came   chan url.Values
}

func newCallback(listener net.Listener, state string) *callback {
	c := &callback{host: listener.Addr().String(), state: state, came: make(chan url.Values, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = c.server.Serve(listener) }() // ends with close
	return c
}

func (c *callback) address() string { return "http://" + c.host + callbackPath }

func (c *callback) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second) // for the page that was just sent
	defer stop()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

func (c *callback) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.Header().Set("Referrer-Policy", "no-referrer")
	out.Header().Set("Cache-Control", "no-store")
	out.Header().Set("Connection", "close")
	answer := r.URL.Query()
	switch {
	case r.Host != c.host:
		http.Error(out, "this address is not served", http.StatusForbidden)
	case r.Method != http.MethodGet || r.URL.Path != callbackPath:
		http.NotFound(out, r)
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(c.state)) != 1:
		http.Error(out, "this is not the answer to the login that was begun; go back to the terminal", http.StatusBadRequest)
	default:
		select {
		case c.came <- answer:
		default: // a second answer
		}
		fmt.Fprintln(out, "You can close this page and go back to the terminal.")
	}
}

// wait returns the code that the browser brings. issuer must be the sender, where the
// answer names one; named means that it has to.
func (c *callback) wait(ctx context.Context, issuer string, named bool) (code string, err error) {
	var answer url.Values
	select {
	case answer = <-c.came:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	switch from := answer.Get("iss"); {
	case from != "" && issuer != "" && from != issuer:
		return "", errors.New("the answer came from another authorization server than the login")
	case from == "" && named:
		return "", errors.New("the answer does not name the authorization server that it comes from, which that declares to do; it may come from another one")
	case answer.Get("error") != "":
		return "", fmt.Errorf("the authorization server refused: %s %s", answer.Get("error"), answer.Get("error_description"))
	case answer.Get("code") == "":
		return "", errors.New("the answer of the browser has no code")
	}
	return answer.Get("code"), nil
}
