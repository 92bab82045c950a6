// Package issuer is a small OAuth authorization server for tests: it publishes metadata and one key,
// and signs access tokens. It writes the formats itself, so that a fault of the library that verifies
// them is not repeated here.
package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Issuer is a running authorization server.
type Issuer struct {
	URL string
	t   testing.TB
	key *ecdsa.PrivateKey
}

// New returns a server on loopback, which ends with the test.
func New(t testing.TB) *Issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &Issuer{t: t, key: key}
	site := httptest.NewServer(i)
	t.Cleanup(site.Close)
	i.URL = site.URL
	return i
}

func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q,"authorization_endpoint":%q,"token_endpoint":%q,"response_types_supported":["code"],"code_challenge_methods_supported":["S256"]}`,
			i.URL, i.URL+"/keys", i.URL+"/authorize", i.URL+"/token")
	case "/keys":
		public, err := i.key.PublicKey.Bytes() // 4, then both coordinates
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"keys":[{"kty":"EC","crv":"P-256","kid":"k","use":"sig","alg":"ES256","x":%q,"y":%q}]}`, encode(public[1:33]), encode(public[33:]))
	default:
		http.NotFound(w, r)
	}
}

// Token returns an access token that is valid for an hour.
func (i *Issuer) Token(subject, audience, scope string) string {
	i.t.Helper()
	claims, err := json.Marshal(map[string]any{"iss": i.URL, "sub": subject, "aud": audience, "scope": scope, "exp": time.Now().Add(time.Hour).Unix()})
	if err != nil {
		i.t.Fatal(err)
	}
	signed := encode([]byte(`{"alg":"ES256","kid":"k","typ":"at+jwt"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, i.key, digest[:])
	if err != nil {
		i.t.Fatal(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + encode(signature)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
