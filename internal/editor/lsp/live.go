package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
	"toolgraph/mcpclient"
)

// liveBudget is how long servers may take to start and to list their tools.
const liveBudget = 2 * time.Minute

// live is what the servers of a graph file have listed.
type live struct {
	of     string // the servers of the file, as the user was asked about them
	listed map[string][]mcpclient.Tool
}

// beside returns what the servers of a graph file have listed, and in which graphs nothing was found before.
func (s *Server) beside(path string) checks.Beside {
	s.mu.Lock()
	defer s.mu.Unlock()
	also := checks.Beside{Clean: &s.clean}
	if l := s.live[path]; l != nil && s.settings.Live {
		also.Listed = l.listed
	}
	return also
}

// learn asks the user whether the servers of a saved graph file may be started, and lists their tools then. The
// user is asked once for the same servers. Server.mu is held.
func (s *Server) learn(d *document) {
	if !s.settings.Live || s.opts.List == nil || d.now.kind != graphFile || !filepath.IsAbs(d.path) {
		return
	}
	path, uri, extra := d.path, d.uri, s.serversFile()
	s.background(func(ctx context.Context) {
		src, err := config.ReadFile(path)
		if err != nil {
			return // it is not saved yet
		}
		file, _ := config.Parse(path, src, config.Options{ServersFile: extra, AssumeEnv: true}) // its errors are findings
		if file == nil || len(file.Servers) == 0 {
			return
		}
		var all []string
		for _, u := range file.Servers {
			all = append(all, u.Name.Value+": "+file.Secrets.Redact(u.Identity))
		}
		of := strings.Join(all, "\n")
		s.mu.Lock()
		if was := s.live[path]; was != nil && was.of == of {
			s.mu.Unlock()
			return
		}
		s.live[path] = &live{of: of}
		s.mu.Unlock()
		if !s.agreed(ctx, fmt.Sprintf("toolgraph: start the servers of %s to list their tools?\n%s", filepath.Base(path), of)) {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, liveBudget)
		defer cancel()
		listed, err := s.opts.List(ctx, path, src, extra)
		if err != nil {
			s.message(severityWarning, "not all servers of %s have listed their tools: %s", filepath.Base(path), err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if listed == nil { // not even begun: the next save asks again
			delete(s.live, path)
			return
		}
		s.live[path] = &live{of: of, listed: listed}
		if d := s.docs[uri]; d != nil {
			s.renew(d)
		}
	})
}

// agreed asks the user. A client that cannot ask, or does not answer, does not agree.
func (s *Server) agreed(ctx context.Context, question string) bool {
	const yes = "Start them"
	var answer *struct {
		Title string `json:"title"`
	}
	err := s.ask(ctx, "window/showMessageRequest", map[string]any{
		"type": severityWarning, "message": question, "actions": []any{map[string]any{"title": yes}, map[string]any{"title": "Not now"}},
	}, &answer)
	return err == nil && answer != nil && answer.Title == yes
}
