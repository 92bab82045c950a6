package mcpclient

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"
)

// Login gets a token for a server whose entry has oauth, and keeps it for later calls
// of any process of this user. show is given the address at which a person agrees; the
// answer comes back to a loopback address on which Login listens until ctx ends. The
// error is an *Error.
func (p *Pool) Login(ctx context.Context, server string, show func(address string)) error {
	u, fail := p.find(server)
	if fail != nil {
		return fail
	}
	if u.auth == nil {
		e := u.fault(CodeLoginNeeded, "has no oauth in its entry, so there is nothing to log in to")
		if u.authFault != nil {
			e.Message = u.authFault.Error()
		} else if !isLocal(u.conf) {
			e.Hint = "add oauth: {} to it"
		}
		return e
	}
	if err := u.auth.login(ctx, u.opts.name, show); err != nil {
		e := u.fault(CodeLoginNeeded, "the login failed: "+loginFault(err))
		if ctx.Err() != nil {
			e.Code, e.Message, e.Err = CodeCancelled, "nobody has agreed in time", context.Cause(ctx)
		}
		return e
	}
	return nil
}

// loginFault is what went wrong, without addresses that may hold a secret.
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

func (a *authorizer) login(ctx context.Context, clientName string, show func(string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.conf.OAuth.RedirectPort)))
	if err != nil {
		return fmt.Errorf("cannot listen for the browser: %w", err)
	}
	state := rand.Text() + rand.Text()
	back := newCallback(listener, state)
	defer back.close()
	ctx, seen := followed(ctx)
	client, issuer, err := a.registered(ctx, seen, clientName, back.address())
	if err != nil {
		return err
	}
	verifier, err := transport.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	address, err := client.GetAuthorizationURL(ctx, state, transport.GenerateCodeChallenge(verifier))
	if err != nil {
		return errors.New(seen.words(err))
	}
	show(address)
	answer, err := back.wait(ctx, issuer)
	if err != nil {
		return err
	}
	if err := client.ProcessAuthorizationResponse(ctx, answer, state, verifier); err != nil {
		return fmt.Errorf("no token for the answer of the browser: %s", seen.words(err))
	}
	return a.keep(ctx, client)
}

// registered is a client with a client id, that of the file or a new one, and the
// issuer that it asks.
func (a *authorizer) registered(ctx context.Context, seen *trail, name, redirect string) (c oauthClient, issuer string, err error) {
	challenge, err := a.challenge(ctx)
	if err != nil {
		return c, "", err
	}
	scopes := a.conf.OAuth.Scopes
	if len(scopes) == 0 {
		scopes = strings.Fields(scopeOf(strings.Join(challenge.Values("WWW-Authenticate"), ", ")))
	}
	c = a.client(&grant{ClientID: a.conf.OAuth.ClientID}, challenge, redirect, scopes)
	metadata, err := c.discover(ctx, seen)
	if err != nil {
		return c, "", err
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

// provesCodes is the reason not to log in at an authorization server that does not say
// that it supports PKCE with S256. Without it, a code that others catch is as good as a
// token, and the MCP specification forbids to go on; that of OpenID Connect does not have
// the field, and the rule is the same for its documents.
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
	return fmt.Errorf("the authorization server %s does not say that it supports PKCE with S256, without which MCP allows no login: %s; ask its operator to add it, or give a token in headers", presentable(host, 200), why)
}

// keep writes what the exchange gave.
func (a *authorizer) keep(ctx context.Context, c oauthClient) error {
	token, err := c.store.GetToken(ctx)
	if err != nil {
		return err
	}
	if token.AccessToken == "" {
		return errors.New("the authorization server gave an empty token")
	}
	unlock, err := a.file.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	g := &grant{ClientID: c.GetClientID(), ClientSecret: c.GetClientSecret(), AuthMethod: c.GetTokenEndpointAuthMethod(), Token: token}
	if err := a.file.write(g); err != nil {
		return fmt.Errorf("the token cannot be kept: %w", err)
	}
	a.held.Store(g)
	return nil
}
