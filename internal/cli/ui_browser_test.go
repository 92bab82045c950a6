package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/authoring"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/debugger/page"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/mcpclient"
)

// browser is a browser of the page of a graph file, without a network.
type browser struct {
	t       *testing.T
	flags   *uiFlags
	server  *page.Server
	handler http.Handler
	cookie  *http.Cookie
}

// browse opens the page of a file, which must be valid at first.
func browse(t *testing.T, path string, write bool) *browser {
	t.Helper()
	flags := &uiFlags{sessionFlags: sessionFlags{Session: program.Session{Graph: path}}}
	p, err := project.Load(t.Context(), path, flags.FileOptions())
	if err != nil {
		t.Fatal(err)
	}
	var kit *authoring.Toolkit
	if write {
		kit = authoring.New(authoring.Options{Graph: path, AllowWrite: true})
		t.Cleanup(kit.Close)
	}
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7000}
	b := &browser{t: t, flags: flags, server: page.New(page.Options{
		Controller: debug.New(), Project: page.Project{Project: p, Source: sourceOf(path)}, Logger: slog.New(slog.DiscardHandler),
		File: flags.fileOf(path, kit, func() *mcpclient.Pool { return nil }),
	})}
	site := page.NewSite(b.server)
	b.handler = site.Handler(at)
	_, token, _ := strings.Cut(site.URL(at), "#token=")
	resp := b.do("POST", "/api/session", map[string]any{"token": token})
	if b.cookie = resp.Result().Cookies()[0]; resp.Code != http.StatusNoContent {
		t.Fatal(resp.Body)
	}
	return b
}

func (b *browser) do(method, path string, body map[string]any) *httptest.ResponseRecorder {
	b.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.t.Context(), method, "http://127.0.0.1:7000"+path, bytes.NewReader(raw))
	r.Header.Set("Content-Type", "application/json")
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return w
}

// ask returns the answer to a request that works.
func (b *browser) ask(method, path string, body map[string]any) map[string]any {
	b.t.Helper()
	w := b.do(method, path, body)
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		b.t.Fatalf("%s %s: %d %s %v", method, path, w.Code, w.Body, err)
	}
	return out
}

// reload does what the page does when the file has changed.
func (b *browser) reload() {
	b.t.Helper()
	p, err := project.Load(b.t.Context(), b.flags.Graph, b.flags.FileOptions())
	var found config.Diagnostics
	if errors.As(err, &found) {
		b.server.Reject(sourceOf(b.flags.Graph), found)
		return
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.server.Replace(page.Project{Project: p, Source: sourceOf(b.flags.Graph)})
}

// findingLines are findings, one a line.
func findingLines(t *testing.T, found []any, path string) []string {
	t.Helper()
	var out []string
	for _, f := range found {
		of := f.(map[string]any)
		file := of["file"]
		if file == nil {
			file = path
		}
		hint := of["hint"]
		if hint == nil {
			hint = ""
		}
		out = append(out, fmt.Sprint(file, of["line"], of["column"], of["severity"], of["code"], of["message"], hint))
	}
	return out
}
