package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

const token = "0123456789abcdef-token"

func TestN01Host(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{Hosts: []string{"Proxy.example.com"}})
	_, port, err := net.SplitHostPort(h.addr)
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{
		"evil.com": 403, "evil.com:" + port: 403, "127.0.0.1.evil.com": 403, "localhost.evil.com": 403, "0.0.0.0": 403, "10.0.0.1": 403,
		"127.0.0.1": 200, "localhost": 200, "LOCALHOST:" + port: 200, "[::1]:" + port: 200, "127.0.0.2": 200, "proxy.EXAMPLE.com:443": 200,
	} {
		if status, body := h.post(ping, "Host: "+host); status != want {
			t.Errorf("Host %s: %d, want %d: %s", host, status, want, body)
		}
	}
}

var badOrigins = []string{
	"http://evil.com", "https://evil.com", "null", "http://localhost.evil.com", "http://localhost:80@evil.com", "http://evil.com#localhost",
	"http://evil.com/localhost", "http://127.0.0.1.evil.com", "file://", "", "localhost", "ftp://localhost", "http://localhost/", "http://[::1].evil.com",
}

func TestN02Origin(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{Hosts: []string{"proxy.example.com"}})
	for _, origin := range badOrigins {
		r := h.request(context.Background(), ping)
		r.Header["Origin"] = []string{origin}
		if status, body, _ := h.do(r); status != http.StatusForbidden {
			t.Errorf("Origin %q: %d: %s", origin, status, body)
		}
	}
	if status, _ := h.post(ping, "Origin: http://localhost", "Origin: http://localhost"); status != http.StatusForbidden {
		t.Errorf("two Origins: %d", status)
	}
	for _, origin := range []string{"http://localhost", "http://localhost:6274", "https://127.0.0.1:1", "http://[::1]:80", "https://proxy.example.com"} {
		if status, body := h.post(ping, "Origin: "+origin); status != http.StatusOK {
			t.Errorf("Origin %q: %d: %s", origin, status, body)
		}
	}
}

func TestN03Token(t *testing.T) {
	log := &syncBuffer{}
	b := newBench(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	h := serveSite(t, b.server, HTTPOptions{Token: token})
	for name, headers := range map[string][]string{
		"none": nil, "wrong": {"Authorization: Bearer 0123456789abcdef-tokem"}, "longer": {"Authorization: Bearer " + token + "x"},
		"shorter": {"Authorization: Bearer " + token[1:]}, "bare": {"Authorization: " + token}, "basic": {"Authorization: Basic " + token},
		"empty": {"Authorization: Bearer "}, "two": {"Authorization: Bearer " + token, "Authorization: Bearer " + token},
	} {
		status, body, header := h.do(h.request(context.Background(), ping, headers...))
		if status != http.StatusUnauthorized || !strings.HasPrefix(header.Get("WWW-Authenticate"), "Bearer ") || strings.Contains(body, token) {
			t.Errorf("%s: %d %v %s", name, status, header, body)
		}
	}
	r := h.request(context.Background(), ping)
	r.URL.RawQuery = "token=" + token + "&access_token=" + token
	if status, _, _ := h.do(r); status != http.StatusUnauthorized {
		t.Errorf("in the query: %d", status)
	}
	for _, scheme := range []string{"Bearer", "bearer"} {
		if status, body := h.post(ping, "Authorization: "+scheme+" "+token); status != http.StatusOK || body != pong+"\n" {
			t.Errorf("right: %d %s", status, body)
		}
	}
	if status, _ := h.post(ping, "Authorization: Bearer "+token, "Origin: http://evil.com"); status != http.StatusForbidden {
		t.Errorf("a right token from a wrong page: %d", status)
	}
	if strings.Contains(log.String(), token) {
		t.Errorf("the log has the token: %s", log.String())
	}
}

// N04 for this face; the debugger's pages, and with them N06 and N07, are another
// room's. Nothing changes by a GET, and what a page may send across sites without
// being asked is refused.
func TestN04OnlyJSONByPost(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	for _, kind := range []string{"Content-Type:", "Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded", "Content-Type: multipart/form-data; boundary=x", "Content-Type: application/json-seq"} {
		headers := []string{"Content-Type:"}
		if !strings.HasSuffix(kind, ":") {
			headers = append(headers, kind)
		}
		if status, body := h.post(ping, headers...); status != http.StatusUnsupportedMediaType {
			t.Errorf("%s %d %s", kind, status, body)
		}
	}
	if status, _ := h.post(ping, "Content-Type:", "Content-Type: application/json; charset=utf-8"); status != http.StatusOK {
		t.Errorf("JSON in UTF-8: %d", status)
	}
}

// A connection more than there is room for gets in when there is; http_conns_test.go has
// that it waits until then.
func TestN12Connections(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{MaxConns: 3, headerTimeout: patience})
	var idle []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", h.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	late, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	if _, err := io.WriteString(late, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	idle[0].Close()
	_ = late.SetReadDeadline(time.Now().Add(patience))
	if raw, err := io.ReadAll(late); err != nil || !strings.HasSuffix(string(raw), "ok\n") {
		t.Errorf("%v: %s", err, raw)
	}
}

// Many idle connections end by themselves, and do not keep others out for long.
func TestN12IdleConnections(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{MaxConns: 50, headerTimeout: 50 * time.Millisecond})
	for range 200 {
		c, err := net.Dial("tcp", h.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	for end := time.Now().Add(patience); ; { // this one's headers may come late too, where all is slow
		resp, err := h.client.Do(h.request(t.Context(), ping))
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%d", resp.StatusCode)
			}
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestN12LargeHeader(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{headerTimeout: patience})
	c, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	const most = 400
	sent := make(chan int, 1)
	go func() { // 400 MB, of which not even 1 is read; the rest is in the buffers of the system
		line := "X-Large: " + strings.Repeat("x", 1<<20) + "\r\n"
		_, err := io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n")
		i := 0
		for ; i < most && err == nil; i++ {
			_, err = io.WriteString(c, line)
		}
		sent <- i
	}()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	var late net.Error
	switch {
	case err == nil:
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a large header: %s", resp.Status)
		}
		resp.Body.Close()
	case errors.As(err, &late) && late.Timeout():
		t.Error("a large header is not answered")
	} // else the connection was reset, which is as good
	c.Close()
	if n := <-sent; n == most {
		t.Errorf("all %d MB of a header were taken", n)
	}
}

func TestN12SlowHeader(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{headerTimeout: 50 * time.Millisecond})
	slow, err := net.Dial("tcp", h.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_ = slow.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(slow, "POST /mcp HTTP/1.1\r\nHost: localh"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, slow); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("a slow header is waited for: %v", err)
	}
}

// N13: a page in another tab can open no stream.
func TestN13StreamFromAPage(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{Token: token})
	for want, headers := range map[int][]string{
		403: {"Accept: text/event-stream", "Origin: http://evil.com", "Authorization: Bearer " + token},
		401: {"Accept: text/event-stream", "Origin: http://localhost:3000"},
		405: {"Connection: Upgrade", "Upgrade: websocket", "Authorization: Bearer " + token}, // there are no websockets
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+h.addr+Endpoint, nil)
		if err != nil {
			t.Fatal(err)
		}
		setHeaders(r, headers)
		if status, body, _ := h.do(r); status != want {
			t.Errorf("%v: %d, want %d: %s", headers, status, want, body)
		}
	}
}

func TestMetricsAreGuarded(t *testing.T) {
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "runs 1\n") })
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{Token: "a-token-of-some-length", Metrics: metrics})
	r := func(headers map[string]string) (int, string) {
		req := h.request(context.Background(), "")
		req.Method, req.URL.Path, req.Body = http.MethodGet, metricsPath, nil
		req.ContentLength = 0
		for name, value := range headers {
			req.Header.Set(name, value)
		}
		status, body, _ := h.do(req)
		return status, body
	}
	if status, body := r(nil); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d %s", status, body)
	}
	if status, body := r(map[string]string{"Authorization": "Bearer a-token-of-some-length"}); status != http.StatusOK || body != "runs 1\n" {
		t.Errorf("with the token: %d %s", status, body)
	}
	none := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	req := none.request(context.Background(), "")
	req.Method, req.URL.Path, req.Body = http.MethodGet, metricsPath, nil
	req.ContentLength = 0
	if status, _, _ := none.do(req); status != http.StatusNotFound {
		t.Errorf("without metrics: %d", status)
	}
}
