package mcpclient

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// loginAt logs in at a guarded server and returns the query of the address that the user opens.
func loginAt(t *testing.T, g *guarded) (shown url.Values, err error) {
	t.Helper()
	p := pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(t.TempDir()))
	err = login(t, p, func(address string) {
		if to, err := url.Parse(address); err == nil {
			shown = to.Query()
		}
		agree(t)(address)
	})
	if err == nil {
		_, err = callTool(p, "echo", `{}`)
	}
	return shown, err
}

// wrapped changes what a guarded server answers: handle reports whether it has answered.
func (g *guarded) wrapped(handle func(http.ResponseWriter, *http.Request) bool) {
	inner := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if !handle(out, r) {
			inner.ServeHTTP(out, r)
		}
	})
}

// An answer without iss may come from another authorization server, when this one always names itself.
func TestLoginRequiresTheIssuerThatIsDeclared(t *testing.T) {
	for _, named := range []bool{true, false} {
		g := newGuarded(t, 3600)
		g.describe = func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = named }
		g.silent = true
		_, err := loginAt(t, g)
		if refused := err != nil && strings.Contains(err.Error(), "does not name the authorization server"); refused != named || !named && err != nil {
			t.Errorf("declared %v: %v", named, err)
		}
		if named && g.exchanged > 0 {
			t.Error("the code was sent to the authorization server")
		}
	}
}

func TestRegistrationIsOfANativeApplication(t *testing.T) {
	g := newGuarded(t, 3600)
	if _, err := loginAt(t, g); err != nil {
		t.Fatal(err)
	}
	if g.registration["application_type"] != "native" || g.registration["client_name"] == nil {
		t.Errorf("registered %v", g.registration)
	}
}

// A server that names no scopes in its refusal may list them in its metadata.
func TestLoginAsksForTheSupportedScopes(t *testing.T) {
	for _, c := range []struct {
		challenge, want string
	}{{"Bearer", "read write"}, {`Bearer scope="read"`, "read"}} {
		g := newGuarded(t, 3600)
		g.protect = func(m map[string]any) { m["scopes_supported"] = []string{"read", "write"} }
		g.challenge = c.challenge
		shown, err := loginAt(t, g)
		if err != nil || shown.Get("scope") != c.want {
			t.Errorf("%s: scope %q, want %q: %v", c.challenge, shown.Get("scope"), c.want, err)
		}
	}
}

// Metadata that a server does not name are at its path or at the root of its host; a renewal finds
// them there, too.
func TestMetadataAtTheRoot(t *testing.T) {
	g := newGuarded(t, 1)
	g.challenge, g.resource = "Bearer", g.URL
	g.wrapped(func(out http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/.well-known/oauth-protected-resource":
			reply(out, map[string]any{"resource": g.URL, "authorization_servers": []string{g.issuer.URL}})
		case "/.well-known/oauth-protected-resource/mcp":
			http.NotFound(out, r)
		default:
			return false
		}
		return true
	})
	if _, err := loginAt(t, g); err != nil || g.renewed == 0 {
		t.Errorf("%d renewals: %v", g.renewed, err)
	}
}
