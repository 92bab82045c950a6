package mcpclient

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

// loggedIn is a pool that has logged in at a guarded server.
func loggedIn(t testing.TB, g *guarded) (p *Pool, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "config", "tokens")
	p = pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(dir))
	if err := login(t, p, agree(t)); err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func TestLogin(t *testing.T) {
	for _, path := range []string{"/mcp", "/sse"} {
		g := newGuarded(t, 3600)
		dir := filepath.Join(t.TempDir(), "tokens")
		p := pool(t, g.upstream(path), withAdjust(allowPrivate), WithTokenDir(dir))
		e := mustFail(t, p, "echo", `{}`, CodeLoginNeeded)
		if !strings.Contains(e.Error(), "run: toolgraph login fake -g graph.yaml") {
			t.Errorf("got %q", e)
		}
		if path == "/sse" {
			continue // the metadata of the test are for /mcp
		}
		var shown url.Values
		err := login(t, p, func(address string) {
			to, err := url.Parse(address)
			if err != nil {
				t.Error(err)
				return
			}
			shown = to.Query()
			agree(t)(address)
		})
		if err != nil {
			t.Fatal(err)
		}
		if shown.Get("scope") != "files:read files:write" || shown.Get("client_id") != "client-1" || !strings.HasPrefix(shown.Get("redirect_uri"), "http://127.0.0.1:") {
			t.Errorf("shown %v", shown)
		}
		if _, err := callTool(p, "echo", `{}`); err != nil {
			t.Fatal(err)
		}
		other := pool(t, g.upstream(path), withAdjust(allowPrivate), WithTokenDir(dir)) // another process
		if _, err := callTool(other, "echo", `{}`); err != nil {
			t.Error(err)
		}
	}
}

func TestLoginWithAClientOfOurs(t *testing.T) {
	g := newGuarded(t, 3600)
	u := g.upstream("/mcp")
	u.OAuth = &config.OAuth{ClientID: "by-hand", Scopes: []string{"all"}}
	p := pool(t, u, withAdjust(allowPrivate), WithTokenDir(t.TempDir()))
	var shown string
	if err := login(t, p, func(address string) { shown = address; agree(t)(address) }); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown, "client_id=by-hand") || !strings.Contains(shown, "scope=all&") || g.registered != 0 {
		t.Errorf("shown %s, %d registered", shown, g.registered)
	}
}

func TestTokensAreRenewed(t *testing.T) {
	g := newGuarded(t, 1) // expires within what is renewed early
	p, dir := loggedIn(t, g)
	other := pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(dir))
	g.life = 3600
	var all sync.WaitGroup
	for i := range 20 { // two processes, many calls: one renewal
		all.Go(func() {
			if _, err := callTool([]*Pool{p, other}[i%2], "echo", `{}`); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if g.renewed != 1 {
		t.Errorf("%d renewals", g.renewed)
	}
	g.revoke() // the server gives no reason
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Error(err)
	}
	if _, err := callTool(other, "echo", `{}`); err != nil {
		t.Error(err)
	}
	if g.renewed != 2 {
		t.Errorf("%d renewals", g.renewed)
	}
	g.revoke()
	clear(g.refresh)
	e := mustFail(t, p, "echo", `{}`, CodeLoginNeeded)
	if !strings.Contains(e.Error(), "invalid_grant") || !strings.Contains(e.Error(), "run: toolgraph login") || strings.Contains(e.Error(), "secret") {
		t.Errorf("got %q", e)
	}
	if err := login(t, p, agree(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Error(err)
	}
}

func TestScopesThatDoNotDo(t *testing.T) {
	g := newGuarded(t, 3600)
	p, _ := loggedIn(t, g)
	g.change = func(out http.ResponseWriter, r *http.Request) bool {
		out.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin"`)
		out.WriteHeader(http.StatusForbidden)
		return true
	}
	if e := mustFail(t, p, "echo", `{}`, CodeLoginNeeded); !strings.Contains(e.Error(), "the scopes admin") {
		t.Errorf("got %q", e)
	}
}

func TestTokensAreHidden(t *testing.T) {
	g := newGuarded(t, 3600)
	p, _ := loggedIn(t, g)
	g.change = func(out http.ResponseWriter, r *http.Request) bool {
		http.Error(out, "what is "+r.Header.Get("Authorization")+"?", http.StatusInternalServerError)
		return true
	}
	if e := mustFail(t, p, "echo", `{}`, CodeServerStart); strings.Contains(e.Error(), "access-secret") || !strings.Contains(e.Error(), "what is Bearer [redacted]?") {
		t.Errorf("got %q", e)
	}
}

func TestTokensStayWithTheirServer(t *testing.T) {
	g := newGuarded(t, 3600)
	_, dir := loggedIn(t, g)
	var sent []string
	thief := newWeb(t, nil)
	thief.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		http.Error(out, "", http.StatusUnauthorized)
	})
	u := g.upstream("/mcp") // the same name, another address
	u.URL = text(thief.URL + "/mcp")
	mustFail(t, pool(t, u, withAdjust(allowPrivate), WithTokenDir(dir)), "echo", `{}`, CodeLoginNeeded)
	if len(sent) != 0 {
		t.Errorf("another server was sent %q", sent)
	}
}

func TestLoginRefusals(t *testing.T) {
	g := newGuarded(t, 3600)
	p := pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(t.TempDir()))
	visit := func(change func(url.Values)) func(string) {
		return func(address string) {
			to, _ := url.Parse(address)
			q := url.Values{"code": {"code-x"}, "state": {to.Query().Get("state")}}
			change(q)
			agree(t)(to.Query().Get("redirect_uri") + "?" + q.Encode())
		}
	}
	for want, change := range map[string]func(url.Values){
		"refused: access_denied":       func(q url.Values) { q.Set("error", "access_denied") },
		"another authorization server": func(q url.Values) { q.Set("iss", "https://evil.test") },
		"has no code":                  func(q url.Values) { q.Del("code") },
		"invalid_grant":                func(url.Values) {},
	} {
		if err := login(t, p, visit(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	// A forged answer is turned away and ends nothing.
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err := p.Login(ctx, "fake", func(address string) {
		to, _ := url.Parse(address)
		forged := url.Values{"code": {"code-x"}, "state": {"forged"}}
		go func() {
			defer stop()
			if status := visited(t, to.Query().Get("redirect_uri")+"?"+forged.Encode()); status != http.StatusBadRequest {
				t.Errorf("a forged answer was answered with %d", status)
			}
		}()
	})
	wantError(t, "", err, CodeCancelled)
	plain := pool(t, newWeb(t, nil).upstream("/mcp"), withAdjust(allowPrivate))
	if err := login(t, plain, agree(t)); err == nil || !strings.Contains(err.Error(), "add oauth: {} to it") {
		t.Errorf("got %v", err)
	}
}

func TestAuthorizationServersAreReachedByHTTPS(t *testing.T) {
	client := newOAuthClient(mustURL(t, "https://mcp.test/mcp"), settings{})
	for _, address := range []string{"http://example.test/token", "https://127.0.0.1:1/token"} {
		resp, err := client.Get(address)
		if err == nil {
			resp.Body.Close()
		}
		var private *privateAddressError
		if !errors.Is(err, errPlainHTTP) && !errors.As(err, &private) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestS12TokenFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there: the directory of a user has a list of who may read it")
	}
	g := newGuarded(t, 3600)
	p, dir := loggedIn(t, g)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
	path := p.servers["fake"].auth.file.path()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	fresh := func() *Pool {
		return pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(dir))
	}
	spoil := func(want string, how error) {
		t.Helper()
		if how != nil {
			t.Fatal(how)
		}
		e := mustFail(t, fresh(), "echo", `{}`, CodeLoginNeeded)
		if !strings.Contains(e.Error(), want) || strings.Contains(e.Error(), "secret-1") {
			t.Errorf("%q is missing in %q", want, e)
		}
	}
	if _, err := callTool(fresh(), "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	spoil("mode -rw-r--r--, expected", os.Chmod(path, 0o644))
	spoil("mode", os.Chmod(path, 0o620))
	real := filepath.Join(t.TempDir(), "elsewhere")
	spoil("is it a link?", errors.Join(os.Chmod(path, 0o600), os.Rename(path, real), os.Symlink(real, path)))
	spoil("is damaged", errors.Join(os.Remove(path), os.WriteFile(path, []byte(`{"token":`), 0o600)))
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := login(t, p, agree(t)); err != nil { // replaces what is there
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
	if _, err := os.Stat(filepath.Join(dir, "."+"x")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := callTool(fresh(), "echo", `{}`); err != nil {
		t.Error(err)
	}
}
