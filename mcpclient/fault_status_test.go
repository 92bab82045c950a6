package mcpclient

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/config"
)

// failing is a web server that answers tools/call, and more where it is said, with a status.
func failing(t testing.TB, modern bool, every bool, serve http.HandlerFunc) *web {
	w := newWeb(t, func(w *web) { w.modern = modern })
	inner := w.Config.Handler
	w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(raw)))
		if every || strings.Contains(string(raw), `"method":"tools/call"`) {
			serve(out, r)
			return
		}
		inner.ServeHTTP(out, r)
	})
	return w
}

func TestV22StatusesAreReportedAsTheyAre(t *testing.T) {
	long := strings.Repeat("0123456789", 50)
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		want  string // in the error of a call; the whole of it after the host
		wait  time.Duration
	}{
		{"429", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Retry-After", "120")
			http.Error(out, "slow down, please", http.StatusTooManyRequests)
		}, "answered with status 429 Too Many Requests, retry after 2m0s: slow down, please", 2 * time.Minute},
		{"429 of JSON that is no JSON-RPC", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "application/json")
			out.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(out, `{"message":"quota of today used up"}`)
		}, `answered with status 429 Too Many Requests: {"message":"quota of today used up"}`, 0},
		{"500 with 5 MB", func(out http.ResponseWriter, _ *http.Request) {
			out.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(out, long)
			for range 5 << 10 {
				_, _ = io.WriteString(out, strings.Repeat("#", 1<<10))
			}
		}, "answered with status 500 Internal Server Error: " + long + "…", 0},
		{"502 without a body", func(out http.ResponseWriter, _ *http.Request) {
			out.WriteHeader(http.StatusBadGateway)
		}, "answered with status 502 Bad Gateway", 0},
		{"control characters", func(out http.ResponseWriter, _ *http.Request) {
			http.Error(out, "a\x1b[31m\r\n{\"level\":\"info\"}\x00\u202e \xff b", http.StatusServiceUnavailable)
		}, "answered with status 503 Service Unavailable: a\\x1b[31m\\r\\n{\"level\":\"info\"}\\x00\\u202e \uFFFD b", 0},
	} {
		for _, modern := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				w := failing(t, modern, false, c.serve)
				e := mustFail(t, pool(t, w.upstream("/mcp"), withAdjust(allowPrivate)), "echo", `{}`, CodeTransport)
				if want := strings.TrimPrefix(w.URL, "http://") + " " + c.want; e.Message != want || e.RetryAfter != c.wait {
					t.Errorf("got %q after %s, want %q", e.Message, e.RetryAfter, want)
				}
				w = failing(t, modern, true, c.serve)
				e = mustFail(t, pool(t, w.upstream("/mcp"), withAdjust(allowPrivate)), "echo", `{}`, CodeServerStart)
				if want := strings.TrimPrefix(w.URL, "http://") + " " + c.want; e.Message != want {
					t.Errorf("at the start: got %q, want %q", e.Message, want)
				}
			})
		}
		t.Run(c.name+" sse", func(t *testing.T) {
			w := failing(t, false, true, c.serve)
			e := mustFail(t, pool(t, w.upstream("/sse"), withAdjust(allowPrivate)), "echo", `{}`, CodeServerStart)
			if want := strings.TrimPrefix(w.URL, "http://") + " " + c.want; e.Message != want {
				t.Errorf("at the start: got %q, want %q", e.Message, want)
			}
		})
	}
}

// A JSON-RPC error stays one, and carries the status; that of another request is none.
func TestV22StatusesOfJSONRPCErrors(t *testing.T) {
	for id, want := range map[string]string{
		"null": "status 429 Too Many Requests, retry after 30s: the quota is used up (JSON-RPC error -32000)",
		"own":  "status 429 Too Many Requests, retry after 30s: the quota is used up (JSON-RPC error -32000)",
		"7":    "belongs to another request",
	} {
		w := newWeb(t, nil)
		inner := w.Config.Handler
		w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(raw)))
			if !strings.Contains(string(raw), `"method":"tools/call"`) {
				inner.ServeHTTP(out, r)
				return
			}
			own := id
			if id == "own" {
				own = string(w.read(r).ID)
			}
			out.Header().Set("Retry-After", "30")
			out.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":`+own+`,"error":{"code":-32000,"message":"the quota is used up"}}`)
		})
		_, err := callTool(pool(t, w.upstream("/mcp"), withAdjust(allowPrivate)), "echo", `{}`)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("id %s: %q is missing in %v", id, want, err)
		}
	}
}

// The body is redacted before it is cut, so that no part of a secret is left at the end,
// neither of what is shown nor of what was read.
func TestV22BodiesAreRedactedBeforeTheyAreCut(t *testing.T) {
	const secret = "a-secret-of-some-length-0123456789abcdef"
	for name, body := range map[string]string{
		"at the end of what is shown": strings.Repeat("x", excerptMost-20) + secret,
		"at the end of what is read":  strings.Repeat(strings.Repeat("y", 4)+strings.Repeat(secret, 60), 40),
	} {
		w := failing(t, false, false, func(out http.ResponseWriter, _ *http.Request) {
			http.Error(out, body, http.StatusInternalServerError)
		})
		p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate), WithSecrets(config.NewSecrets(secret)))
		e := mustFail(t, p, "echo", `{}`, CodeTransport)
		if strings.Contains(e.Error(), secret[:8]) || !strings.Contains(e.Error(), "status 500") {
			t.Errorf("%s: got %q", name, e)
		}
	}
	key := "long-secret" + strings.Repeat("0123456789", 200) // so few of them fit that the last, cut one would be shown
	only := strings.Repeat(key, errorBodyMost/len(key)+1)[:errorBodyMost]
	if got := (&statusError{body: only, truncated: true}).excerpt(config.NewSecrets(key).Redact); strings.Contains(got, "long-secret") {
		t.Errorf("got %q", got)
	}
}

// The start after a refusal with Retry-After waits for so long, and no request is made
// before: neither another handshake nor another start.
func TestV22RetryAfterIsRespectedByStarts(t *testing.T) {
	var asked atomic.Int32
	w := failing(t, false, true, func(out http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		out.Header().Set("Retry-After", "90")
		http.Error(out, "later", http.StatusTooManyRequests)
	})
	at := newMovedTime()
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate), at.clock(nil))
	mustFail(t, p, "echo", `{}`, CodeServerStart)
	for range 89 {
		at.move(time.Second)
		e := mustFail(t, p, "echo", `{}`, CodeServerStart)
		if !strings.Contains(e.Error(), "the last start failed and the next is tried in") {
			t.Fatalf("got %q", e)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests before the time, want 1", n)
	}
	at.move(time.Second)
	mustFail(t, p, "echo", `{}`, CodeServerStart)
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests after the time, want 2", n)
	}
	b := breaker{now: at.read}
	b.failed(&Error{RetryAfter: waitMost})
	if b.wait() != retryMost || b.open() {
		t.Errorf("waits %s, want %s", b.wait(), retryMost)
	}
}

func TestV22RetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"":                              0,
		"120":                           2 * time.Minute,
		" 5 ":                           5 * time.Second,
		"-5":                            0,
		"1.5":                           0,
		"soon":                          0,
		"9223372036854775807":           waitMost,
		"99999999999999999999999":       0,
		"Sun, 22 Nov 2026 10:01:30 GMT": 90 * time.Second,
		"Sun, 22 Nov 2026 09:00:00 GMT": 0,
		"Sun, 22 Nov 2099 09:00:00 GMT": waitMost,
	} {
		if got := retryAfter(http.Header{"Retry-After": {said}}, now); got != want {
			t.Errorf("%q: got %s, want %s", said, got, want)
		}
	}
}
