package mcpclient

import (
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// hostile is a pool on a server that is only this handler, with small limits.
func hostile(t *testing.T, h http.HandlerFunc) (*Pool, *httptest.Server) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the client is not noticed
		h(out, r)
	}))
	t.Cleanup(s.Close)
	u := &config.Upstream{
		Name: text("fake"), Transport: config.StreamableHTTP, URL: text(s.URL),
		Headers: []config.Setting{{Name: text("X-Api-Key"), Value: text("s3cret-token")}},
	}
	return pool(t, u, withAdjust(func(set *settings) {
		set.AllowPrivate, set.maxMessage = true, 1<<20
	})), s
}

// hostileCase is a server that answers everything this way, and what is said of it.
type hostileCase struct {
	name, want string
	serve      http.HandlerFunc
}

// tooMuch are servers that send too much, or nothing, for too long.
func tooMuch() []hostileCase {
	endless := func(out http.ResponseWriter, kind, piece string) {
		out.Header().Set("Content-Type", kind)
		for range 1 << 20 {
			if _, err := io.WriteString(out, piece); err != nil {
				return
			}
		}
	}
	kilobyte := strings.Repeat(" ", 1024)
	return []hostileCase{
		{"1 GB body", "larger than the limit", func(out http.ResponseWriter, _ *http.Request) { endless(out, "application/json", kilobyte) }},
		{"endless event", "larger than the limit", func(out http.ResponseWriter, _ *http.Request) {
			endless(out, "text/event-stream", "data: "+strings.Repeat(kilobyte, 64)+"\n")
		}},
		{"endless events", "within 100ms", func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(out, "data: {}\n\n"); err != nil {
					return
				}
				out.(http.Flusher).Flush()
			}
		}},
		{"slow", "within 100ms", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"gzip bomb", "larger than the limit", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "application/json")
			out.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(out)
			for range 32 { // 2 MiB in 2 KiB
				if _, err := io.WriteString(z, strings.Repeat(kilobyte, 64)); err != nil {
					return
				}
			}
			_ = z.Close()
		}},
	}
}

// oddAnswers are servers that answer something else than asked.
func oddAnswers() []hostileCase {
	return []hostileCase{
		{"redirects", "redirects more than", func(out http.ResponseWriter, r *http.Request) {
			http.Redirect(out, r, "/again", http.StatusTemporaryRedirect)
		}},
		{"unauthorized", "asks for authorization", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://elsewhere.test/x"`)
			out.WriteHeader(http.StatusUnauthorized)
		}},
		{"huge header", "cannot be reached", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("X-Big", strings.Repeat("x", 1<<20))
		}},
		{"broken off", "cannot be reached", func(out http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }},
		{"html", "text/html", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(out, "<html>")
		}},
		{"not found", "status 404 Not Found: 404 page not found; check its url", http.NotFound},
		{"failing", "status 500", func(out http.ResponseWriter, _ *http.Request) {
			http.Error(out, "boom", http.StatusInternalServerError)
		}},
	}
}

func TestN10HostileServers(t *testing.T) {
	for _, c := range append(tooMuch(), oddAnswers()...) {
		t.Run(c.name, func(t *testing.T) {
			p, _ := hostile(t, c.serve)
			if strings.HasPrefix(c.want, "within") {
				p.servers["fake"].conf.StartTimeout = 100 * time.Millisecond
			}
			e := mustFail(t, p, "echo", `{}`, CodeServerStart)
			if !strings.Contains(e.Error(), c.want) {
				t.Errorf("%q is missing in %q", c.want, e)
			}
		})
	}
}

func TestN10HeadersStayWithTheirHost(t *testing.T) {
	var seen []http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Header) }))
	t.Cleanup(other.Close)
	p, _ := hostile(t, func(out http.ResponseWriter, r *http.Request) {
		http.Redirect(out, r, other.URL, http.StatusPermanentRedirect)
	})
	mustFail(t, p, "echo", `{}`, CodeServerStart)
	if len(seen) != 0 {
		t.Errorf("another host was sent %v", seen)
	}
}

func TestN11BadCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	u := &config.Upstream{Name: text("fake"), Transport: config.StreamableHTTP, URL: text(s.URL)}
	p := pool(t, u, withAdjust(allowPrivate))
	if e := mustFail(t, p, "echo", `{}`, CodeServerStart); !strings.Contains(e.Error(), "is not trusted") {
		t.Errorf("got %q", e)
	}
}

func TestS07ErrorsNameTheHostOnly(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	host := strings.TrimPrefix(s.URL, "http://")
	s.Close() // nothing listens there now
	for _, kind := range []config.Transport{config.StreamableHTTP, config.SSE} {
		for _, url := range []string{"http://user:hunter2pass@" + host + "/mcp?key=hunter2key", "ftp://user:hunter2pass@x/?key=hunter2key", "http://u:hunter2pass@\x7f"} {
			u := &config.Upstream{Name: text("fake"), Transport: kind, URL: text(url)}
			e := mustFail(t, pool(t, u, withAdjust(allowPrivate)), "echo", `{}`, CodeServerStart)
			if strings.Contains(e.Error(), "hunter2") || strings.Contains(url, host) && !strings.Contains(e.Error(), host) {
				t.Errorf("got %q", e)
			}
		}
	}
}
