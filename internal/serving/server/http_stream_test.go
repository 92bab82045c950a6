package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/expressions/value"
)

// Progress comes in order and before the answer, which is the last event.
func TestHTTPProgress(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	s := h.open(h.request(context.Background(), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"walk","arguments":{"n":1000},"_meta":{"progressToken":7}}}`))
	for i := range 1000 {
		s.want(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":%d,"message":"node"}}`, i+1))
	}
	s.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"1000"}]}}`)
	s.want("")
}

// A stream over HTTP has the heartbeats of either era, and what upstream servers report.
func TestHTTPHeartbeat(t *testing.T) {
	_, headers := modernCall(1, "do", "{}")
	for _, c := range []struct {
		name, meta string
		headers    []string
	}{
		{"legacy", `"_meta":{"progressToken":"p"}`, nil},
		{"modern", strings.Replace(modernMeta, `"_meta":{`, `"_meta":{"progressToken":"p",`, 1), headers},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := doing(t, func(_ context.Context, w Watch) {
					w.Step("entry", 0)
					time.Sleep(3*heartbeat + 1)
					w.Progress(1, 2, "half")
					time.Sleep(time.Second)
				})
				e := &endpoint{server: b.server, opts: HTTPOptions{KeepAlive: time.Hour}, base: t.Context(), closing: make(chan struct{}), sessions: newSessions()}
				r := httptest.NewRequest(http.MethodPost, Endpoint, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"do",`+c.meta+`}}`))
				r.Header.Set("Content-Type", "application/json")
				setHeaders(r, c.headers)
				w := httptest.NewRecorder()
				e.ServeHTTP(w, r)
				time.Sleep(10 * heartbeat)
				var lines []string
				for s := bufio.NewScanner(w.Body); s.Scan(); {
					if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
						lines = append(lines, data)
					}
				}
				n := readNews(t, lines)
				if len(n.Progress) != 5 || len(n.other) != 1 || !strings.Contains(n.other[0], `"id":1`) || lines[5] != n.other[0] || n.Progress[4] < 1.5 {
					t.Errorf("got %+v", n)
				}
			})
		})
	}
}

// A session's level holds for its calls; in the modern era each call has its own.
func TestHTTPLog(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	fail := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail"}}`
	if status, body := h.post(`{"jsonrpc":"2.0","id":0,"method":"logging/setLevel","params":{"level":"error"}}`, "Mcp-Session-Id: mine"); status != 200 || !strings.Contains(body, `"result":{}`) {
		t.Errorf("%d %s", status, body)
	}
	if _, body := h.post(fail, "Mcp-Session-Id: other"); strings.Contains(body, "notifications/message") {
		t.Errorf("unasked: %s", body)
	}
	s := h.open(h.request(context.Background(), fail, "Mcp-Session-Id: mine"))
	if got := s.next(); !strings.Contains(got, `"notifications/message","params":{"level":"error"`) {
		t.Errorf("got %s", got)
	}
	if got := s.next(); !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s", got)
	}
	call, headers := modernCall(1, "fail", "{}")
	m := h.open(h.request(context.Background(), strings.Replace(call, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1), headers...))
	if got := m.next(); !strings.Contains(got, `"notifications/message"`) {
		t.Errorf("got %s", got)
	}
}

// M07 over HTTP: a call is cancelled by closing its request, and by its session.
func TestM07HTTPCancel(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		resp, err := h.client.Do(h.request(ctx, hold(1)))
		if err == nil {
			_ = resp.Body.Close()
		}
		gone <- err
	}()
	b.waitStarted(t, 1)
	cancel()
	if err := <-gone; err == nil {
		t.Error("answered")
	}
	b.waitStopped(t)

	answered := make(chan int, 1)
	go func() {
		status, _ := h.post(hold(2), "Mcp-Session-Id: s")
		answered <- status
	}()
	b.waitStarted(t, 1)
	for _, other := range []string{"Mcp-Session-Id: t", ""} {
		headers := []string{}
		if other != "" {
			headers = append(headers, other)
		}
		h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, headers...)
	}
	select {
	case <-b.stopped:
		t.Error("cancelled by somebody else")
	default:
	}
	h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "Mcp-Session-Id: s")
	b.waitStopped(t)
	if status := <-answered; status != http.StatusAccepted {
		t.Errorf("the cancelled call was answered with %d", status)
	}
}

func (b *bench) waitStopped(t testing.TB) {
	t.Helper()
	select {
	case <-b.stopped:
	case <-time.After(patience):
		t.Fatal("the run goes on")
	}
}

// G16 over HTTP: each stream is notified once, in the way of its era.
func TestG16HTTPReplace(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{KeepAlive: time.Millisecond})
	r, err := http.NewRequest(http.MethodGet, "http://"+h.addr+Endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	old := h.open(r)
	headers := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen"}
	fresh := h.open(h.request(context.Background(), `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modernMeta+`}}`, headers...))
	fresh.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"toolsListChanged":true}}}`)
	nothing := h.open(h.request(context.Background(), `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},`+modernMeta+`}}`, headers...))
	nothing.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{}}}`)
	nothing.want(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`)
	b.waitListeners(t, 2)
	if _, err := b.server.Replace([]Tool{toolOf(t, "new", "", "")}, nil); err != nil {
		t.Fatal(err)
	}
	old.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	fresh.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
	h.end()
	old.want("")
	fresh.want(`{"jsonrpc":"2.0","id":"l","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
	fresh.want("")
}

func (b *bench) waitListeners(t testing.TB, n int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		b.server.mu.Lock()
		got := len(b.server.listeners)
		b.server.mu.Unlock()
		if got == n {
			return
		}
	}
	t.Fatalf("there are not %d listeners", n)
}

// An answer that takes long becomes a stream, so that nothing in between gives up.
func TestHTTPKeepAlive(t *testing.T) {
	b := newBench(t, nil)
	h := serveSite(t, b.server, HTTPOptions{KeepAlive: time.Millisecond})
	s := h.open(h.request(context.Background(), hold(1)))
	if line, err := s.lines.ReadString('\n'); err != nil || line != ":\n" {
		t.Errorf("%v %q", err, line)
	}
	close(b.release)
	s.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\"1\""}]}}`)
}

// G11 over HTTP: beyond the limit a call is refused by name, and ping is answered.
func TestG11HTTPBusy(t *testing.T) {
	b := newBench(t, func(o *Options) { o.MaxRuns = 2 })
	h := serveSite(t, b.server, HTTPOptions{})
	answers := make(chan string, 2)
	for i := range 2 {
		go func() {
			_, body := h.post(hold(i + 1))
			answers <- body
		}()
	}
	b.waitStarted(t, 2)
	if _, body := h.post(hold(3)); !strings.Contains(body, "busy: 2 runs are in flight") {
		t.Errorf("got %s", body)
	}
	if status, body := h.post(ping); status != 200 || body != pong+"\n" {
		t.Errorf("ping: %d %s", status, body)
	}
	close(b.release)
	for range 2 {
		if body := <-answers; strings.Contains(body, "isError") {
			t.Errorf("got %s", body)
		}
	}
}

// At the end, calls in flight are answered; those that take longer than the grace are
// cancelled, and answered so.
func TestHTTPDrain(t *testing.T) {
	for _, c := range []struct {
		name  string
		grace time.Duration
		want  string
	}{
		{"in time", patience, `"text":"\"1\""`},
		{"too long", 20 * time.Millisecond, "the run was cancelled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, func(o *Options) { o.Grace = c.grace })
			h := serveSite(t, b.server, HTTPOptions{})
			answer := make(chan string, 1)
			go func() {
				_, body := h.post(hold(1))
				answer <- body
			}()
			b.waitStarted(t, 1)
			h.cancel()
			if c.grace == patience {
				waitDraining(t, h)
				close(b.release)
			}
			h.end()
			if body := <-answer; !strings.Contains(body, c.want) {
				t.Errorf("got %s", body)
			}
			if c, err := net.Dial("tcp", h.addr); err == nil {
				t.Error("still accepts")
				_ = c.Close()
			}
		})
	}
}

// A call with a key that is cancelled because the process stops says what has become of its run: it may go on elsewhere.
func TestHTTPDrainOfKey(t *testing.T) {
	started := make(chan struct{})
	stops := Tool{Def: definition("stops"), Run: func(ctx context.Context, _ value.Value, _ Watch) (Answer, error) {
		close(started)
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond) // as a run that is suspended, and recorded
		return Answer{}, &AgainError{"call again"}
	}}
	s, err := New(Options{Info: Info{Name: "t", Version: "1"}, Tools: []Tool{stops}, Grace: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	h := serveSite(t, s, HTTPOptions{})
	_, headers := modernCall(1, "stops", "{}")
	answer := make(chan string, 1)
	go func() {
		_, body := h.post(strings.Replace(askCall(1, "stops", ""), `"_meta":{`, `"_meta":{"`+KeyMeta+`":"k",`, 1), headers...)
		answer <- body
	}()
	select {
	case <-started:
	case body := <-answer:
		t.Fatal(body)
	}
	h.cancel()
	h.end()
	if body := <-answer; !strings.Contains(body, "call again") {
		t.Errorf("got %s", body)
	}
}

// waitDraining waits until a server takes no more calls, and checks that it says so.
func waitDraining(t testing.TB, h *site) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if status, _, _ := h.get("/readyz"); status == http.StatusServiceUnavailable {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it is still ready")
		}
	}
	if status, _, _ := h.get("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	status, body, header := h.do(h.request(context.Background(), hold(2)))
	if status != http.StatusServiceUnavailable || header.Get("Retry-After") == "" || !strings.Contains(body, "takes no more calls") {
		t.Errorf("a call of a server that drains: %d, %s", status, body)
	}
}
