package mcpclient

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"toolgraph/config"
)

const machineSecret = "a-secret of:machines"

// machineAt is a pool whose client logs in by itself, and the requests for tokens that it made.
func machineAt(t *testing.T, g *guarded, oauth config.OAuth) (p *Pool, dir string, asked func() []url.Values) {
	t.Helper()
	var forms []url.Values
	inner := g.issuer.Config.Handler
	g.issuer.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			_ = r.ParseForm()
			form := r.PostForm
			if user, password, ok := r.BasicAuth(); ok {
				form.Set("basic", user+" "+password)
			}
			g.mu.Lock()
			forms = append(forms, form)
			g.exchanged++
			g.mu.Unlock()
		}
		inner.ServeHTTP(out, r)
	})
	u := g.upstream("/mcp")
	oauth.Machine, oauth.ClientID = true, "machine"
	u.OAuth = &oauth
	dir = t.TempDir()
	p = pool(t, u, withAdjust(allowPrivate), WithTokenDir(dir))
	return p, dir, func() []url.Values {
		g.mu.Lock()
		defer g.mu.Unlock()
		return forms
	}
}

// One token serves all calls; one that the server refuses is replaced once; none is written to a file.
func TestMachineLogin(t *testing.T) {
	for method, place := range map[string]string{"client_secret_basic": "basic", "client_secret_post": "client_secret"} {
		g := newGuarded(t, 3600)
		p, dir, asked := machineAt(t, g, config.OAuth{ClientSecret: machineSecret, SecretIn: method})
		for range 3 {
			if _, err := callTool(p, "echo", `{}`); err != nil {
				t.Fatal(err)
			}
		}
		forms := asked()
		if len(forms) != 1 {
			t.Fatalf("%d requests for tokens, expected 1", len(forms))
		}
		f := forms[0]
		secret := machineSecret
		if place == "basic" {
			secret = "machine " + url.QueryEscape(machineSecret)
		}
		if f.Get("grant_type") != "client_credentials" || f.Get("resource") != g.URL+"/mcp" || f.Get("scope") != "files:read files:write" ||
			f.Get(place) != secret || f.Has("refresh_token") {
			t.Errorf("%s: sent %v", method, f)
		}
		g.revoke()
		if _, err := callTool(p, "echo", `{}`); err != nil || len(asked()) != 2 {
			t.Errorf("after a 401: %v, %d requests", err, len(asked()))
		}
		if stored, err := os.ReadDir(dir); err != nil || len(stored) != 0 {
			t.Errorf("stored %v, %v", stored, err)
		}
	}
}

// A token that ends within the time of an early renewal is replaced before each use.
func TestMachineTokenEnds(t *testing.T) {
	g := newGuarded(t, 10)
	p, _, asked := machineAt(t, g, config.OAuth{ClientSecret: machineSecret})
	for range 2 {
		if _, err := callTool(p, "echo", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if len(asked()) < 2 {
		t.Errorf("%d requests for tokens, expected one for each call", len(asked()))
	}
}

// The secret goes to the authorization server that it is for, and to no other.
func TestMachineOfAnotherIssuer(t *testing.T) {
	g := newGuarded(t, 3600)
	p, _, asked := machineAt(t, g, config.OAuth{ClientSecret: machineSecret, Issuer: "https://login.example"})
	_, err := callTool(p, "echo", `{}`)
	if err == nil || len(asked()) != 0 || !strings.Contains(err.Error(), "registered at https://login.example") || strings.Contains(err.Error(), machineSecret) {
		t.Errorf("got %v, %d requests", err, len(asked()))
	}
	if err := login(t, p, agree(t)); err == nil || !strings.Contains(err.Error(), "needs no login") {
		t.Errorf("login: %v", err)
	}
}

func TestProof(t *testing.T) {
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	rs, _ := rsa.GenerateKey(rand.Reader, 2048)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	for _, key := range []*config.ClientKey{{Signer: ec, Algorithm: "ES256"}, {Signer: rs, Algorithm: "RS256"}, {Signer: ed, Algorithm: "EdDSA"}} {
		now := time.Unix(1_800_000_000, 0)
		proof, err := proofOf(key, "machine", "https://login.example", now)
		if err != nil {
			t.Fatal(err)
		}
		signed, err := jose.ParseSignedCompact(proof, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(key.Algorithm)})
		if err != nil {
			t.Fatal(err)
		}
		payload, err := signed.Verify(key.Public())
		var claims map[string]any
		if err != nil || json.Unmarshal(payload, &claims) != nil || claims["sub"] != "machine" || claims["iss"] != "machine" ||
			claims["aud"] != "https://login.example" || claims["exp"] != float64(now.Unix()+60) {
			t.Errorf("%s: %v, %v", key.Algorithm, claims, err)
		}
	}
}
