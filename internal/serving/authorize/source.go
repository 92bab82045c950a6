package authorize

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"toolgraph/internal/base/wording"
	"toolgraph/mcpclient"
)

const (
	documentMost = 1 << 20 // bytes of metadata, or of a set of keys
	keysMost     = 64      // of a set; others are ignored
	minRSA       = 2048    // bits
	maxRSA       = 8192    // bits; larger keys take long to verify with
)

// source returns the function that loads the keys of an issuer: from a file, from a URL, or from
// the URL that its metadata name.
func source(issuer, from string) (func(context.Context) ([]jose.JSONWebKey, error), error) {
	base, err := secureURL(issuer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the issuer %s %w", wording.Quote(issuer), err)
	case base.RawQuery != "" || base.Fragment != "" || base.User != nil:
		return nil, fmt.Errorf("the issuer %s has more than a host and a path; write it exactly as iss of its tokens", wording.Quote(base.Redacted()))
	case from == "":
		d := documents{mcpclient.NewFetcher(base)}
		return func(ctx context.Context) ([]jose.JSONWebKey, error) { return d.discover(ctx, issuer, base) }, nil
	case !strings.Contains(from, "://"):
		load := func(context.Context) ([]jose.JSONWebKey, error) { return keysInFile(from) }
		_, err := load(context.Background()) // report errors at start
		return load, err
	}
	set, err := secureURL(from)
	if err != nil {
		return nil, fmt.Errorf("the address of the keys, %s, %w", wording.Quote(from), err)
	}
	d := documents{mcpclient.NewFetcher(set)}
	return func(ctx context.Context) ([]jose.JSONWebKey, error) { return d.keys(ctx, from) }, nil
}

// secureURL parses an address whose answers cannot be changed on the way: https, or http on this
// machine.
func secureURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("is not a URL, expected https://HOST or https://HOST/PATH")
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if u.Scheme == "http" && u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, errors.New("is not secure; use https, which only a loopback address does not need")
	}
	return u, nil
}

// documents fetches documents.
type documents struct{ client *http.Client }

// get returns a document. Errors never contain text of the answer.
func (d documents) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	resp, err := d.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers with status %d", address, resp.StatusCode)
	}
	src, err := io.ReadAll(io.LimitReader(resp.Body, documentMost+1))
	if err == nil && len(src) > documentMost {
		err = fmt.Errorf("the answer of %s is larger than %d bytes", address, documentMost)
	}
	return src, err
}

// discover loads the keys that the metadata of the issuer name. RFC 8414 and OpenID Connect have
// them at different places; the order is that of MCP.
func (d documents) discover(ctx context.Context, issuer string, base *url.URL) ([]jose.JSONWebKey, error) {
	origin, path := base.Scheme+"://"+base.Host, strings.TrimSuffix(base.EscapedPath(), "/")
	places := []string{origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path}
	if path != "" {
		places = append(places, origin+path+"/.well-known/openid-configuration")
	}
	var all []error
	for _, place := range places {
		src, err := d.get(ctx, place)
		if err != nil {
			all = append(all, err)
			continue
		}
		var found struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if err := json.Unmarshal(src, &found); err != nil {
			return nil, fmt.Errorf("%s is not the metadata of an authorization server", place)
		}
		if found.Issuer != issuer {
			return nil, fmt.Errorf("%s names the issuer %s, expected %s; give the issuer exactly so", place, wording.Quote(found.Issuer), wording.Quote(issuer))
		}
		set, err := secureURL(found.Keys)
		if err == nil && set.Scheme == "http" && base.Scheme != "http" {
			err = errors.New("is not secure, though the issuer is")
		}
		if err != nil {
			return nil, fmt.Errorf("the jwks_uri in %s %w", place, err)
		}
		return d.keys(ctx, found.Keys)
	}
	return nil, errors.Join(all...)
}

func (d documents) keys(ctx context.Context, address string) ([]jose.JSONWebKey, error) {
	src, err := d.get(ctx, address)
	if err != nil {
		return nil, err
	}
	return parseKeys(src, address)
}

func keysInFile(path string) ([]jose.JSONWebKey, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, documentMost))
	if err != nil {
		return nil, err
	}
	return parseKeys(src, path)
}

// parseKeys returns the keys of a set that can verify signatures. Others are ignored, as RFC 7517
// requires.
func parseKeys(src []byte, from string) (usable []jose.JSONWebKey, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(src, &set) != nil {
		return nil, fmt.Errorf("%s is not a JWK set", from)
	}
	for _, raw := range set.Keys[:min(len(set.Keys), keysMost)] {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && verifies(&key) {
			usable = append(usable, key)
		}
	}
	if len(usable) == 0 {
		return nil, fmt.Errorf("%s has no key that can be used, expected a public key for signatures: RSA with %d to %d bits, EC or Ed25519", from, minRSA, maxRSA)
	}
	return usable, nil
}

// verifies reports whether a key is public, strong enough, and for signatures.
func verifies(key *jose.JSONWebKey) bool {
	if key.Use != "" && key.Use != "sig" {
		return false
	}
	switch k := key.Key.(type) {
	case *rsa.PublicKey:
		return k.N.BitLen() >= minRSA && k.N.BitLen() <= maxRSA
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false
}
