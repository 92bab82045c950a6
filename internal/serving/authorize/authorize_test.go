package authorize

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"toolgraph/internal/serving/server"
)

const (
	testIssuer   = "https://login.example.com/"
	testResource = "https://tools.example.com/mcp"
)

var rsaKey, ecKey, edKey = func() (*rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey) {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	_, d, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return r, e, d
}()

func public(id string, key any) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key, KeyID: id, Use: "sig"}
}

// testKeys are published by the issuer of the tests.
var testKeys = []jose.JSONWebKey{public("r", rsaKey.Public()), public("e", ecKey.Public()), public("d", edKey.Public())}

// sign returns a token with these claims, a JSON object.
func sign(t testing.TB, alg jose.SignatureAlgorithm, key any, id string, typ any, claims string) string {
	t.Helper()
	opts := &jose.SignerOptions{}
	if id != "" {
		opts = opts.WithHeader("kid", id)
	}
	if typ != nil {
		opts = opts.WithHeader(jose.HeaderType, typ)
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := s.Sign([]byte(claims))
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// claimsWith are valid claims with these changes; nil removes one.
func claimsWith(changes map[string]any) string {
	c := map[string]any{
		"iss": testIssuer, "aud": testResource, "sub": "alice", "client_id": "c", "jti": "1",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for name, v := range changes {
		if c[name] = v; v == nil {
			delete(c, name)
		}
	}
	src, _ := json.Marshal(c)
	return string(src)
}

func testVerifier(load func(context.Context) ([]jose.JSONWebKey, error)) *Verifier {
	return &Verifier{issuer: testIssuer, audiences: []string{testResource}, keys: &keys{load: load, log: slog.New(slog.DiscardHandler)}}
}

func published(keys ...jose.JSONWebKey) func(context.Context) ([]jose.JSONWebKey, error) {
	return func(context.Context) ([]jose.JSONWebKey, error) { return keys, nil }
}

func rsaToken(t testing.TB, changes map[string]any) string {
	return sign(t, jose.RS256, rsaKey, "r", "at+jwt", claimsWith(changes))
}

func TestTokensThatAreValid(t *testing.T) {
	v := testVerifier(published(testKeys...))
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for name, token := range map[string]string{
		"RS256": rsaToken(t, nil), "PS512": sign(t, jose.PS512, rsaKey, "r", "JWT", claimsWith(nil)),
		"ES256": sign(t, jose.ES256, ecKey, "e", "application/AT+JWT", claimsWith(nil)),
		"EdDSA": sign(t, jose.EdDSA, edKey, "d", nil, claimsWith(nil)), "no kid": sign(t, jose.EdDSA, edKey, "", nil, claimsWith(nil)),
		"two audiences": rsaToken(t, map[string]any{"aud": []string{"other", testResource}}),
		"a slash":       rsaToken(t, map[string]any{"aud": "HTTPS://Tools.example.com/mcp"}),
		"just expired":  rsaToken(t, map[string]any{"exp": in(-leeway / 2)}), "almost valid": rsaToken(t, map[string]any{"nbf": in(leeway / 2)}),
	} {
		if who, err := v.Verify(t.Context(), token); err != nil || who.Subject != "alice" {
			t.Errorf("%s: %+v %v", name, who, err)
		}
	}
	for _, c := range []struct {
		changes map[string]any
		want    []string
	}{
		{nil, nil},
		{map[string]any{"scope": "read  write"}, []string{"read", "write"}},
		{map[string]any{"scp": "read"}, []string{"read"}},
		{map[string]any{"scp": []string{"read", "write"}}, []string{"read", "write"}},
		{map[string]any{"scope": "a", "scp": "b"}, []string{"a", "b"}},
	} {
		if who, err := v.Verify(t.Context(), rsaToken(t, c.changes)); err != nil || !slices.Equal(who.Scopes, c.want) {
			t.Errorf("%v: %q %v", c.changes, who.Scopes, err)
		}
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	v := testVerifier(published(testKeys...))
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	valid := rsaToken(t, nil)
	parts := strings.Split(valid, ".")
	encoded := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	der, err := x509.MarshalPKIXPublicKey(rsaKey.Public())
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	const notSigned, wrong, form = "not a JWT with an asymmetric signature", "the signature of the token is wrong", "unexpected form"
	for name, c := range map[string]struct{ token, want string }{
		"issuer":           {rsaToken(t, map[string]any{"iss": "https://evil.com/"}), "from another issuer"},
		"issuer's slash":   {rsaToken(t, map[string]any{"iss": strings.TrimSuffix(testIssuer, "/")}), "from another issuer"},
		"no issuer":        {rsaToken(t, map[string]any{"iss": nil}), "from another issuer"},
		"audience":         {rsaToken(t, map[string]any{"aud": "https://other.example.com/mcp"}), "for another audience"},
		"audience's path":  {rsaToken(t, map[string]any{"aud": "https://tools.example.com/"}), "for another audience"},
		"no audience":      {rsaToken(t, map[string]any{"aud": nil}), "for another audience"},
		"empty audience":   {rsaToken(t, map[string]any{"aud": []string{}}), "for another audience"},
		"expired":          {rsaToken(t, map[string]any{"exp": in(-2 * leeway)}), "has expired"},
		"no exp":           {rsaToken(t, map[string]any{"exp": nil}), "has no exp"},
		"not yet":          {rsaToken(t, map[string]any{"nbf": in(2 * leeway)}), "not valid yet"},
		"issued later":     {rsaToken(t, map[string]any{"iat": in(2 * leeway)}), "not valid yet"},
		"no subject":       {rsaToken(t, map[string]any{"sub": nil}), "has no sub"},
		"bound":            {rsaToken(t, map[string]any{"cnf": map[string]string{"jkt": "x"}}), "bound to a key"},
		"exp as text":      {rsaToken(t, map[string]any{"exp": "tomorrow"}), form},
		"endless exp":      {sign(t, jose.RS256, rsaKey, "r", nil, strings.Replace(claimsWith(nil), `"exp":`, `"exp":1e300,"x":`, 1)), form},
		"scope as number":  {rsaToken(t, map[string]any{"scope": 1}), form},
		"two subjects":     {sign(t, jose.RS256, rsaKey, "r", nil, strings.Replace(claimsWith(nil), `"sub":`, `"sub":"bob","sub":`, 1)), form},
		"two audiences":    {sign(t, jose.RS256, rsaKey, "r", nil, strings.Replace(claimsWith(nil), `"aud":`, `"aud":"x","aud":`, 1)), form},
		"claims of a list": {sign(t, jose.RS256, rsaKey, "r", nil, "[]"), form},
		"type id":          {sign(t, jose.RS256, rsaKey, "r", "logout+jwt", claimsWith(nil)), "of another type"},
		"type dpop":        {sign(t, jose.RS256, rsaKey, "r", "dpop+jwt", claimsWith(nil)), "of another type"},
		"type as number":   {sign(t, jose.RS256, rsaKey, "r", 7, claimsWith(nil)), "of another type"},
		"none":             {encoded(`{"alg":"none"}`) + "." + encoded(claimsWith(nil)) + ".", notSigned},
		"None":             {encoded(`{"alg":"None","kid":"r"}`) + "." + parts[1] + "." + parts[2], notSigned},
		"HMAC":             {sign(t, jose.HS256, publicPEM, "r", nil, claimsWith(nil)), notSigned},
		"HMAC by DER":      {sign(t, jose.HS512, der, "", nil, claimsWith(nil)), notSigned},
		"other key":        {sign(t, jose.RS256, other, "r", nil, claimsWith(nil)), wrong},
		"key in the token": {sign(t, jose.RS256, jose.JSONWebKey{Key: other, KeyID: "r"}, "", nil, claimsWith(nil)), wrong},
		"key of a kind":    {sign(t, jose.ES256, ecKey, "r", nil, claimsWith(nil)), wrong},
		"other algorithm":  {strings.Replace(valid, parts[0], encoded(`{"alg":"PS256","kid":"r"}`), 1), wrong},
		"no signature":     {parts[0] + "." + parts[1] + ".", wrong},
		"changed claims":   {parts[0] + "." + encoded(claimsWith(map[string]any{"sub": "root"})) + "." + parts[2], wrong},
		"unknown kid":      {sign(t, jose.RS256, rsaKey, "zzz", nil, claimsWith(nil)), "key that the issuer does not publish"},
		"two kids":         {encoded(`{"alg":"RS256","kid":"x","kid":"r"}`) + "." + parts[1] + "." + parts[2], notSigned},
		"critical":         {encoded(`{"alg":"RS256","kid":"r","crit":["x"],"x":1}`) + "." + parts[1] + "." + parts[2], "requires an extension"},
		"JSON":             {`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, notSigned},
		"opaque":           {"0123456789abcdef", notSigned}, "empty": {"", notSigned}, "dots": {"..", notSigned}, "long": {strings.Repeat(".", 32<<10), notSigned},
	} {
		_, err := v.Verify(t.Context(), c.token)
		var refused *server.TokenError
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, c.want) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range strings.Split(c.token, ".") {
			if len(part) > 8 && strings.Contains(refused.Reason, part) {
				t.Errorf("%s: the error has a part of the token: %v", name, err)
			}
		}
	}
}

// An algorithm that the issuer gives to a key is the only one of that key.
func TestAlgorithmOfTheKey(t *testing.T) {
	key := public("r", rsaKey.Public())
	key.Algorithm = "PS256"
	v := testVerifier(published(key))
	if _, err := v.Verify(t.Context(), sign(t, jose.PS256, rsaKey, "r", nil, claimsWith(nil))); err != nil {
		t.Error(err)
	}
	if _, err := v.Verify(t.Context(), rsaToken(t, nil)); err == nil {
		t.Error("a key for PS256 verifies RS256")
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(rsaToken(f, nil))
	f.Add("a.b.c")
	v := testVerifier(published(testKeys...))
	f.Fuzz(func(t *testing.T, token string) {
		if who, err := v.Verify(t.Context(), token); (err == nil) != (who.Subject != "") {
			t.Errorf("%+v %v", who, err)
		}
	})
}
