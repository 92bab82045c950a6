package mcpclient

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"toolgraph/config"
)

const hidden = "hunter2-is/my pass+word"

// leaks reports the forms of the secret that are in a text.
func leaks(text string) []string {
	var found []string
	for _, form := range []string{hidden, url.QueryEscape(hidden), base64.StdEncoding.EncodeToString([]byte(hidden))} {
		if strings.Contains(text, form) {
			found = append(found, form)
		}
	}
	return found
}

func TestS05S06SecretsOfAServerInErrorsAndLogs(t *testing.T) {
	var log bytes.Buffer
	var mu sync.Mutex
	logger := slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p := pool(t, fake(t), WithLogger(logger), WithSecrets(config.NewSecrets(hidden)))
	for _, form := range []string{hidden, url.QueryEscape(hidden), base64.StdEncoding.EncodeToString([]byte(hidden))} {
		args := `{"code":3,"message":"login failed with ` + form + `"}`
		for tool, code := range map[string]string{"fail": CodeToolError, "rpcerror": CodeRPCError, "die": CodeServerExited} {
			e := mustFail(t, p, tool, args, code)
			if found := leaks(e.Error()); len(found) > 0 || !strings.Contains(e.Error(), "login failed with [redacted]") {
				t.Errorf("%s: %q shows %q", tool, e, found)
			}
		}
		mustCall(t, p, "stderr", args, `"said"`)
		mustCall(t, p, "garbage", args, `"right"`)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if found := leaks(log.String()); len(found) > 0 || !strings.Contains(log.String(), "[redacted]") {
		t.Errorf("the log shows %q:\n%s", found, log.String())
	}
}

func TestS11LinesOfAServerCannotForgeOthers(t *testing.T) {
	p := pool(t, fake(t))
	e := mustFail(t, p, "die", `{"code":1,"message":"\u001b[31mred\u001b[0m \u202eevil\u202c\u0007\r\u0000done"}`, CodeServerExited)
	if strings.ContainsAny(e.Error(), "\x1b\u202e\u202c\x07\r\x00") || !strings.Contains(e.Error(), `red \u202eevil\u202c\a\r\x00done`) {
		t.Errorf("got %q", e)
	}
}

func TestT12ServersSeeTheirOwnSecretsOnly(t *testing.T) {
	one, other := fake(t), fake(t)
	one.Env = []config.Setting{{Name: text("TOKEN_ONE"), Value: text("first-secret")}}
	other.Name = text("other")
	other.Env = []config.Setting{{Name: text("TOKEN_OTHER"), Value: text("second-secret")}}
	p := NewPool([]*config.Upstream{one, other})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	got, err := callTool(p, "env", `{}`)
	if err != nil || !strings.Contains(got, "first-secret") || strings.Contains(got, "TOKEN_OTHER") || strings.Contains(got, "second-secret") {
		t.Errorf("got %s, %v", got, err)
	}
}

// What a server over HTTP says of a secret, in whatever part of an answer, is hidden.
func TestS06SecretsOfAServerOverHTTP(t *testing.T) {
	rpc := func(fail string) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":%q}}`, fail)
		}
	}
	for name, serve := range map[string]http.HandlerFunc{
		"error": rpc("no access with " + hidden),
		"status": func(out http.ResponseWriter, _ *http.Request) {
			http.Error(out, "boom "+hidden, http.StatusInternalServerError)
		},
		"type": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "text/"+url.QueryEscape(hidden))
			_, _ = fmt.Fprint(out, hidden)
		},
		"redirect": func(out http.ResponseWriter, r *http.Request) {
			http.Redirect(out, r, "http://other.test/"+url.QueryEscape(hidden), http.StatusTemporaryRedirect)
		},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			serve(out, r)
		}))
		u := &config.Upstream{
			Name: text("fake"), Transport: config.StreamableHTTP, URL: text(s.URL + "/mcp?key=" + url.QueryEscape(hidden)),
			Headers: []config.Setting{{Name: text("X-Key"), Value: text(hidden)}},
		}
		e := mustFail(t, pool(t, u, withAdjust(allowPrivate), WithSecrets(config.NewSecrets(hidden))), "echo", `{}`, CodeServerStart)
		if found := leaks(e.Error()); len(found) > 0 {
			t.Errorf("%s: %q shows %q", name, e, found)
		}
		s.Close()
	}
}
