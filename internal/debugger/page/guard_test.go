package page

import (
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

// doors are what a page elsewhere would want: reads, changes, the events.
var doors = []struct{ method, path, body string }{
	{"GET", "/api/project", ""},
	{"GET", "/api/source", ""},
	{"GET", "/api/runs", ""},
	{"GET", "/api/events", ""},
	{"POST", "/api/runs", `{"tool": "count", "args": {"n": 1}}`},
	{"PUT", "/api/breakpoints/x", `{"node": "x"}`},
	{"POST", "/api/link", `{}`},
	{"POST", "/api/plans", `{"args": [{"id": "count", "expr": "1"}]}`},
	{"GET", "/api/runs/count/graph", ""},
	{"PUT", "/api/source", `{"text": "count", "version": "", "broken": true}`},
	{"POST", "/api/check", `{"text": "count"}`},
	{"POST", "/api/complete", `{"text": "count", "at": 5}`},
	{"POST", "/api/describe", `{"text": "count", "at": 5}`},
}

// N01, N02, N13: a name that leads here by DNS, and a page of another origin, get
// nothing, whatever they know.
func TestN01N02N13OtherPages(t *testing.T) {
	c := open(t, nil)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(c.base, "http://"))
	own := "http://127.0.0.1:" + port
	for _, header := range [][]string{
		{"Host: evil.com"},
		{"Host: evil.com:" + port},
		{"Host: 127.0.0.1.evil.com:" + port},
		{"Host: 192.0.2.1:" + port},
		{"Host: 127.0.0.1"},
		{"Host: 127.0.0.1:1"},
		{"Host: [::1"},
		{"Origin: http://evil.com"},
		{"Origin: null"},
		{"Origin: " + own, "Origin: " + own},
		{"Origin: http://localhost.evil.com"},
		{"Origin: http://localhost:80@evil.com"},
		{"Origin: https://127.0.0.1:" + port},
		{"Origin: http://127.0.0.1:1"},
		{"Origin: http://localhost:" + port}, // the page by another name: cookies differ, and so do origins
		{"Sec-Fetch-Site: cross-site"},
		{"Sec-Fetch-Site: same-site"},
	} {
		for _, door := range doors {
			status, body := c.ask(door.method, door.path, door.body, header...)
			if status != http.StatusForbidden || strings.Contains(body, "count") {
				t.Errorf("%v: %s %s answers %d %s", header, door.method, door.path, status, body)
			}
		}
	}
	for _, header := range []string{"Origin: " + own, "Sec-Fetch-Site: same-origin", "Host: localhost:" + port} {
		if status, body := c.ask("GET", "/api/runs", "", header); status != http.StatusOK && !strings.HasPrefix(header, "Host") {
			t.Errorf("%s: %d %s", header, status, body)
		}
	}
	if len(good[runsJSON](c, "GET", "/api/runs", "").Runs) != 0 {
		t.Error("a page of another origin has started a run")
	}
}

// N03: without the token there is no session, wherever else it stands.
func TestN03Token(t *testing.T) {
	c := serve(t, graphFile, nil)
	secret := c.server.token
	for _, door := range doors {
		for _, header := range []string{"X-None: 1", "Authorization: Bearer " + secret, "Cookie: toolgraph=" + c.server.cookie} {
			if status, _ := c.ask(door.method, door.path+"?token="+secret, door.body, header); status != http.StatusUnauthorized {
				t.Errorf("%s %s with %s: %d", door.method, door.path, header, status)
			}
		}
	}
	for _, body := range []string{`{"token": "wrong"}`, `{"token": ""}`, `{}`, `{"token": "` + secret[:len(secret)-1] + `"}`} {
		if status, _ := c.ask("POST", "/api/session", body); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", body, status)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/api/session", strings.NewReader(`{"token": "`+secret+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	set := resp.Header.Get("Set-Cookie")
	if !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") || strings.Contains(set, secret) {
		t.Errorf("the cookie is %s", set)
	}
	if status, _ := c.ask("GET", "/api/project", ""); status != http.StatusOK {
		t.Errorf("with the session: %d", status)
	}
	if c.http.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	if status, _ := c.ask("GET", "/api/project", ""); status != http.StatusUnauthorized {
		t.Errorf("without the cookie: %d", status)
	}
}

// N04: nothing is changed by a GET, nor by a form of another page.
func TestN04ChangesAreJSON(t *testing.T) {
	c := open(t, nil)
	for _, path := range []string{"/api/session", "/api/link", "/api/runs/x/control", "/api/runs/x/edit", "/api/runs/x/evaluate", "/api/check", "/api/complete", "/api/describe"} {
		if status, _ := c.ask("GET", path, ""); status != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d", path, status)
		}
	}
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""} {
		body := `{"tool": "count", "args": {"n": 1}}`
		if status, _ := c.ask("POST", "/api/runs", body, "Content-Type: "+kind, "Origin: http://evil.com"); status != http.StatusForbidden {
			t.Errorf("%q of another page: %d", kind, status)
		}
		if status, _ := c.ask("POST", "/api/runs", body, "Content-Type: "+kind); status != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %d", kind, status)
		}
	}
	if len(good[runsJSON](c, "GET", "/api/runs", "").Runs) != 0 {
		t.Error("one of them has started a run")
	}
}

// N05: the page is for this machine only.
func TestN05LoopbackOnly(t *testing.T) {
	on, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Skip(err)
	}
	c := serve(t, graphFile, nil)
	if err := NewSite(c.server).Serve(t.Context(), on); err == nil || !strings.Contains(err.Error(), "needs a loopback address") {
		t.Errorf("%v", err)
	}
}

// N07: no request names a command, a server or a file.
func TestN07NoOtherCommand(t *testing.T) {
	c := open(t, nil)
	for _, path := range []string{"/api/servers", "/api/project", "/api/source", "/api/config", "/api/graphs/count", "/api/exec", "/api/reload"} {
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
			status, _ := c.ask(method, path, `{"command": "touch", "args": ["/tmp/x"], "path": "/etc/passwd"}`)
			own := method == "PUT" && path == "/api/source" && status == http.StatusForbidden // it may not change the file
			if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && !own {
				t.Errorf("%s %s: %d", method, path, status)
			}
		}
	}
	for _, path := range []string{"/../go.mod", "/dist/app.js", "/src/main.js", "/SOURCES", "/api/../source", "/api/graphs/..%2f..%2fgo.mod"} {
		if status, body := c.ask("GET", path, ""); status < 300 && strings.Contains(body, "module") {
			t.Errorf("GET %s: %d %s", path, status, body)
		}
	}
	// A server in a request is not looked at.
	id := c.start(`{"tool": "count", "args": {"n": 1}, "command": "touch", "mcpServers": {"up": {"command": "touch"}}}`)
	c.until(id, "finished")
}

// N06 as far as headers go: whatever a value holds, it is JSON that no browser takes
// for a page, and only scripts of the page run.
func TestN06Headers(t *testing.T) {
	c := open(t, nil)
	for _, path := range []string{"/", "/app.js", "/app.css", "/api/project", "/api/none"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		h := resp.Header
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'self';") || strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s has %v", path, h)
		}
		if h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s lets other origins in", path)
		}
	}
}

func TestLargeRequestIsRefused(t *testing.T) {
	c := open(t, nil)
	status, body := c.ask("POST", "/api/runs", `{"tool": "`+strings.Repeat("x", maxBody)+`"}`)
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %.100s", status, body)
	}
}

// The page gets the token for a link; the answers to other pages, and of other endpoints, lack it.
func TestLink(t *testing.T) {
	c := open(t, nil)
	if got := good[map[string]string](c, "POST", "/api/link", "{}"); got["token"] != c.server.token {
		t.Errorf("the link has %v", got)
	}
	for _, header := range []string{"Origin: http://evil.com", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain"} {
		if status, body := c.ask("POST", "/api/link", "{}", header); status < 400 || strings.Contains(body, c.server.token) {
			t.Errorf("%s: %d %s", header, status, body)
		}
	}
	for _, path := range []string{"/api/project", "/api/source", "/api/runs", "/"} {
		if _, body := c.ask("GET", path, ""); strings.Contains(body, c.server.token) {
			t.Errorf("%s has the token", path)
		}
	}
}
