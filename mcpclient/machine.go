package mcpclient

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"toolgraph/config"
)

const (
	proofLife   = time.Minute // of a signed proof
	machineMark = "client_credentials"
)

// machine gets a token for the client itself. It is in memory only: the next process gets another.
func (a *authorizer) machine(ctx context.Context) (*grant, error) {
	ctx, stop := context.WithTimeout(ctx, renewTimeout)
	defer stop()
	ctx, seen := followed(ctx)
	challenge, err := a.challenge(ctx)
	if err != nil {
		return nil, err
	}
	conf := a.conf.OAuth
	g := &grant{ClientID: conf.ClientID, ClientSecret: conf.ClientSecret, AuthMethod: conf.SecretIn}
	fail := func(why string) (*grant, error) { return nil, &tokenError{machine: true, why: why, wait: seen.wait} }
	c, metadata, err := a.discovered(ctx, seen, g, challenge, "", nil)
	switch {
	case err != nil:
		return fail(err.Error())
	case !seen.found:
		return fail(a.server.Host + " names no authorization server whose metadata can be read")
	case a.issuer == "":
		a.issuer = metadata.Issuer // another one never gets the secret of this process
	}
	if metadata.Issuer != a.issuer {
		return fail(fmt.Sprintf("%s names the authorization server %s, and the client is registered at %s",
			a.server.Host, presentable(metadata.Issuer, 200), presentable(a.issuer, 200)))
	}
	form, err := a.machineForm(challenge, seen, metadata.Issuer)
	if err != nil {
		return fail(err.Error())
	}
	token, err := c.RefreshToken(context.WithValue(ctx, machineKey{}, form), machineMark)
	switch {
	case err != nil:
		return fail(seen.words(err))
	case token.AccessToken == "":
		return fail(seen.host + " gave an empty token")
	}
	token.RefreshToken = ""
	g.Token = token
	return g, nil
}

// machineForm returns the fields of the request for a token that the library does not send.
func (a *authorizer) machineForm(challenge http.Header, seen *trail, issuer string) (url.Values, error) {
	form := url.Values{"grant_type": {machineMark}}
	scopes := a.conf.OAuth.Scopes
	if len(scopes) == 0 {
		scopes = strings.Fields(scopeOf(strings.Join(challenge.Values("WWW-Authenticate"), ", ")))
	}
	if len(scopes) == 0 {
		scopes = seen.scopes
	}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	if key := a.conf.OAuth.Key; key != nil {
		proof, err := proofOf(key, a.conf.OAuth.ClientID, issuer, time.Now())
		if err != nil {
			return nil, err
		}
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		form.Set("client_assertion", proof)
	}
	return form, nil
}

// machineKey is the key of a context with the url.Values of a machine's request for a token.
type machineKey struct{}

// asMachine returns the library's request for a renewal as one for a token of the client itself: the library
// knows the former only, and both differ in their fields alone. Any other request is returned as it is.
func asMachine(req *http.Request) (*http.Request, error) {
	fields, ok := req.Context().Value(machineKey{}).(url.Values)
	if !ok || req.Method != http.MethodPost {
		return req, nil
	}
	raw, err := io.ReadAll(req.Body)
	closeBody(req)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, err
	}
	form.Del("refresh_token")
	for name := range fields {
		form.Set(name, fields.Get(name))
	}
	body := form.Encode()
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
	return req, nil
}

// proofOf returns a JWT of RFC 7523 by which a client proves to an authorization server who it is.
func proofOf(key *config.ClientKey, client, issuer string, now time.Time) (string, error) {
	head, err := json.Marshal(map[string]string{"alg": key.Algorithm, "typ": "JWT"})
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{
		"iss": client, "sub": client, "aud": issuer, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(proofLife).Unix(),
	})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	signature, err := sign(key, []byte(text))
	if err != nil {
		return "", errors.New("the private key cannot sign")
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// sign signs as RFC 7518 and RFC 8037 say.
func sign(key *config.ClientKey, text []byte) ([]byte, error) {
	sum := sha256.Sum256(text)
	switch k := key.Signer.(type) {
	case *ecdsa.PrivateKey: // r and s, 32 bytes each
		r, s, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			return nil, err
		}
		out := make([]byte, 64)
		r.FillBytes(out[:32])
		s.FillBytes(out[32:])
		return out, nil
	default:
		if key.Algorithm == "EdDSA" {
			return key.Sign(rand.Reader, text, crypto.Hash(0))
		}
		return key.Sign(rand.Reader, sum[:], crypto.SHA256)
	}
}
