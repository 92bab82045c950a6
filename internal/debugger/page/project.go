package page

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// Project is a graph file and what runs its graphs.
type Project struct {
	*project.Project
	Source string            // the file's text
	Engine *execution.Engine // with a journal when runs are recorded

	// Servers knows the tools of servers, for requests of the pipeline and for plans; nil: none is known.
	Servers project.Servers
	// Plans checks plans; nil: the page does not.
	Plans Plans
	// Again prepares what recorded runs do again; nil: runs are not recorded.
	Again Again
	// Begin prepares a run: its context, and its observers; nil for none.
	Begin func(context.Context, *graph.Graph) (context.Context, []execution.Option)
	// Believe returns what of Begin decides what is believed of calls, for a run that calls no server; nil for nothing.
	Believe func(context.Context, *graph.Graph) (context.Context, []execution.Option)
	// Reported returns the context of a run whose servers report the progress of its calls to take, by their
	// addresses; nil: they report nothing. It may be called from several goroutines and must return at once.
	Reported func(ctx context.Context, take func(at execution.Address, done, total float64, message string)) context.Context
}

// loaded is one version of the graph file.
type loaded struct {
	Project
	path  string        // absolute, as the store has it
	ended chan struct{} // closed when it was replaced and its last run has ended

	mu    sync.Mutex // guards what follows
	users int        // its runs that have not ended, and one while it is the current version
}

func newLoaded(p Project) *loaded {
	l := &loaded{Project: p, ended: make(chan struct{}), users: 1}
	if abs, err := filepath.Abs(p.File.Path); err == nil {
		l.path = abs
	}
	return l
}

// Replace shows another version of the file. Runs in progress continue with the version
// with which they began; the channel is closed when the last of them has ended.
func (s *Server) Replace(p Project) (ended <-chan struct{}) {
	s.mu.Lock()
	old := s.project
	s.project, s.found, s.source = newLoaded(p), p.Warnings, p.Source
	s.checks.version++
	s.mu.Unlock()
	s.runs.forget()
	s.hub.publish("project", nil)
	old.use(-1)
	return old.ended
}

// use counts one user more or less.
func (l *loaded) use(by int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users += by; l.users == 0 {
		close(l.ended)
	}
}

// Reject shows the errors of a version of the file; the graphs stay those of the last
// version without errors.
func (s *Server) Reject(source string, found config.Diagnostics) {
	s.mu.Lock()
	s.found, s.source = found, source
	s.checks.version++
	s.mu.Unlock()
	s.hub.publish("project", nil)
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
	Files       []fileJSON    `json:"files"` // whose pages are beside this one, and this one; empty: there is no other
	Version     string        `json:"version"`
	History     bool          `json:"history"`
	Rejected    bool          `json:"rejected"` // the file has errors, and the graphs are those of an earlier version
	Tools       []toolJSON    `json:"tools"`
	Servers     []serverJSON  `json:"servers"`
	Diagnostics []findingJSON `json:"diagnostics"`
}

type toolJSON struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	File        string          `json:"file,omitempty"`    // of the import that defines it
	Hidden      bool            `json:"hidden,omitempty"`  // from clients
	Reaches     []string        `json:"reaches,omitempty"` // the other tools that a run of it can call

	// Own says that each run has a graph of its own, that of its request; Plan, that the request is a plan.
	Own  bool `json:"own,omitempty"`
	Plan bool `json:"plan,omitempty"`
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

func (s *Server) getProject(r *http.Request) (any, error) {
	s.mu.Lock()
	p, found := s.project, s.found
	s.mu.Unlock()
	file, redact := p.File, p.File.Secrets.Redact
	out := projectJSON{
		Title: redact(file.Server.Title.Value), Name: redact(file.Server.Name.Value), File: p.path, Files: s.filesOfSite(), Version: s.opts.Version,
		History: s.opts.Store != nil, Rejected: found.Err() != nil,
		Tools: []toolJSON{}, Servers: []serverJSON{}, Diagnostics: s.findings(r.Context()),
	}
	if out.Title == "" {
		out.Title = out.Name
	}
	for _, g := range slices.Concat(p.Graphs, p.Requested()) {
		tool := toolJSON{
			Name: g.Tool.Name.Value, Title: redact(g.Tool.Title.Value), Description: redact(g.Tool.Description.Value),
			InputSchema: json.RawMessage(`{"type":"object"}`), Hidden: g.Tool.Hidden,
			Own: slices.Contains(p.Requested(), g), Plan: p.isPlan(g),
		}
		for _, called := range g.Reached()[1:] {
			tool.Reaches = append(tool.Reaches, called.Tool.Name.Value)
		}
		if source := g.Tool.File; source != nil && source != file { // what stands for all requests is in no file
			tool.File = source.Path
		}
		if g.Tool.InputSchema != nil {
			tool.InputSchema = file.Secrets.RedactJSON(g.Tool.InputSchema.JSON())
		}
		out.Tools = append(out.Tools, tool)
	}
	for _, u := range file.Servers {
		server := serverJSON{Name: u.Name.Value, Transport: string(u.Transport), Settings: []settingJSON{}}
		for _, setting := range slices.Concat(u.Env, u.Headers) {
			server.Settings = append(server.Settings, settingJSON{Name: setting.Name.Value, Set: setting.Value.Value != ""})
		}
		out.Servers = append(out.Servers, server)
	}
	return out, nil
}

// shown returns a place in the text that the page shows, which is that of the graph file; the zero Pos for
// a place in an import.
func (l *loaded) shown(pos config.Pos) config.Pos {
	if pos.File != "" && pos.File != l.File.Path {
		return config.Pos{}
	}
	return pos
}

func (s *Server) getGraph(r *http.Request) (any, error) {
	p := s.loaded()
	redact := p.File.Secrets.Redact
	g, err := p.Graph(r.PathValue("tool"))
	if err != nil {
		return nil, errorf(http.StatusNotFound, "%s", redact(err.Error()))
	}
	return p.draw(r.Context(), g, redact), nil
}

// rejected is the answer about a run that cannot start.
func (l *loaded) rejected(err error) error {
	var bad *execution.ArgumentsError
	if !errors.As(err, &bad) || len(bad.Problems) == 0 {
		return errorf(http.StatusUnprocessableEntity, "%s", l.File.Secrets.Redact(err.Error()))
	}
	return invalid(l.File.Secrets, "the arguments do not match the inputSchema of the tool", bad.Problems, "arguments")
}

// invalid is the answer about a value that does not match its schema.
func invalid(secrets *config.Secrets, message string, problems schema.Problems, root string) error {
	answer := errorf(http.StatusUnprocessableEntity, "%s", message)
	for _, p := range problems {
		answer.Fields = append(answer.Fields, field{Path: append([]string{}, p.Path...), Message: secrets.Redact(p.Text(root))})
	}
	return answer
}
