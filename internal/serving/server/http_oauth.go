package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// OAuth makes ServeHTTP a resource server of OAuth 2.0, as MCP describes it: requests have access
// tokens, and clients that have none find the authorization server in the metadata (RFC 9728).
type OAuth struct {
	Resource *url.URL // of Endpoint, as clients write it
	Issuer   string   // of the tokens: the authorization server
	Scopes   []string // that each token must have

	// Verify returns who sends a request with this token. The error is a *TokenError when the
	// token is invalid; with another one, that is not known now. Several goroutines call it.
	Verify func(ctx context.Context, token string) (Identity, error)
}

// Identity is what an access token says of the client that sends it.
type Identity struct {
	Subject string // never empty
	Scopes  []string
	Until   time.Time // when the token is no longer accepted
}

// TokenError is the reason why an access token is invalid, in words for the client and the log:
// printable ASCII, without any part of the token.
type TokenError struct{ Reason string }

func (e *TokenError) Error() string { return e.Reason }

type identityKey struct{}

// WithSubject returns a context of a call whose access token has this subject.
func WithSubject(ctx context.Context, subject string) context.Context {
	return context.WithValue(ctx, identityKey{}, Identity{Subject: subject})
}

// SubjectOf returns the subject of the access token of the call that ctx belongs to; "" without one.
func SubjectOf(ctx context.Context) string { return identityOf(ctx).Subject }

func identityOf(ctx context.Context) Identity {
	who, _ := ctx.Value(identityKey{}).(Identity)
	return who
}

// resourceServer checks access tokens and publishes the metadata.
type resourceServer struct {
	*OAuth
	metadataURL string
	metadata    []byte
	log         *slog.Logger
}

func newResourceServer(o *OAuth, log *slog.Logger) *resourceServer {
	at := *o.Resource
	at.Path, at.RawPath = resourceMetadataPath+strings.TrimSuffix(at.Path, "/"), ""
	metadata, _ := json.Marshal(struct { // strings are always encoded
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
	}{o.Resource.String(), []string{o.Issuer}, o.Scopes, []string{"header"}})
	return &resourceServer{OAuth: o, metadataURL: at.String(), metadata: append(metadata, '\n'), log: log}
}

// publishes reports whether the metadata are at a path: that of the resource, or, since a proxy can
// change paths, that of Endpoint or of the whole server.
func (s *resourceServer) publishes(path string) bool {
	at, found := strings.CutPrefix(path, resourceMetadataPath)
	return s != nil && found && (at == "" || at == Endpoint || at == strings.TrimSuffix(s.Resource.Path, "/"))
}

func (s *resourceServer) publish(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notAllowed(w, "GET, HEAD")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(s.metadata) // the client may have gone
}

// admit returns the request with the identity of its client, or answers it and returns nil.
func (s *resourceServer) admit(w http.ResponseWriter, r *http.Request) *http.Request {
	credentials := r.Header["Authorization"]
	if len(credentials) > 1 {
		return s.refuse(w, http.StatusBadRequest, "invalid_request", "the Authorization header is given twice")
	}
	token := bearer(credentials)
	if token == "" {
		return s.refuse(w, http.StatusUnauthorized, "", "expected the header Authorization: Bearer TOKEN with an access token of "+s.Issuer)
	}
	who, err := s.Verify(r.Context(), token)
	var invalid *TokenError
	switch {
	case errors.As(err, &invalid):
		return s.refuse(w, http.StatusUnauthorized, "invalid_token", invalid.Reason)
	case err != nil:
		w.Header().Set("Retry-After", "30")
		http.Error(w, "the access token cannot be verified now; try again later", http.StatusServiceUnavailable)
		return nil
	}
	for _, scope := range s.Scopes {
		if !slices.Contains(who.Scopes, scope) {
			return s.refuse(w, http.StatusForbidden, "insufficient_scope", "the access token has not the scope "+scope)
		}
	}
	return r.WithContext(context.WithValue(r.Context(), identityKey{}, who))
}

// refuse answers a request with a challenge (RFC 6750 and 9728). Without an error code the client
// has sent no token.
func (s *resourceServer) refuse(w http.ResponseWriter, status int, code, reason string) *http.Request {
	challenge := `Bearer resource_metadata="` + s.metadataURL + `"`
	if code != "" {
		challenge += `, error="` + code + `", error_description="` + reason + `"`
		s.log.Info("a request was refused", "status", status, "reason", reason)
	}
	if len(s.Scopes) > 0 {
		challenge += `, scope="` + strings.Join(s.Scopes, " ") + `"`
	}
	w.Header().Set("WWW-Authenticate", challenge)
	http.Error(w, reason, status)
	return nil
}

// bearer returns the token of the Authorization header; "" if it is missing or of another scheme.
func bearer(credentials []string) string {
	if len(credentials) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// The paths at which clients look for OAuth metadata, also with a path of the server after
// them.
const (
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	openIDMetadataPath   = "/.well-known/openid-configuration"
)

// isOAuthPath reports whether clients that look for OAuth ask for a path. Without metadata, some
// take this server for an authorization server and use its default paths.
func isOAuthPath(path string) bool {
	switch path {
	case "/authorize", "/token", "/register", Endpoint + openIDMetadataPath:
		return true
	}
	for _, name := range []string{resourceMetadataPath, serverMetadataPath, openIDMetadataPath} {
		if rest, found := strings.CutPrefix(path, name); found && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// notFound answers that there is no OAuth at a path, in the form of an OAuth error: clients
// show its description.
func notFound(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"error":"invalid_request","error_description":"this server is not an authorization server and has no OAuth metadata; ` +
		`if it requires a token, configure the client to send it in the Authorization header"}` + "\n"))
}
