package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// Project is a graph file and what runs its graphs.
type Project struct {
	*project.Project
	Source string            // the file's text
	Engine *execution.Engine // keeps the runs, when they are kept

	// Begin prepares a run: its context, and what watches it; nil for nothing.
	Begin func(context.Context, *graph.Graph) (context.Context, []execution.Option)
}

// loaded is a project with what is made of it once.
type loaded struct {
	Project
	path  string        // absolute, as the store has it
	ended chan struct{} // closed when it was replaced and its last run has ended

	mu    sync.Mutex // guards what follows
	users int        // its runs that go on, and one for being the current
}

func newLoaded(p Project) *loaded {
	l := &loaded{Project: p, ended: make(chan struct{}), users: 1}
	if abs, err := filepath.Abs(p.File.Path); err == nil {
		l.path = abs
	}
	return l
}

// Replace shows another version of the file. Runs that go on keep the one they began
// with; the channel is closed when the last of them has ended.
func (s *Server) Replace(p Project) (ended <-chan struct{}) {
	s.mu.Lock()
	old := s.project
	s.project, s.found, s.source = newLoaded(p), p.Warnings, p.Source
	s.mu.Unlock()
	s.films.forget()
	s.hub.tell("project", nil)
	old.use(-1)
	return old.ended
}

// use counts a user more, or one less.
func (l *loaded) use(by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users += by; l.users == 0 {
		close(l.ended)
	}
}

// Reject shows what is wrong with a version of the file; the graphs stay those of the
// last good one.
func (s *Server) Reject(source string, found config.Diagnostics) {
	s.mu.Lock()
	s.found, s.source = found, source
	s.mu.Unlock()
	s.hub.tell("project", nil)
}

func (s *Server) loaded() *loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.project
}

type projectJSON struct {
	Title       string        `json:"title"`
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Version     string        `json:"version"`
	History     bool          `json:"history"`
	Rejected    bool          `json:"rejected"` // the file has errors, and the graphs are older
	Tools       []toolJSON    `json:"tools"`
	Servers     []serverJSON  `json:"servers"`
	Diagnostics []findingJSON `json:"diagnostics"`
}

type toolJSON struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// serverJSON is a server without its command, address or any value.
type serverJSON struct {
	Name      string        `json:"name"`
	Transport string        `json:"transport"`
	Settings  []settingJSON `json:"settings"`
}

type settingJSON struct {
	Name string `json:"name"`
	Set  bool   `json:"set"`
}

type findingJSON struct {
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

func (s *Server) getProject(*http.Request) (any, error) {
	p := s.loaded()
	s.mu.Lock()
	found := s.found
	s.mu.Unlock()
	file, hide := p.File, p.File.Secrets.Redact
	out := projectJSON{
		Title: hide(file.Server.Title.Value), Name: hide(file.Server.Name.Value), File: p.path, Version: s.opts.Version,
		History: s.opts.Store != nil, Rejected: found.Err() != nil,
		Tools: []toolJSON{}, Servers: []serverJSON{}, Diagnostics: []findingJSON{},
	}
	if out.Title == "" {
		out.Title = out.Name
	}
	for _, g := range p.Graphs {
		t := g.Tool
		input := json.RawMessage(`{"type":"object"}`)
		if t.InputSchema != nil {
			input = file.Secrets.RedactJSON(t.InputSchema.JSON())
		}
		out.Tools = append(out.Tools, toolJSON{Name: t.Name.Value, Title: hide(t.Title.Value), Description: hide(t.Description.Value), InputSchema: input})
	}
	for _, u := range file.Servers {
		out.Servers = append(out.Servers, serverOf(u))
	}
	for _, d := range found {
		out.Diagnostics = append(out.Diagnostics, findingJSON{
			Line: d.Pos.Line, Column: d.Pos.Column, Severity: d.Severity.String(), Code: d.Code, Message: hide(d.Message), Hint: hide(d.Hint),
		})
	}
	return out, nil
}

func serverOf(u *config.Upstream) serverJSON {
	out := serverJSON{Name: u.Name.Value, Transport: string(u.Transport), Settings: []settingJSON{}}
	for _, list := range [][]config.Setting{u.Env, u.Headers} {
		for _, setting := range list {
			out.Settings = append(out.Settings, settingJSON{Name: setting.Name.Value, Set: setting.Value.Value != ""})
		}
	}
	return out
}

func (s *Server) getSource(*http.Request) (any, error) {
	p := s.loaded()
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]string{"path": p.path, "text": p.File.Secrets.Redact(s.source)}, nil
}

// graphOf is the graph of a tool as it is now.
func (l *loaded) graphOf(tool string) *graph.Graph {
	for _, g := range l.Graphs {
		if g.Tool.Name.Value == tool {
			return g
		}
	}
	return nil
}

// refused is the answer to a run that cannot begin.
func (l *loaded) refused(err error) error {
	hide := l.File.Secrets.Redact
	var refused *execution.ArgumentsError
	if !errors.As(err, &refused) || len(refused.Problems) == 0 {
		return errorf(http.StatusUnprocessableEntity, "%s", hide(err.Error()))
	}
	answer := &failure{status: http.StatusUnprocessableEntity, Message: "the arguments do not fit the tool"}
	for _, p := range refused.Problems {
		answer.Fields = append(answer.Fields, field{Path: append([]string{}, p.Path...), Message: hide(p.Text("arguments"))})
	}
	return answer
}
