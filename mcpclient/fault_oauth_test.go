package mcpclient

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"toolgraph/config"
)

const metadataSecret = "credentials-of-the-cloud"

// What an authorization server answers, in whatever place, is in no error.
func TestV10AnswersOfOAuthAreNotShown(t *testing.T) {
	page := func(status int, body string) func(http.ResponseWriter) {
		return func(out http.ResponseWriter) {
			out.WriteHeader(status)
			_, _ = io.WriteString(out, body)
		}
	}
	for name, c := range map[string]struct {
		path  string
		serve func(http.ResponseWriter)
		want  string
	}{
		"metadata of the resource":     {"/.well-known/oauth-protected-resource/mcp", page(200, metadataSecret), "as OAuth requires"},
		"its status":                   {"/.well-known/oauth-protected-resource/mcp", page(500, metadataSecret), "status 500 Internal Server Error"},
		"another resource":             {"/.well-known/oauth-protected-resource/mcp", page(200, `{"resource":"https://`+metadataSecret+`.test","authorization_servers":["x"]}`), ""},
		"metadata":                     {"/.well-known/oauth-authorization-server", page(200, metadataSecret), "publishes no metadata"},
		"another issuer":               {"/.well-known/oauth-authorization-server", page(200, `{"issuer":"https://`+metadataSecret+`.test","code_challenge_methods_supported":["S256"]}`), "another issuer"},
		"registration":                 {"/register", page(403, metadataSecret), "status 403 Forbidden"},
		"registration refused":         {"/register", page(400, `{"error":"invalid_redirect_uri","error_description":"`+metadataSecret+`"}`), "invalid_redirect_uri"},
		"registration in other words":  {"/register", page(400, `{"error":"`+metadataSecret+`"}`), "an error that OAuth does not define"},
		"registration that is no JSON": {"/register", page(201, metadataSecret), "as OAuth requires"},
		"token":                        {"/token", page(500, metadataSecret), "status 500 Internal Server Error"},
		"token refused":                {"/token", page(400, `{"error":"invalid_grant","error_description":"`+metadataSecret+`"}`), "invalid_grant"},
		"token refused with 200":       {"/token", page(200, `{"error":"`+metadataSecret+`","error_uri":"`+metadataSecret+`"}`), "an error that OAuth does not define"},
		"token that is no JSON":        {"/token", page(200, "{"+metadataSecret), "as OAuth requires"},
		"an endless token":             {"/token", page(200, `"`+strings.Repeat(metadataSecret, metadataMost/len(metadataSecret)+1)), "larger than the limit"},
		"metadata that are no HTTP":    {"/.well-known/oauth-authorization-server", nil, ""},
		"token that is no HTTP":        {"/token", nil, "not HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, 3600)
			for _, s := range []*httptest.Server{g.issuer, g.Server} {
				inner := s.Config.Handler
				s.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
					switch {
					case r.URL.Path != c.path:
						inner.ServeHTTP(out, r)
					case c.serve == nil:
						conn, _, _ := out.(http.Hijacker).Hijack()
						_, _ = io.WriteString(conn, "SSH-2.0-"+metadataSecret+"\r\n\r\n")
						conn.Close()
					default:
						c.serve(out)
					}
				})
			}
			p := pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(t.TempDir()))
			err := login(t, p, agree(t))
			if err == nil || strings.Contains(err.Error(), "credentials") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// The same for a renewal, whose errors are those of calls.
func TestV10AnswersOfRenewalsAreNotShown(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"` + metadataSecret + `"}`: "an error that OAuth does not define",
		metadataSecret:                       "status 429 Too Many Requests, retry after 20s",
	} {
		g := newGuarded(t, 1)
		_, dir := loggedIn(t, g)
		inner := g.issuer.Config.Handler
		g.issuer.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/token" {
				inner.ServeHTTP(out, r)
				return
			}
			out.Header().Set("Retry-After", "20")
			out.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(out, body)
		})
		_, err := callTool(pool(t, g.upstream("/mcp"), withAdjust(allowPrivate), WithTokenDir(dir)), "echo", `{}`)
		if err == nil || strings.Contains(err.Error(), "credentials") || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

// Endpoints that are no web addresses are named, and the login does not guess others.
func TestV22EndpointsThatAreNotHTTP(t *testing.T) {
	for address, want := range map[string]string{
		"ftp://127.0.0.1/register": `the registration_endpoint with the scheme "ftp", expected https`,
		"javascript:alert(1)":      `the registration_endpoint with the scheme "javascript", expected https`,
		"file:///etc/passwd":       `the registration_endpoint with the scheme "file", expected https`,
		"/register":                `the registration_endpoint with the scheme "", expected https`,
		"https:///register":        "the registration_endpoint that is not a URL",
	} {
		g := newGuarded(t, 3600)
		g.describe = func(m map[string]any) { m["registration_endpoint"] = address }
		said := refusedLogin(t, g)
		if host := mustURL(t, g.issuer.URL).Host; !strings.Contains(said, "the OAuth metadata of "+host+" have "+want) || g.registered != 0 {
			t.Errorf("%s: got %q, %d registered", address, said, g.registered)
		}
	}
	g := newGuarded(t, 3600)
	g.describe = func(m map[string]any) { m["op_policy_uri"] = "ftp://x/policy" }
	if said := refusedLogin(t, g); !strings.Contains(said, "the op_policy_uri with the scheme \"ftp\"") {
		t.Errorf("got %q", said)
	}
	g = newGuarded(t, 3600)
	g.protect = func(m map[string]any) { m["authorization_servers"] = []string{"ftp://127.0.0.1/as"} }
	if said := refusedLogin(t, g); !strings.Contains(said, "the authorization server with the scheme \"ftp\", expected https") {
		t.Errorf("got %q", said)
	}
}

func TestOAuthByPlainHTTPOnlyAtTheHostOfTheURL(t *testing.T) {
	client := newOAuthClient(mustURL(t, "http://mcp.test/mcp"), settings{Upstream: config.Upstream{AllowPrivate: true}, connected: (&diary{}).write})
	for _, address := range []string{"http://8.8.8.8/token", "http://auth.test/token"} {
		resp, err := client.PostForm(address, url.Values{})
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, errPlainHTTP) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
