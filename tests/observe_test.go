package tests

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// collector keeps what is posted to it.
type collector struct {
	*httptest.Server
	mu   sync.Mutex // guards seen
	seen bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		fmt.Fprintln(&c.seen, r.URL.Path)
		c.seen.Write(raw)
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.String()
}

// The spans of a run leave the process when it ends, in the host's trace, and hold no
// values.
func TestTracesOfARunningServer(t *testing.T) {
	t.Parallel()
	to := newCollector(t)
	f := newGraphFile(t, mirror)
	s := startCommand(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + to.URL}, "serve", "-g", f.path, "--otel")
	s.handshake()
	r := s.request("tools/call", `{"name":"mirror","arguments":{"id":424242,"ms":0},`+
		`"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`)
	if got := s.result(r).text(t); !strings.Contains(got, "424242") {
		t.Fatal(got)
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
	sent := to.String()
	for _, want := range []string{"/v1/traces", "tools/call mirror", "toolgraph.node.id", "\x0a\xf7\x65\x19\x16\xcd\x43\xdd"} {
		if !strings.Contains(sent, want) {
			t.Errorf("no %q in what was sent", want)
		}
	}
	if strings.Contains(sent, "424242") {
		t.Error("a value was sent")
	}
}

func TestMetricsOfARunningServer(t *testing.T) {
	t.Parallel()
	_, addr := startHTTP(t, mirror, nil, "--metrics")
	for i := range 3 {
		if status, body := post(t, addr, "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mirror","arguments":{"id":%d,"ms":0}}}`, i, i)); status != http.StatusOK {
			t.Fatal(body)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`toolgraph_runs_total{outcome="ok",tool="mirror"} 3`, `toolgraph_calls_total{outcome="ok"`} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
}
