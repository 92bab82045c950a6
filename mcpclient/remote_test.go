package mcpclient

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"toolgraph/config"
)

func TestRemoteCall(t *testing.T) {
	for _, c := range []struct {
		name, path string
		change     func(*web)
	}{
		{"streamable", "/mcp", nil},
		{"streamable events", "/mcp", func(w *web) { w.stream = true }},
		{"streamable modern", "/mcp", func(w *web) { w.modern = true }},
		{"sse", "/sse", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWeb(t, c.change)
			p := pool(t, w.upstream(c.path), withAdjust(allowPrivate))
			got, err := callTool(p, "echo", `{"b":9007199254740993}`)
			if err != nil || !strings.Contains(got, `"arguments":{"b":9007199254740993}`) {
				t.Fatalf("got %s, %v", got, err)
			}
			if w.modern != strings.Contains(got, "2026-07-28") {
				t.Errorf("the call carried %s", got)
			}
			tools, err := p.ListTools(context.Background(), "fake")
			if err != nil || len(tools) != 4 || tools[0].Name != "echo" {
				t.Errorf("got %v, %v", tools, err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			for i, h := range w.headers {
				if h.Get("Authorization") != "Bearer s3cret-token" {
					t.Errorf("%s went without its header", w.methods[i])
				}
				if w.modern && w.methods[i] == "tools/call" && (h.Get("Mcp-Name") != "echo" || h.Get("Mcp-Method") != "tools/call") {
					t.Errorf("tools/call without the standard headers: %v", h)
				}
			}
		})
	}
}

func TestRemoteSessionForgotten(t *testing.T) {
	w := newWeb(t, nil)
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.session += 100 // as after a restart of the server
	w.mu.Unlock()
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
}

func TestRemoteCancel(t *testing.T) {
	for _, path := range []string{"/mcp", "/sse"} {
		w := newWeb(t, nil)
		p := pool(t, w.upstream(path), withAdjust(allowPrivate))
		ctx, stop := context.WithCancel(context.Background())
		failed := make(chan error, 1)
		go func() {
			_, err := callWith(ctx, p, "hang", `{}`)
			failed <- err
		}()
		waitFor(t, "the call", func() bool { return w.asked("tools/call") == 1 })
		stop()
		wantError(t, "", receive(t, failed, "the call's end"), CodeCancelled)
		if params := receive(t, w.canceled, path+": the cancellation"); !strings.Contains(params, `"requestId":10000`) {
			t.Errorf("cancelled what: %s", params)
		}
	}
}

func TestRemoteStreamLost(t *testing.T) {
	w := newWeb(t, nil)
	p := pool(t, w.upstream("/sse"), withAdjust(allowPrivate))
	e := mustFail(t, p, "end", `{}`, CodeTransport)
	if !strings.Contains(e.Error(), "was lost") {
		t.Errorf("got %q", e)
	}
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Errorf("it did not come back: %v", err)
	}
}

func TestN08PrivateAddresses(t *testing.T) {
	for _, s := range []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
		"100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1",
		"::ffff:10.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::1",
		"2001:0:1::1", "::127.0.0.1", "fec0::1",
	} {
		if isPublic(netip.MustParseAddr(s)) {
			t.Errorf("%s passes for public", s)
		}
	}
	for _, s := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"} {
		if !isPublic(netip.MustParseAddr(s)) {
			t.Errorf("%s passes for private", s)
		}
	}
	w := newWeb(t, nil)
	port := w.URL[strings.LastIndex(w.URL, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "0", "2130706433", "127.1"} {
		for _, kind := range []config.Transport{config.StreamableHTTP, config.SSE} {
			p := pool(t, &config.Upstream{Name: text("fake"), Transport: kind, URL: text("http://" + host + port + "/mcp")})
			_, err := callTool(p, "echo", `{}`)
			if err == nil {
				t.Fatalf("%s was reached", host)
			}
			if strings.ContainsAny(host, "l[") {
				if e := wantError(t, "", err, CodePrivateAddress); !strings.Contains(e.Error(), "add allowPrivate: true") {
					t.Errorf("%s: %q", host, e)
				}
			}
		}
	}
	if len(w.methods) != 0 {
		t.Errorf("the server was asked %v", w.methods)
	}
}

// The host and port that the file itself names need no allowPrivate, and nothing else
// becomes reachable by that.
func TestN08LoopbackThatTheFileNames(t *testing.T) {
	byFile := withAdjust(func(s *settings) { s.NamesLoopback = true })
	for _, host := range []string{"127.0.0.1", "localhost"} {
		for path, kind := range map[string]config.Transport{"/mcp": config.StreamableHTTP, "/sse": config.SSE} {
			port := mustURL(t, newWeb(t, nil).URL).Port()
			u := &config.Upstream{Name: text("fake"), Transport: kind, URL: text("http://" + host + ":" + port + path), NamesLoopback: true}
			if _, err := callTool(pool(t, u), "echo", `{}`); err != nil {
				t.Errorf("%s: %v", host, err)
			}
		}
	}
	w := newWeb(t, nil)
	port := mustURL(t, w.URL).Port()
	t.Run("redirect", func(t *testing.T) {
		outer := redirector(t, w.URL+"/mcp", http.StatusTemporaryRedirect)
		p := pool(t, &config.Upstream{Name: text("fake"), Transport: config.StreamableHTTP, URL: text(outer), NamesLoopback: true})
		if e := mustFail(t, p, "echo", `{}`, CodeServerStart); !strings.Contains(e.Error(), "redirects to another host") {
			t.Errorf("got %q", e)
		}
	})
	t.Run("a name that leads to it", func(t *testing.T) {
		known := withAdjust(func(s *settings) { s.resolver = names(map[string]string{"loop.test": "127.0.0.1"}) })
		p := pool(t, &config.Upstream{Name: text("fake"), Transport: config.StreamableHTTP, URL: text("http://loop.test:" + port + "/mcp")}, known)
		mustFail(t, p, "echo", `{}`, CodePrivateAddress)
	})
	t.Run("metadata", func(t *testing.T) {
		g, seen := newGuarded(t, 3600), &diary{}
		p := pool(t, g.upstream("/mcp"), byFile, WithTokenDir(t.TempDir()), withAdjust(func(s *settings) { s.connected = seen.write }))
		err := login(t, p, agree(t))
		if err == nil || !strings.Contains(err.Error(), "which is not a public address; if that is intended, add allowPrivate: true") {
			t.Errorf("got %v", err)
		}
		for _, line := range seen.read() {
			if !strings.HasSuffix(line, mustURL(t, g.URL).Host) {
				t.Errorf("connected to %s", line)
			}
		}
		if g.registered != 0 {
			t.Error("a client was registered")
		}
	})
	if len(w.methods) != 0 {
		t.Errorf("the server was asked %v", w.methods)
	}
	own := gateTo(mustURL(t, "http://localhost:3000/mcp"), settings{Upstream: config.Upstream{NamesLoopback: true}})
	for _, c := range []struct {
		host, port, to string
		passes         bool
	}{
		{"localhost", "3000", "127.0.0.1", true},
		{"localhost", "3000", "::1", true},
		{"localhost", "3001", "127.0.0.1", false},
		{"localhost", "3000", "10.0.0.1", false}, // what a name server says of localhost
		{"localhost", "3000", "169.254.169.254", false},
		{"127.0.0.1", "3000", "127.0.0.1", false},
		{"other.test", "3000", "127.0.0.1", false},
	} {
		if err := own.check(c.host, c.port, netip.MustParseAddr(c.to)); (err == nil) != c.passes {
			t.Errorf("%s:%s at %s: %v", c.host, c.port, c.to, err)
		}
	}
	if port := gateTo(mustURL(t, "https://localhost/mcp"), settings{}).port; port != "443" {
		t.Errorf("the port of https is %s", port)
	}
}

func TestN08RedirectToPrivateAddress(t *testing.T) {
	inner := newWeb(t, nil)
	outer := redirector(t, inner.URL+"/mcp", http.StatusTemporaryRedirect)
	p := pool(t, &config.Upstream{Name: text("fake"), Transport: config.StreamableHTTP, URL: text(outer)}, withAdjust(allowPrivate))
	if e := mustFail(t, p, "echo", `{}`, CodeServerStart); !strings.Contains(e.Error(), "redirects to another host") {
		t.Errorf("got %q", e)
	}
	if len(inner.methods) != 0 {
		t.Error("the redirect was followed")
	}
}

func redirector(t *testing.T, to string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.RedirectHandler(to, status))
	t.Cleanup(s.Close)
	return s.URL
}

func TestN09ProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	g, _ := newHTTPClient(mustURL(t, "http://example.test"), settings{}, nil).Transport.(*guard)
	if g.Proxy != nil {
		t.Error("the client asks for a proxy")
	}
}

// A server that answers 404 to a cancellation, because another process of it serves the
// call, keeps its session: the calls beside it go on.
func TestCancelOfLostRequest(t *testing.T) {
	w := newWeb(t, func(w *web) { w.lost = true })
	p := pool(t, w.upstream("/mcp"), withAdjust(allowPrivate))
	if _, err := callTool(p, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	beside := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		_, err := callWith(ctx, p, "hang", `{"beside":true}`)
		beside <- err
	}()
	lost, cancel := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := callWith(lost, p, "hang", `{}`)
		gone <- err
	}()
	waitFor(t, "both calls to be in flight", func() bool { return w.asked("tools/call") == 3 })
	cancel()
	<-gone
	receive(t, w.canceled, "the cancellation")
	for range 3 {
		if _, err := callTool(p, "echo", `{}`); err != nil {
			t.Error(err)
		}
	}
	if n := w.asked("initialize"); n != 1 {
		t.Errorf("%d sessions, want the first to go on", n)
	}
	select {
	case err := <-beside:
		t.Errorf("the call beside has ended: %v", err)
	default:
	}
}
