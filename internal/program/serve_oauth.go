package program

import (
	"cmp"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/authorize"
	"toolgraph/internal/serving/server"
)

// Variables that are used where the flag is not given. Lists have spaces between their items.
const (
	issuerVariable   = "TOOLGRAPH_OAUTH_ISSUER"
	resourceVariable = "TOOLGRAPH_OAUTH_RESOURCE"
	audienceVariable = "TOOLGRAPH_OAUTH_AUDIENCE"
	scopesVariable   = "TOOLGRAPH_OAUTH_SCOPES"
	keysVariable     = "TOOLGRAPH_OAUTH_JWKS"
)

// oauthFlags say which access tokens serve accepts over HTTP.
type oauthFlags struct {
	issuer, resource, keys string
	audiences, scopes      []string
}

func (f *oauthFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.issuer, "oauth-issuer", "", "`URL` of the OAuth authorization server whose access tokens are accepted (default $"+issuerVariable+")")
	cmd.Flags().StringVar(&f.resource, "oauth-resource", "", "`URL` of this server as clients write it, such as https://HOST/mcp (default $"+resourceVariable+")")
	cmd.Flags().StringSliceVar(&f.audiences, "oauth-audience", nil, "`name` that tokens have in aud instead of the URL of --oauth-resource; may be repeated (default $"+audienceVariable+")")
	cmd.Flags().StringSliceVar(&f.scopes, "oauth-scopes", nil, "`scope` that each token must have; may be repeated (default $"+scopesVariable+")")
	cmd.Flags().StringVar(&f.keys, "oauth-jwks", "", "`URL or file` of the issuer's public keys, if its metadata does not name them (default $"+keysVariable+")")
}

// given reports whether a flag is given.
func (f *oauthFlags) given() bool {
	return f.issuer != "" || f.resource != "" || f.keys != "" || len(f.audiences) > 0 || len(f.scopes) > 0
}

// withVariables returns the flags with the variables in place of those that are not given.
func (f *oauthFlags) withVariables() *oauthFlags {
	list := func(given []string, variable string) []string {
		if len(given) > 0 {
			return given
		}
		return strings.Fields(os.Getenv(variable))
	}
	return &oauthFlags{
		issuer: cmp.Or(f.issuer, os.Getenv(issuerVariable)), resource: cmp.Or(f.resource, os.Getenv(resourceVariable)),
		keys: cmp.Or(f.keys, os.Getenv(keysVariable)), audiences: list(f.audiences, audienceVariable), scopes: list(f.scopes, scopesVariable),
	}
}

// resourceServer checks the flags and the variables; it is nil without an issuer.
func (f *oauthFlags) resourceServer() (*server.OAuth, error) {
	f = f.withVariables()
	switch {
	case !f.given():
		return nil, nil //nolint:nilnil // no OAuth
	case f.issuer == "":
		return nil, Usagef("the --oauth-… flags require --oauth-issuer URL, or %s", issuerVariable)
	case f.resource == "":
		return nil, Usagef("--oauth-issuer requires --oauth-resource URL, the address of this server as clients write it, such as http://localhost:8080%[1]s or https://HOST%[1]s", server.Endpoint)
	}
	u, err := url.Parse(f.resource)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, Usagef("--oauth-resource is %s, expected a URL without query, such as https://HOST%s", wording.Quote(f.resource), server.Endpoint)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Scheme == "http" && u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return nil, Usagef("--oauth-resource is %s, but others on the way could read the tokens; put a proxy with TLS in front of this server and give its https address", wording.Quote(f.resource))
	}
	for _, words := range [][]string{{f.issuer}, f.audiences, f.scopes} {
		for _, word := range words {
			if word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
				return nil, Usagef("%s has a character that is not allowed in --oauth-issuer, --oauth-audience and --oauth-scopes, expected printable ASCII without spaces, quotes and backslashes", wording.Quote(word))
			}
		}
	}
	return &server.OAuth{Resource: u, Issuer: f.issuer, Scopes: f.scopes}, nil
}

// verifier returns the verifier of the tokens for a resource, which begins to load the keys.
func (f *oauthFlags) verifier(resource *url.URL, log *slog.Logger) (*authorize.Verifier, error) {
	f = f.withVariables()
	if len(f.audiences) == 0 {
		f.audiences = []string{resource.String()}
	}
	return authorize.New(authorize.Options{Issuer: f.issuer, Audiences: f.audiences, Keys: f.keys, Logger: log})
}
