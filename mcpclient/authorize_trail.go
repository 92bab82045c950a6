package mcpclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"toolgraph/internal/base/wording"
)

// trail records the requests of one login or renewal. Users see its words: the library
// does not report some faults, and puts whole answers into others. Those must never be
// shown, for the answer may come from a host that the metadata of a hostile server
// named. Used by one goroutine.
type trail struct {
	host   string        // of the last request
	about  string        // the kind of the last request
	status int           // of its answer; 0 without one
	wait   time.Duration // its Retry-After
	fault  error         // why a request or a document was refused here; the first one
	found  bool          // an authorization server has published metadata
	named  bool          // it declares that each of its answers names it (RFC 9207)
	scopes []string      // scopes_supported of the server
}

type trailKey struct{}

// followed returns a context whose OAuth requests leave a trail.
func followed(ctx context.Context) (context.Context, *trail) {
	t := &trail{}
	return context.WithValue(ctx, trailKey{}, t), t
}

func trailOf(req *http.Request) *trail {
	if t, _ := req.Context().Value(trailKey{}).(*trail); t != nil {
		return t
	}
	return &trail{}
}

// asks notes the next request.
func (t *trail) asks(req *http.Request) {
	t.host, t.about, t.status, t.wait = req.URL.Host, "a request of OAuth", 0, 0
	if req.Method == http.MethodGet {
		t.about = "the request for OAuth metadata"
	}
}

// refuse notes the first fault and returns it.
func (t *trail) refuse(err error) error {
	if t.fault == nil {
		t.fault = err
	}
	return err
}

// mismatches are the faults of metadata that the library finds, by a part of its text.
var mismatches = map[string]string{
	"declares issuer":        "its OAuth metadata name another issuer than the server was asked for",
	"declares resource":      "its OAuth metadata name another resource than url",
	"omits required":         "its OAuth metadata name no resource, expected that of url",
	"does not support dynam": "it does not offer dynamic client registration",
}

// words describes what went wrong.
func (t *trail) words(err error) string {
	var denied transport.OAuthError
	var address *url.Error
	switch {
	case t.fault != nil:
		return t.fault.Error()
	case errors.As(err, &denied):
		return fmt.Sprintf("%s refused: %s", t.host, oauthCode(denied.ErrorCode))
	case errors.As(err, &address):
		return fmt.Sprintf("%s cannot be reached: %s", t.host, networkWords(address.Err))
	case errors.Is(err, errBodyTooLarge):
		return fmt.Sprintf("%s sent an answer that is larger than the limit", t.host)
	case t.status >= 300:
		return fmt.Sprintf("%s answered %s with %s", t.host, t.about, statusWords(t.status, t.wait))
	}
	for mark, words := range mismatches {
		if err != nil && strings.Contains(err.Error(), mark) {
			return t.host + ": " + words
		}
	}
	return fmt.Sprintf("%s did not answer %s as OAuth requires", t.host, t.about)
}

// networkWords returns the text of an error of the network. The text about an answer that
// is not HTTP is left out, for it quotes the answer.
func networkWords(err error) string {
	var op *net.OpError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var name x509.HostnameError
	for _, known := range []any{&op, &dns, &certificate, &name} {
		if errors.As(err, known) {
			return err.Error()
		}
	}
	switch {
	case errors.As(err, &record):
		return "it does not speak TLS"
	case errors.Is(err, errBodyTooLarge), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
		return err.Error()
	}
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		return err.Error()
	}
	return "it closed the connection, or its answer is not HTTP"
}

// oauthCodes are the errors of OAuth that are shown by name. Another code is a text of the
// server's, and is not shown.
var oauthCodes = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
	"invalid_target", "access_denied", "unsupported_response_type", "server_error", "temporarily_unavailable", "invalid_token",
	"invalid_redirect_uri", "invalid_client_metadata", "invalid_software_statement", "unapproved_software_statement",
	"insufficient_scope", "slow_down", "expired_token", "interaction_required", "login_required", "consent_required",
}

func oauthCode(code string) string {
	if slices.Contains(oauthCodes, code) {
		return code
	}
	return "an error that OAuth does not define"
}

// vet reads a document of metadata and refuses one that names an address to which no
// request may go.
func (o outing) vet(resp *http.Response, t *trail) error {
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	// Both are read as the library does: the first value counts, whatever follows it.
	var server transport.AuthServerMetadata
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&server) == nil && server.Issuer != "" {
		t.found = true
		var more struct {
			Named bool `json:"authorization_response_iss_parameter_supported"`
		}
		t.named = json.NewDecoder(bytes.NewReader(raw)).Decode(&more) == nil && more.Named
		for _, named := range []struct {
			field, address string
			asked          bool // is contacted, or opened in the browser
		}{
			{"issuer", server.Issuer, false},
			{"authorization_endpoint", server.AuthorizationEndpoint, true},
			{"token_endpoint", server.TokenEndpoint, true},
			{"registration_endpoint", server.RegistrationEndpoint, true},
			{"jwks_uri", server.JwksURI, false},
			{"revocation_endpoint", server.RevocationEndpoint, false},
			{"introspection_endpoint", server.IntrospectionEndpoint, false},
			{"service_documentation", server.ServiceDocumentation, false},
			{"op_policy_uri", server.OpPolicyURI, false},
			{"op_tos_uri", server.OpTOSURI, false},
		} {
			if err := o.gate.vet(named.address, named.asked); err != nil {
				return t.refuse(fmt.Errorf("the OAuth metadata of %s have the %s %w", t.host, named.field, err))
			}
		}
	}
	var resource transport.OAuthProtectedResource
	if json.NewDecoder(bytes.NewReader(raw)).Decode(&resource) == nil && len(resource.AuthorizationServers) > 0 {
		if err := o.gate.vet(resource.AuthorizationServers[0], true); err != nil {
			return t.refuse(fmt.Errorf("the OAuth metadata of %s have the authorization server %w", t.host, err))
		}
		var more struct {
			Scopes []string `json:"scopes_supported"`
		}
		if json.NewDecoder(bytes.NewReader(raw)).Decode(&more) == nil {
			t.scopes = more.Scopes
		}
	}
	return nil
}

// numeric matches a host that browsers read as an IPv4 address, in whatever notation.
var numeric = wording.Pattern(`(?i)(^|\.)([0-9]+|0x[0-9a-f]*)\.?$`)

// vet returns the reason not to use an address in metadata, or nil. asked means that it
// will be contacted. Names are resolved when they are dialled, and checked there.
func (g gate) vet(address string, asked bool) error {
	if address == "" {
		return nil
	}
	to, err := url.Parse(address)
	web := err == nil && (to.Scheme == "http" || to.Scheme == "https")
	if err != nil || web && to.Hostname() == "" {
		return errors.New("that is not a URL, expected https://host/path")
	}
	shown := presentable(to.Scheme+"://"+to.Host, 200)
	if !web {
		return fmt.Errorf("with the scheme %q, expected https", presentable(to.Scheme, 40))
	}
	if !asked {
		return nil
	}
	if err := g.vetURL(to); err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	return nil
}

// vetURL returns the reason not to send a request of OAuth to an address, as far as it is
// known before its name is resolved.
func (g gate) vetURL(to *url.URL) error {
	host := to.Hostname()
	ip, err := netip.ParseAddr(host)
	switch {
	case strings.EqualFold(host, "localhost"):
		ip, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	case err != nil && numeric().MatchString(host):
		return errors.New("that is not a URL, expected https://host/path")
	}
	if err == nil {
		if err := g.check(host, to.Port(), ip); err != nil {
			return g.advised(host, err)
		}
	}
	if to.Scheme == "https" || to.Scheme == "http" && g.AllowPrivate && g.names(host) {
		return nil
	}
	return g.advised(host, errPlainHTTP)
}

// advised returns a refusal with its remedy.
func (g gate) advised(host string, refusal error) error {
	var private *privateAddressError
	switch {
	case errors.As(refusal, &private) && private.never:
		return refusal
	case !g.names(host):
		if private == nil {
			return refusal
		}
		return fmt.Errorf("%w; OAuth reaches a private address only at the host of url, with allowPrivate: true; give a token in headers instead", refusal)
	}
	return fmt.Errorf("%w; if that is intended, add allowPrivate: true to the server", refusal)
}
