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

// loginFault is what went wrong, without addresses and whole answers.
func loginFault(err error) string {
	var refused transport.OAuthError
	var address *url.Error
	switch {
	case errors.As(err, &refused):
		return presentable(refused.Error(), 300)
	case errors.As(err, &address):
		at := "a server"
		if to, perr := url.Parse(address.URL); perr == nil {
			at = to.Host
		}
		return presentable(fmt.Sprintf("%s cannot be reached: %v", at, address.Err), 300)
	}
	return presentable(err.Error(), 300)
}

func (a *authorizer) login(ctx context.Context, clientName string, show func(string)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(a.conf.OAuth.RedirectPort)))
	if err != nil {
		return fmt.Errorf("cannot listen for the browser: %w", err)
	}
	state := rand.Text() + rand.Text()
	back := newCallback(listener, state)
	defer back.close()
	handler, err := a.registered(ctx, clientName, back.address())
	if err != nil {
		return err
	}
	verifier, err := transport.GenerateCodeVerifier()
	if err != nil {
		return err
	}
	address, err := handler.GetAuthorizationURL(ctx, state, transport.GenerateCodeChallenge(verifier))
	if err != nil {
		return err
	}
	metadata, err := handler.GetServerMetadata(ctx)
	if err != nil {
		return err
	}
	if known := metadata.CodeChallengeMethodsSupported; len(known) > 0 && !slices.Contains(known, "S256") {
		return errors.New("the authorization server does not know PKCE with S256, which is wanted")
	}
	show(address)
	answer, err := back.wait(ctx, metadata.Issuer)
	if err != nil {
		return err
	}
	if err := handler.ProcessAuthorizationResponse(ctx, answer, state, verifier); err != nil {
		return exchangeFault(err)
	}
	return a.keep(ctx, handler)
}

// exchangeFault keeps what a server has said beyond the words of OAuth, which may be a
// token, to itself.
func exchangeFault(err error) error {
	var refused transport.OAuthError
	var address *url.Error
	if errors.As(err, &refused) || errors.As(err, &address) {
		return err
	}
	return errors.New("the authorization server gave no token for the answer of the browser")
}

// registered is a client with a client id: that of the file, or a new one.
func (a *authorizer) registered(ctx context.Context, name, redirect string) (oauthClient, error) {
	challenge, err := a.challenge(ctx)
	if err != nil {
		return oauthClient{}, err
	}
	scopes := a.conf.OAuth.Scopes
	if len(scopes) == 0 {
		scopes = strings.Fields(scopeOf(strings.Join(challenge.Values("WWW-Authenticate"), ", ")))
	}
	c := a.client(&grant{ClientID: a.conf.OAuth.ClientID}, challenge, redirect, scopes)
	if a.conf.OAuth.ClientID != "" {
		return c, nil
	}
	if err := c.RegisterClient(ctx, name); err != nil {
		return oauthClient{}, fmt.Errorf("we could not be registered; register by hand and give clientId: %w", err)
	}
	return c, nil
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
	unlock, err := a.file.lock()
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
