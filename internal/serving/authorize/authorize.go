package authorize

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"toolgraph/internal/serving/server"
)

// Options of New.
type Options struct {
	Issuer    string       // of the tokens, exactly as they name it; a URL
	Audiences []string     // a token must be for one of them; at least one
	Keys      string       // URL or file of a JWK set; "": the metadata of the issuer names it
	Logger    *slog.Logger // nil: nothing is logged
}

// Verifier verifies access tokens. Safe for concurrent use.
type Verifier struct {
	issuer    string
	audiences []string
	keys      *keys
}

// leeway is how far the clocks of this machine and of the issuer may differ.
const leeway = time.Minute

// algorithms are those that need a private key to sign. With any other one, a text that everybody
// knows, such as a public key, would be enough.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// New returns a verifier, which begins to load the keys of the issuer. The error is about an
// option, or about a file with keys.
func New(opts Options) (*Verifier, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if len(opts.Audiences) == 0 {
		return nil, errors.New("there is no audience; without one, tokens for other servers would be valid here")
	}
	load, err := source(opts.Issuer, opts.Keys)
	if err != nil {
		return nil, err
	}
	v := &Verifier{issuer: opts.Issuer, keys: &keys{load: load, log: opts.Logger.With("issuer", opts.Issuer)}}
	for _, audience := range opts.Audiences {
		v.audiences = append(v.audiences, canonical(audience))
	}
	v.keys.begin()
	return v, nil
}

// claims are the contents of a token that count.
type claims struct {
	jwt.Claims
	Scope   words           `json:"scope"`
	Scp     words           `json:"scp"` // the name that some issuers use
	Binding json.RawMessage `json:"cnf"`
}

// words are a list, or a text of words with spaces between them.
type words []string

func (w *words) UnmarshalJSON(src []byte) error {
	var text string
	if json.Unmarshal(src, &text) == nil {
		*w = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(src, (*[]string)(w))
}

// Verify returns who sends a request with this token. The error is a *server.TokenError when the
// token is invalid, and another one when that cannot be decided now.
func (v *Verifier) Verify(ctx context.Context, token string) (server.Identity, error) {
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return server.Identity{}, refused("the token is not a JWT with an asymmetric signature")
	}
	header := parsed.Headers[0]
	if !isAccessToken(header.ExtraHeaders[jose.HeaderType]) {
		return server.Identity{}, refused("the token is of another type, expected at+jwt or JWT")
	}
	candidates, err := v.keys.find(ctx, header.KeyID, header.Algorithm)
	if err != nil {
		return server.Identity{}, err
	}
	extended := false
	signed := func(key jose.JSONWebKey) bool {
		err := parsed.Claims(key.Key)
		extended = errors.Is(err, jose.ErrUnsupportedCriticalHeader)
		return err == nil
	}
	switch {
	case slices.ContainsFunc(candidates, signed):
	case extended:
		return server.Identity{}, refused("the token requires an extension, by crit of its header, that is not supported")
	default:
		return server.Identity{}, refused("the signature of the token is wrong")
	}
	var c claims
	if parsed.UnsafeClaimsWithoutVerification(&c) != nil { // verified above
		return server.Identity{}, refused("the token has claims of an unexpected form")
	}
	if err := v.check(&c); err != nil {
		return server.Identity{}, err
	}
	return server.Identity{Subject: c.Subject, Scopes: append(c.Scope, c.Scp...), Until: c.Expiry.Time().Add(leeway)}, nil
}

// check checks the claims of a token whose signature is right.
func (v *Verifier) check(c *claims) error {
	for i, audience := range c.Audience {
		c.Audience[i] = canonical(audience)
	}
	err := c.ValidateWithLeeway(jwt.Expected{Issuer: v.issuer, AnyAudience: v.audiences}, leeway)
	switch {
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return refused("the token is from another issuer, expected " + v.issuer)
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refused("the token is for another audience, expected " + strings.Join(v.audiences, " or "))
	case errors.Is(err, jwt.ErrExpired):
		return refused("the token has expired")
	case err != nil:
		return refused("the token is not valid yet")
	case c.Expiry == nil:
		return refused("the token has no exp")
	case c.Subject == "":
		return refused("the token has no sub")
	case c.Binding != nil:
		return refused("the token is bound to a key by cnf, expected a bearer token")
	}
	return nil
}

func refused(reason string) error { return &server.TokenError{Reason: reason} }

// isAccessToken reports whether typ can be that of an access token. RFC 9068 requires at+jwt, and
// many issuers write JWT or nothing. The others are tokens for other purposes.
func isAccessToken(typ any) bool {
	if typ == nil {
		return true
	}
	text, _ := typ.(string)
	switch strings.TrimPrefix(strings.ToLower(text), "application/") {
	case "at+jwt", "jwt":
		return true
	}
	return false
}

// canonical returns an audience in the form in which it is compared: a URL with its scheme and
// host in lower case, and without the path "/". Clients write the URL of a server in both ways.
func canonical(audience string) string {
	u, err := url.Parse(audience)
	if err != nil || u.Host == "" {
		return audience
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Path == "/" {
		u.Path = ""
	}
	return u.String()
}
