package inspect

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/serving/toolset"
)

//go:embed tools.yaml
var description []byte

// Inspector answers questions. Safe for concurrent use.
type Inspector struct {
	File    string         // the graph file, to whose runs answers are limited; "" for recorded runs of any file, and only those
	Options config.Options // how the file is loaded
	Store   *journal.Store // the recorded runs; nil: there are none
	NoStore error          // why runs cannot be recorded; nil when they are not wanted
	Version string         // of the program

	// Command returns the program that would be started for a server; nil: it is not checked.
	Command func(u *config.Upstream) (path string, err error)
	// Run makes one run of a graph of the file; nil: runs are not allowed.
	Run func(ctx context.Context, p *project.Project, g *graph.Graph, args value.Value) (*execution.Result, error)
}

// runTool is the question that has effects.
const runTool = "run_tool"

// questions are the answers by the names of the questions.
var questions = map[string]func(context.Context, *Inspector, toolset.Arguments) (any, error){
	"list_tools": func(ctx context.Context, i *Inspector, _ toolset.Arguments) (any, error) { return i.ListTools(ctx) },
	"graph": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		return i.Graph(ctx, a.Text("tool"))
	},
	"explain_tool": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		return i.ExplainTool(ctx, a.Text("tool"))
	},
	"capabilities": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		return i.Capabilities(ctx, a.Text("tool"))
	},
	"metadata": func(ctx context.Context, i *Inspector, _ toolset.Arguments) (any, error) { return i.Metadata(ctx) },
	"list_runs": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		f, err := filterOf(a)
		if err != nil {
			return nil, err
		}
		return i.ListRuns(ctx, f)
	},
	"stats": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		q, err := statsQuery(a)
		if err != nil {
			return nil, err
		}
		return i.Stats(ctx, q)
	},
	"suggest_tools": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		f, err := filterOf(a)
		if err != nil {
			return nil, err
		}
		return i.SuggestTools(ctx, f, a.Number("least", 0))
	},
	"read_run": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		q := RunQuery{
			Run: a.Text("run"), From: a.Number("from", 0), Limit: a.Number("limit", 0), ValueBytes: a.Number("valueBytes", 0),
			Step: addressText(a, "step"), All: a.Flag("all"), Context: addressText(a, "context"),
		}
		return i.ReadRun(ctx, q)
	},
	"explain_run": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		return i.ExplainRun(ctx, a.Text("run"))
	},
	"diff_inputs": func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		return i.DiffRuns(ctx, a.Text("a"), a.Text("b"))
	},
	"doctor": func(ctx context.Context, i *Inspector, _ toolset.Arguments) (any, error) { return i.Doctor(ctx) },
	runTool: func(ctx context.Context, i *Inspector, a toolset.Arguments) (any, error) {
		return i.RunTool(ctx, a.Text("tool"), a.Object("arguments"))
	},
}

// addressText returns an address, which may be given as a number; empty when it is missing.
func addressText(a toolset.Arguments, name string) string {
	if text := a.Text(name); text != "" || a.Get(name) == nil {
		return text
	}
	return strconv.Itoa(a.Number(name, 0))
}

// filterOf returns the filter of list_runs.
func filterOf(a toolset.Arguments) (journal.Filter, error) {
	f := journal.Filter{
		Tool: a.Text("tool"), Status: journal.Status(a.Text("status")), Text: a.Text("text"),
		Before: a.Text("before"), Limit: a.Number("limit", 0),
	}
	for key, into := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		if text := a.Text(key); text != "" {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return f, fmt.Errorf("%s is %q, expected a time such as 2026-01-31T15:04:05Z", key, text)
			}
			*into = at
		}
	}
	return f, nil
}

// Questions returns the questions as MCP tools that answer them; run_tool is among them
// when withRun is set.
func (i *Inspector) Questions(withRun bool) (*toolset.Set, error) {
	handlers := map[string]toolset.Handler{}
	for name, answer := range questions {
		handlers[name] = func(ctx context.Context, a toolset.Arguments, _ server.Watch) (any, error) { return answer(ctx, i, a) }
	}
	if !withRun {
		handlers[runTool] = nil
	}
	return toolset.New(description, i.Version, handlers)
}

// Serve answers one MCP client until its input ends. Recorded runs are also resources.
func (i *Inspector) Serve(ctx context.Context, in io.Reader, out io.Writer, secrets *config.Secrets, log *slog.Logger) error {
	tools, err := i.Questions(i.Run != nil)
	if err != nil {
		return err
	}
	opts := server.Options{Logger: log, Secrets: secrets}
	if i.Store != nil {
		opts.Resources = runResources{i}
	}
	return tools.Serve(ctx, in, out, opts)
}

// load reads the file as it is now.
func (i *Inspector) load(ctx context.Context) (*project.Project, error) {
	if i.File == "" {
		return nil, errors.New("no graph file was given, expected one with -g")
	}
	return project.Load(ctx, i.File, i.Options)
}

// tool returns the file and the graph of one of its tools.
func (i *Inspector) tool(ctx context.Context, name string) (*project.Project, *graph.Graph, error) {
	p, err := i.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.Graph(name)
	return p, g, err
}

// store returns the recorded runs.
func (i *Inspector) store() (*journal.Store, error) {
	if i.Store == nil {
		return nil, errors.New("runs are not recorded")
	}
	return i.Store, nil
}

// ofFile returns the path that runs of the file have; "" for runs of any file.
func (i *Inspector) ofFile() (string, error) {
	if i.File == "" {
		return "", nil
	}
	return filepath.Abs(i.File)
}

// find returns a run by its id, the beginning of one, or "last". The error is about a
// damaged run too.
func (i *Inspector) find(ctx context.Context, s *journal.Store, id string) (journal.Run, error) {
	file, err := i.ofFile()
	if err != nil {
		return journal.Run{}, err
	}
	var r journal.Run
	if id == "last" && file != "" {
		runs, err := s.List(ctx, journal.Filter{File: file, Limit: 1})
		if err != nil {
			return r, err
		}
		if len(runs) == 0 {
			return r, fmt.Errorf("%w: no run of %s is recorded yet", journal.ErrNotFound, i.File)
		}
		r = runs[0]
	} else if r, err = s.Run(ctx, id); err != nil {
		return r, err
	}
	if file != "" && r.File != file {
		return r, fmt.Errorf("%w: %q is a run of another graph file", journal.ErrNotFound, id)
	}
	return r, s.Verify(ctx, r)
}

// runResources are the recorded runs as MCP resources.
type runResources struct{ *Inspector }

const (
	runScheme = "run://"
	jsonType  = "application/json"
	pageRuns  = 100 // runs in a page of the list
)

// List returns the runs of the file, the newest first; the cursor is the id of a run.
func (s runResources) List(ctx context.Context, cursor string) ([]server.Resource, string, error) {
	if cursor != "" {
		if r, err := s.Store.Run(ctx, cursor); errors.Is(err, journal.ErrNotFound) || err == nil && r.ID != cursor {
			return nil, "", server.ErrNoCursor
		} else if err != nil {
			return nil, "", err
		}
	}
	runs, err := s.ListRuns(ctx, journal.Filter{Limit: pageRuns, Before: cursor})
	if err != nil {
		return nil, "", err
	}
	page := make([]server.Resource, len(runs.Runs))
	for n, r := range runs.Runs {
		page[n] = server.Resource{
			URI: runScheme + r.ID, Name: r.ID, Title: r.Tool + ", " + r.Started.Format(time.RFC3339), MIMEType: jsonType,
			Description: fmt.Sprintf("%s, %d steps, arguments %s", wording.Status(r.Status), r.Steps, r.Args),
		}
	}
	return page, runs.Next, nil
}

// Templates returns the one form of their addresses.
func (runResources) Templates() []server.Resource {
	return []server.Resource{{
		URI: runScheme + "{id}", Name: "run", Title: "A recorded run", MIMEType: jsonType,
		Description: "The answer of read_run; id is the id of a run, the beginning of one, or last.",
	}}
}

// Read returns the answer of read_run.
func (s runResources) Read(ctx context.Context, uri string) ([]server.Content, error) {
	id, is := strings.CutPrefix(uri, runScheme)
	if !is {
		return nil, fmt.Errorf("%w: %s, expected %s and the id of a run", server.ErrNoResource, uri, runScheme)
	}
	r, err := s.ReadRun(ctx, RunQuery{Run: id})
	if errors.Is(err, journal.ErrNotFound) {
		return nil, fmt.Errorf("%w: %s", server.ErrNoResource, uri)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	return []server.Content{{MIMEType: jsonType, Text: string(text)}}, err
}

// Given does nothing: no result of these tools has a link to another resource.
func (runResources) Given(_, _ string) {}
