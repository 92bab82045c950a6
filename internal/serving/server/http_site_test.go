package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// asker asks a site.
type asker struct {
	t       *testing.T
	address string
}

func (a asker) ask(method, path, message string) (int, string) {
	r, err := http.NewRequestWithContext(a.t.Context(), method, "http://"+a.address+path, strings.NewReader(message))
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	setHeaders(r, []string{"Content-Type: application/json", "Accept: application/json, text/event-stream"})
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// Servers of one address come and go while it serves: calls in flight of one that has gone end, and nothing else begins there.
func TestServersOfASite(t *testing.T) {
	one, two := newBench(t, nil), newBench(t, nil)
	site := NewSite(t.Context(), HTTPOptions{State: func(w io.Writer) { fmt.Fprintln(w, "two files") }}, one.server.opts.Logger, time.Minute, 0)
	site.Put("/one/mcp", one.server)
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- site.Serve(ctx, on) }()
	ask := asker{t, on.Addr().String()}.ask
	const ping, hold = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hold","arguments":{}}}`
	want := func(path string, status int, text string) {
		t.Helper()
		method, message := http.MethodPost, ping
		if strings.HasPrefix(path, readyPath) {
			method, message = http.MethodGet, ""
		}
		if got, body := ask(method, path, message); got != status || !strings.Contains(body, text) {
			t.Errorf("%s: %d %s, want %d with %s", path, got, body, status, text)
		}
	}
	want("/one/mcp", http.StatusOK, `"result":{}`)
	want("/two/mcp", http.StatusNotFound, "the MCP endpoint is /one/mcp")
	site.Put("/two/mcp", two.server)
	want("/two/mcp", http.StatusOK, `"result":{}`)
	want("/mcp", http.StatusNotFound, "the MCP endpoints are /one/mcp, /two/mcp")
	want(readyPath+"?verbose", http.StatusOK, "two files")

	held := make(chan string, 1)
	go func() {
		_, body := ask(http.MethodPost, "/one/mcp", hold)
		held <- body
	}()
	<-one.started
	site.Remove("/one/mcp")
	want("/one/mcp", http.StatusNotFound, "the MCP endpoint is /two/mcp")
	if all := site.all(); len(all) != 2 {
		t.Errorf("%d endpoints, the one that has gone still has a call", len(all))
	}
	close(one.release)
	if body := <-held; !strings.Contains(body, `"id":2`) || !strings.Contains(body, "result") {
		t.Errorf("the call in flight got %s", body)
	}
	for len(site.all()) != 1 {
		time.Sleep(time.Millisecond)
	}

	go func() {
		_, body := ask(http.MethodPost, "/two/mcp", hold)
		held <- body
	}()
	<-two.started
	stop()
	for { // the site drains
		if status, _ := ask(http.MethodGet, readyPath, ""); status == http.StatusServiceUnavailable {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if status, _ := ask(http.MethodGet, readyPath+"?unready=404", ""); status != http.StatusNotFound {
		t.Errorf("a balancer that closes connections of what is down gets %d", status)
	}
	site.Put("/late/mcp", one.server)
	close(two.release)
	if body := <-held; !strings.Contains(body, "result") {
		t.Errorf("the call in flight got %s", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
