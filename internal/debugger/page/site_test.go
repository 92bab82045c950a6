package page

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"toolgraph/internal/debugger/debug"
)

// siteOf serves two files, and is a browser without a session.
func siteOf(t *testing.T) *client {
	t.Helper()
	other := New(Options{
		Name: "dir/other", Controller: debug.New(), Project: projectOf(t, strings.Replace(graphFile, "name: count", "name: counts", 1), nil),
		Version: "test", Logger: slog.New(slog.DiscardHandler),
	})
	return serveAll(t, graphFile, nil, []*Server{other}, func(s *Server) { s.opts.Name = "one" })
}

// A token opens a session for the pages of all files, each of which knows its own and where the others are.
func TestSiteOfSeveralFiles(t *testing.T) {
	c := siteOf(t)
	if status, _ := c.ask("GET", "/dir/other/api/project", ""); status != http.StatusUnauthorized {
		t.Errorf("without a session: %d", status)
	}
	if status, _ := c.ask("POST", "/one/api/session", `{"token": "`+c.server.token+`"}`); status != http.StatusNoContent {
		t.Fatal(status)
	}
	for path, tool := range map[string]string{"/one/": "count", "/dir/other/": "counts"} {
		p := good[projectJSON](c, "GET", path+"api/project", "")
		if len(p.Files) != 2 || p.Files[0] != (fileJSON{"one", "/one/"}) || p.Files[1] != (fileJSON{"dir/other", "/dir/other/"}) || p.Tools[0].Name != tool {
			t.Errorf("%s: %+v", path, p)
		}
		if status, body := c.ask("GET", path, ""); status != http.StatusOK || !strings.Contains(body, `src="app.js"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
		if status, _ := c.ask("GET", path+"app.js", ""); status != http.StatusOK {
			t.Errorf("%sapp.js: %d", path, status)
		}
	}
	if status, _ := c.ask("GET", "/", ""); status != http.StatusOK || c.last.Load().URL.Path != "/one/" {
		t.Errorf("%d at %s", status, c.last.Load().URL)
	}
	for _, path := range []string{"/api/project", "/two/api/project", "/app.js"} {
		if status, _ := c.ask("GET", path, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// The pages of several files are for this machine only, as one is.
func TestSiteIsGuarded(t *testing.T) {
	c := siteOf(t)
	for _, path := range []string{"/", "/one/", "/one/api/project", "/dir/other/api/project"} {
		for _, header := range []string{"Host: example.com", "Origin: http://example.com"} {
			if status, _ := c.ask("GET", path, "", header); status != http.StatusForbidden {
				t.Errorf("%s, %s: %d", path, header, status)
			}
		}
	}
}
