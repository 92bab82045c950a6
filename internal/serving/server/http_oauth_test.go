package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// get sends a GET without a body.
func (h *site) get(path string, headers ...string) (status int, body string, header http.Header) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "http://"+h.addr+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	setHeaders(r, headers)
	return h.do(r)
}

var oauthPaths = []string{
	"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp",
	"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp",
	"/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp", "/mcp/.well-known/openid-configuration",
	"/register", "/authorize", "/token",
}

// A client that looks for OAuth finds none, with or without a token, and so does not log in.
func TestOAuthPathsWithoutOAuth(t *testing.T) {
	for _, opts := range []HTTPOptions{{}, {Token: token}} {
		h := serveSite(t, newBench(t, nil).server, opts)
		for _, path := range oauthPaths {
			status, body, header := h.get(path)
			var said struct {
				Error       string `json:"error"`
				Description string `json:"error_description"`
			}
			if err := json.Unmarshal([]byte(body), &said); status != http.StatusNotFound || err != nil || said.Error == "" || said.Description == "" ||
				header.Get("Content-Type") != "application/json" || header.Get("WWW-Authenticate") != "" {
				t.Errorf("%s: %d %v %s", path, status, header, body)
			}
			if status, _, _ := h.get(path, "Host: evil.com"); status != http.StatusForbidden {
				t.Errorf("%s for another host: %d", path, status)
			}
			if status, _, _ := h.get(path, "Origin: https://evil.com"); status != http.StatusForbidden {
				t.Errorf("%s for a page of another host: %d", path, status)
			}
		}
		status, _, header := h.get(Endpoint + "x/.well-known/openid-configuration")
		if opts.Token != "" && (status != http.StatusUnauthorized || strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata")) {
			t.Errorf("another path: %d %v", status, header)
		}
	}
}

// testOAuth accepts the tokens "good-SUBJECT", and "poor-SUBJECT" without the scope.
func testOAuth(t testing.TB) *OAuth {
	t.Helper()
	resource, err := url.Parse("https://tools.example.com/base/mcp")
	if err != nil {
		t.Fatal(err)
	}
	return &OAuth{
		Resource: resource, Issuer: "https://login.example.com", Scopes: []string{"tools", "files:read"},
		Verify: func(_ context.Context, token string) (Identity, error) {
			kind, subject, _ := strings.Cut(token, "-")
			who := Identity{Subject: subject, Scopes: []string{"files:read", "other", "tools"}, Until: time.Now().Add(time.Hour)}
			switch kind {
			case "good":
				return who, nil
			case "poor":
				who.Scopes = who.Scopes[:2]
				return who, nil
			case "down":
				return Identity{}, errors.New("no keys")
			}
			return Identity{}, &TokenError{"the token has expired"}
		},
	}
}

func as(subject string) string { return "Authorization: Bearer good-" + subject }

func TestOAuthMetadata(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{OAuth: testOAuth(t), Token: token})
	const want = `{"resource":"https://tools.example.com/base/mcp","authorization_servers":["https://login.example.com"],` +
		`"scopes_supported":["tools","files:read"],"bearer_methods_supported":["header"]}` + "\n"
	for _, path := range []string{"", "/mcp", "/base/mcp"} {
		status, body, header := h.get("/.well-known/oauth-protected-resource" + path)
		if status != http.StatusOK || body != want || header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %s", path, status, header, body)
		}
		if status, _, _ := h.get("/.well-known/oauth-protected-resource"+path, "Host: evil.com"); status != http.StatusForbidden {
			t.Errorf("%s for another host: %d", path, status)
		}
		r := h.request(t.Context(), "{}")
		r.URL.Path = "/.well-known/oauth-protected-resource" + path
		if status, _, header := h.do(r); status != http.StatusMethodNotAllowed || header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: %d %v", path, status, header)
		}
	}
	for _, path := range append(oauthPaths[2:], "/.well-known/oauth-protected-resource/other") {
		if status, body, _ := h.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestOAuthChallenges(t *testing.T) {
	log := &syncBuffer{}
	b := newBench(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	h := serveSite(t, b.server, HTTPOptions{OAuth: testOAuth(t), Token: token})
	const begin, end = `Bearer resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/base/mcp"`, `, scope="tools files:read"`
	for name, c := range map[string]struct {
		status    int
		challenge string
		headers   []string
	}{
		"none":        {401, begin + end, nil},
		"basic":       {401, begin + end, []string{"Authorization: Basic good-alice"}},
		"bare":        {401, begin + end, []string{"Authorization: good-alice"}},
		"expired":     {401, begin + `, error="invalid_token", error_description="the token has expired"` + end, []string{"Authorization: Bearer late-alice-secret"}},
		"two":         {400, begin + `, error="invalid_request", error_description="the Authorization header is given twice"` + end, []string{as("alice"), as("alice")}},
		"scope":       {403, begin + `, error="insufficient_scope", error_description="the access token has not the scope tools"` + end, []string{"Authorization: Bearer poor-alice-secret"}},
		"down":        {503, "", []string{"Authorization: Bearer down-alice-secret"}},
		"right":       {200, "", []string{as("alice")}},
		"other case":  {200, "", []string{"Authorization: bearer good-alice"}},
		"static":      {200, "", []string{"Authorization: Bearer " + token}},
		"wrong page":  {403, "", []string{as("alice"), "Origin: https://evil.com"}},
		"static, two": {400, begin + `, error="invalid_request", error_description="the Authorization header is given twice"` + end, []string{"Authorization: Bearer " + token, as("alice")}},
	} {
		status, body, header := h.do(h.request(t.Context(), ping, c.headers...))
		if status != c.status || header.Get("WWW-Authenticate") != c.challenge || strings.Contains(body, "secret") || status == 503 && header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v %s", name, status, header, body)
		}
	}
	r := h.request(t.Context(), ping)
	r.URL.RawQuery = "access_token=good-alice"
	if status, _, _ := h.do(r); status != http.StatusUnauthorized {
		t.Errorf("in the query: %d", status)
	}
	for _, path := range []string{metricsPath, "/other"} {
		if status, _, _ := h.get(path); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _, _ := h.get(healthPath); status != http.StatusOK {
		t.Errorf("health: %d", status)
	}
	if strings.Contains(log.String(), "secret") || strings.Contains(log.String(), "good-") {
		t.Errorf("the log has a token: %s", log.String())
	}
}

// A session, its questions and its calls belong to the subject of the token.
func TestOAuthSessionsOfSubjects(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{OAuth: testOAuth(t), Token: token})
	mine := "Mcp-Session-Id: " + newSession([]byte(`{"elicitation":{"form":{}}}`))
	others := [][]string{{mine, as("bob")}, {mine, "Authorization: Bearer " + token}, {mine, as(`alice" "`)}}

	s := h.open(h.request(t.Context(), legacyAsk, mine, as("alice")))
	s.want(questionNo(1))
	for _, headers := range others {
		if status, body := h.post(answerNo(1), headers...); status != http.StatusBadRequest {
			t.Errorf("%q answers: %d %s", headers, status, body)
		}
		h.cancelPost(http.StatusNotFound, 1, headers...)
	}
	if status, body := h.post(answerNo(1), mine, as("alice")); status != http.StatusAccepted {
		t.Errorf("%d %s", status, body)
	}
	s.want(legacyResult)

	s = h.open(h.request(t.Context(), strings.Replace(legacyAsk, `"id":1`, `"id":2`, 1), mine, as("alice")))
	s.want(questionNo(2))
	for _, headers := range others {
		h.cancelPost(http.StatusNotFound, 2, headers...)
	}
	h.cancelPost(http.StatusAccepted, 2, mine, as("alice"))
	s.want(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"toolgraph-2"}}`)
	b.noneLeft(t)
}

// So does the state of a question in the modern era.
func TestOAuthStatesOfSubjects(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{OAuth: testOAuth(t), Token: token})
	_, headers := modernCall(1, "ask", "{}")
	_, body := h.post(askCall(1, "ask", ""), append(headers, as("alice"))...)
	answer := askCall(2, "ask", answering(stateOf(t, body), accepted))
	for _, other := range []string{as("bob"), "Authorization: Bearer " + token} {
		if _, body := h.post(answer, append(headers, other)...); !strings.Contains(body, unknownState) {
			t.Errorf("%s: %s", other, body)
		}
	}
	if _, body := h.post(answer, append(headers, as("alice"))...); !strings.Contains(body, askedResult) {
		t.Errorf("%s", body)
	}
}

// The subject reaches the run, also that of a call which outlives its request.
func TestSubjectOf(t *testing.T) {
	for name, c := range map[string]struct {
		header, meta, want string
	}{
		"legacy": {as("alice"), "", "alice"}, "asking": {as("alice"), askingMeta, "alice"}, "static": {"Authorization: Bearer " + token, "", ""},
	} {
		var got atomic.Value
		b := doing(t, func(ctx context.Context, _ Watch) { got.Store(SubjectOf(ctx)) })
		h := serveSite(t, b.server, HTTPOptions{OAuth: testOAuth(t), Token: token})
		headers, meta := []string{c.header}, ""
		if c.meta != "" {
			_, modern := modernCall(1, "do", "{}")
			headers, meta = append(headers, modern...), ","+c.meta
		}
		_, body := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do","arguments":{}`+meta+`}}`, headers...)
		if got.Load() != c.want {
			t.Errorf("%s: %v: %s", name, got.Load(), body)
		}
	}
}

// A stream ends when the token of its client does.
func TestOAuthStreamEnds(t *testing.T) {
	oauth := testOAuth(t)
	verify := oauth.Verify
	oauth.Verify = func(ctx context.Context, token string) (Identity, error) {
		who, err := verify(ctx, token)
		who.Until = time.Now().Add(50 * time.Millisecond)
		return who, err
	}
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{OAuth: oauth})
	r := h.request(t.Context(), "", as("alice"), "Accept:", "Accept: text/event-stream")
	r.Method = http.MethodGet
	if got := h.open(r).next(); got != "" {
		t.Errorf("got %s", got)
	}
}
