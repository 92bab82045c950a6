package authorize

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

func keySet(t testing.TB, keys ...jose.JSONWebKey) string {
	t.Helper()
	src, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// loadFrom loads the keys of an issuer whose pages these are, by path. HOST in them is its URL.
func loadFrom(t *testing.T, issuerPath, from string, pages map[string]string) (n int, err error) {
	t.Helper()
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := pages[r.URL.Path]
		page = strings.ReplaceAll(page, "HOST", site.URL)
		switch to, moved := strings.CutPrefix(page, "moved "); {
		case !found:
			http.NotFound(w, r)
		case moved:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			_, _ = w.Write([]byte(page))
		}
	}))
	defer site.Close()
	load, err := source(site.URL+issuerPath, strings.ReplaceAll(from, "HOST", site.URL))
	if err != nil {
		return 0, err
	}
	keys, err := load(t.Context())
	return len(keys), err
}

func TestWhereKeysAre(t *testing.T) {
	set := keySet(t, testKeys...)
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, []byte(set), 0o600); err != nil {
		t.Fatal(err)
	}
	named := func(issuer string) string { return `{"issuer":"` + issuer + `","jwks_uri":"HOST/keys"}` }
	for name, c := range map[string]struct {
		path, from string
		pages      map[string]string
	}{
		"OAuth":           {"", "", map[string]string{"/.well-known/oauth-authorization-server": named("HOST"), "/keys": set}},
		"slash":           {"/", "", map[string]string{"/.well-known/oauth-authorization-server": named("HOST/"), "/keys": set}},
		"OpenID":          {"", "", map[string]string{"/.well-known/openid-configuration": named("HOST"), "/keys": set}},
		"OAuth, a path":   {"/realm", "", map[string]string{"/.well-known/oauth-authorization-server/realm": named("HOST/realm"), "/keys": set}},
		"OpenID, a path":  {"/realm", "", map[string]string{"/.well-known/openid-configuration/realm": named("HOST/realm"), "/keys": set}},
		"OpenID, at path": {"/realm", "", map[string]string{"/realm/.well-known/openid-configuration": named("HOST/realm"), "/keys": set}},
		"moved":           {"", "HOST/old", map[string]string{"/old": "moved HOST/keys", "/keys": set}},
		"URL":             {"", "HOST/keys", map[string]string{"/keys": set}},
		"file":            {"", file, nil},
	} {
		if n, err := loadFrom(t, c.path, c.from, c.pages); err != nil || n != len(testKeys) {
			t.Errorf("%s: %d keys, %v", name, n, err)
		}
	}
}

func TestSourcesThatAreRefused(t *testing.T) {
	set := keySet(t, testKeys...)
	at := func(uri string) map[string]string {
		return map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"HOST","jwks_uri":"` + uri + `"}`, "/keys": set}
	}
	small, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // it must be refused
	if err != nil {
		t.Fatal(err)
	}
	secret := jose.JSONWebKey{Key: []byte("0123456789abcdef0123456789abcdef"), KeyID: "h"}
	encrypts := public("r", rsaKey.Public())
	encrypts.Use = "enc"
	keys := func(src string) map[string]string { return map[string]string{"/keys": src} }
	for name, c := range map[string]struct {
		from  string
		pages map[string]string
		want  string
	}{
		"other issuer":    {"", map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"https://evil.com","jwks_uri":"HOST/keys"}`, "/keys": set}, "names the issuer"},
		"no metadata":     {"", nil, "answers with status 404"},
		"not metadata":    {"", map[string]string{"/.well-known/oauth-authorization-server": "<html>0123456789"}, "is not the metadata of an authorization server"},
		"no jwks_uri":     {"", at(""), "is not a URL"},
		"plain jwks_uri":  {"", at("http://login.example.com/keys"), "is not secure"},
		"file jwks_uri":   {"", at("file:///etc/passwd"), "is not a URL"},
		"cloud metadata":  {"", at("https://169.254.169.254/latest"), "never contacted"},
		"private address": {"", at("https://10.0.0.1/keys"), "is not a public address"},
		"other loopback":  {"", at("http://localhost:9/keys"), "is not a public address"},
		"moved elsewhere": {"HOST/old", map[string]string{"/old": "moved http://localhost:9/keys"}, "would leave the server's origin"},
		"moved around":    {"HOST/old", map[string]string{"/old": "moved HOST/old"}, "too many redirects"},
		"huge":            {"HOST/keys", keys(`{"keys":[],"x":"` + strings.Repeat("x", documentMost) + `"}`), "larger than"},
		"not a set":       {"HOST/keys", keys("0123456789"), "is not a JWK set"},
		"no key":          {"HOST/keys", keys(`{"keys":[]}`), "no key that can be used"},
		"weak key":        {"HOST/keys", keys(keySet(t, public("s", small.Public()))), "no key that can be used"},
		"secret key":      {"HOST/keys", keys(keySet(t, secret)), "no key that can be used"},
		"private key":     {"HOST/keys", keys(keySet(t, jose.JSONWebKey{Key: ecKey, KeyID: "e"})), "no key that can be used"},
		"for encryption":  {"HOST/keys", keys(keySet(t, encrypts)), "no key that can be used"},
		"missing file":    {filepath.Join(t.TempDir(), "none.json"), nil, "no such file"},
	} {
		_, err := loadFrom(t, "", c.from, c.pages)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, issuer := range []string{"", "login.example.com", "ftp://login.example.com", "http://login.example.com", "https://login.example.com?x=1", "https://user:pass@login.example.com", "https://login.example.com#x"} {
		if _, err := source(issuer, ""); err == nil || strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: %v", issuer, err)
		}
	}
}

// V10 for keys: an address that only metadata names is not contacted when it is private.
func TestV10PrivateKeySet(t *testing.T) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	var contacted atomic.Int64
	other := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ConnState: func(net.Conn, http.ConnState) { contacted.Add(1) }} //nolint:gosec // of a test
	go func() { _ = other.Serve(on) }()
	defer other.Close()
	_, port, _ := net.SplitHostPort(on.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.2", "[::1]"} {
		_, err := loadFrom(t, "", "", map[string]string{"/.well-known/oauth-authorization-server": `{"issuer":"HOST","jwks_uri":"http://` + host + ":" + port + `/keys"}`})
		if err == nil {
			t.Errorf("%s: keys were loaded", host)
		}
	}
	if n := contacted.Load(); n != 0 {
		t.Errorf("the address was contacted %d times", n)
	}
}

func TestNew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, []byte(keySet(t, testKeys...)), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := New(Options{Issuer: testIssuer, Audiences: []string{testResource + "/", "HTTPS://TOOLS.example.com/mcp"}, Keys: file})
	if err != nil {
		t.Fatal(err)
	}
	if who, err := v.Verify(t.Context(), rsaToken(t, nil)); err != nil || who.Subject != "alice" {
		t.Errorf("%+v %v", who, err)
	}
	if _, err := New(Options{Issuer: testIssuer, Keys: file}); err == nil {
		t.Error("without an audience all tokens of the issuer would be valid")
	}
}
