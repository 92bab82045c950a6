package mcpclient

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"toolgraph/config"
)

// guarded is a web server that wants a token, and the authorization server that gives
// it, at another origin.
type guarded struct {
	*web
	issuer *httptest.Server
	life   int // expires_in of a token

	describe  func(map[string]any) // changes the metadata of the authorization server, nil: not
	protect   func(map[string]any) // changes those of the resource, nil: not
	silent    bool                 // the authorization server does not name itself in its answer
	resource  string               // for which tokens are, "": the url
	challenge string               // of the resource, "": one that names metadata and scopes
	published string               // where the authorization server publishes them; "" is RFC 8414's place

	mu           sync.Mutex // guards what follows
	registered   int
	registration map[string]any // the last one
	exchanged    int
	renewed      int
	codes        map[string]url.Values // of the authorization request, by code
	access       map[string]bool       // tokens that are accepted
	refresh      map[string]bool       // tokens for renewal; each is good for one use
	change       func(http.ResponseWriter, *http.Request) bool
}

func newGuarded(t testing.TB, life int) *guarded {
	t.Helper()
	g := &guarded{life: life, codes: map[string]url.Values{}, access: map[string]bool{}, refresh: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/{place}", func(out http.ResponseWriter, r *http.Request) {
		if place := r.PathValue("place"); place != cmp.Or(g.published, "oauth-authorization-server") {
			http.NotFound(out, r)
			return
		}
		metadata := map[string]any{
			"issuer": g.issuer.URL, "authorization_endpoint": g.issuer.URL + "/authorize", "token_endpoint": g.issuer.URL + "/token",
			"registration_endpoint": g.issuer.URL + "/register", "response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		}
		if g.describe != nil {
			g.describe(metadata)
		}
		reply(out, metadata)
	})
	mux.HandleFunc("POST /register", g.register)
	mux.HandleFunc("GET /authorize", g.authorize)
	mux.HandleFunc("POST /token", g.token)
	g.issuer = httptest.NewServer(mux)
	t.Cleanup(g.issuer.Close)
	g.web = newWeb(t, func(w *web) { w.modern = true })
	inner := g.Config.Handler
	g.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
			metadata := map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.issuer.URL}}
			if g.protect != nil {
				g.protect(metadata)
			}
			reply(out, metadata)
			return
		}
		g.mu.Lock()
		change, known := g.change, g.access[r.Header.Get("Authorization")]
		g.mu.Unlock()
		if change != nil && change(out, r) {
			return
		}
		if !known {
			_, _ = io.Copy(io.Discard, r.Body)
			out.Header().Set("WWW-Authenticate", cmp.Or(g.challenge,
				`Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp", scope="files:read files:write"`))
			out.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(out, r)
	})
	return g
}

func reply(out http.ResponseWriter, v any) {
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(v)
}

func (g *guarded) register(out http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.registered++
	g.registration = map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&g.registration)
	out.WriteHeader(http.StatusCreated)
	reply(out, map[string]any{"client_id": fmt.Sprintf("client-%d", g.registered), "token_endpoint_auth_method": "none"})
}

// authorize is the page where the user agrees; here they do so at once.
func (g *guarded) authorize(out http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	g.mu.Lock()
	code := fmt.Sprintf("code-%d", len(g.codes)+1)
	g.codes[code] = q
	g.mu.Unlock()
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {g.issuer.URL}}
	if g.silent {
		back.Del("iss")
	}
	http.Redirect(out, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (g *guarded) token(out http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = r.ParseForm()
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		asked := g.codes[r.Form.Get("code")]
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		if asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("code_challenge_method") != "S256" ||
			asked.Get("client_id") != r.Form.Get("client_id") || asked.Get("resource") != cmp.Or(g.resource, g.URL+"/mcp") || asked.Get("redirect_uri") != r.Form.Get("redirect_uri") {
			out.WriteHeader(http.StatusBadRequest)
			reply(out, map[string]any{"error": "invalid_grant", "error_description": "something does not match"})
			return
		}
		g.exchanged++
	case "refresh_token":
		old := r.Form.Get("refresh_token")
		if !g.refresh[old] {
			out.WriteHeader(http.StatusBadRequest)
			reply(out, map[string]any{"error": "invalid_grant", "error_description": "used: " + old})
			return
		}
		delete(g.refresh, old)
		g.renewed++
	}
	n := g.exchanged + g.renewed
	access, refresh := fmt.Sprintf("access-secret-%d", n), fmt.Sprintf("refresh-secret-%d", n)
	g.access = map[string]bool{"Bearer " + access: true}
	g.refresh[refresh] = true
	reply(out, map[string]any{"access_token": access, "refresh_token": refresh, "token_type": "bearer", "expires_in": g.life})
}

// revoke makes the server forget the access tokens.
func (g *guarded) revoke() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.access)
}

func (g *guarded) upstream(path string) *config.Upstream {
	u := g.web.upstream(path)
	u.Name.Pos.File = "graph.yaml"
	u.OAuth, u.Headers = &config.OAuth{}, nil
	return u
}

// agree is a person with a browser.
func agree(t testing.TB) func(string) {
	return func(address string) { go visited(t, address) }
}

// visited goes to an address as a browser does and gives the last status.
func visited(t testing.TB, address string) int {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	return resp.StatusCode
}

func login(t testing.TB, p *Pool, show func(string)) error {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	_, err := p.Login(ctx, "fake", show)
	return err
}
