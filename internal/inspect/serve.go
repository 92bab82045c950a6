package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/server"
)

// Serve answers one MCP client until its input ends.
func (i *Inspector) Serve(ctx context.Context, in io.Reader, out io.Writer, secrets *config.Secrets, log *slog.Logger) error {
	questions, err := Questions(i.Run != nil)
	if err != nil {
		return err
	}
	file, err := config.Parse("tools.yaml", definitions, config.Options{})
	if err != nil {
		return err
	}
	opts := server.Options{
		Info: server.Info{
			Name: file.Server.Name.Value, Version: i.Version, Title: file.Server.Title.Value, Instructions: file.Server.Instructions.Value,
		},
		Logger: log, Secrets: secrets,
	}
	if i.Store != nil {
		opts.Resources = shelf{i}
	}
	for _, q := range questions {
		opts.Tools = append(opts.Tools, server.Tool{
			Def: q.Def,
			Run: func(ctx context.Context, args value.Value, _ server.Watch) (value.Value, error) {
				return q.Ask(ctx, i, args)
			},
		})
	}
	srv, err := server.New(opts)
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx, in, out)
}

// shelf is the kept runs as resources.
type shelf struct{ *Inspector }

const (
	runScheme = "run://"
	jsonType  = "application/json"
	// pageRuns is how many runs a page of the list has.
	pageRuns = 100
)

// List are the runs of the file, the newest first; the cursor is the id of a run.
func (s shelf) List(ctx context.Context, cursor string) ([]server.Resource, string, error) {
	f := journal.Filter{Limit: pageRuns, Before: cursor}
	if cursor != "" {
		if r, err := s.Store.Run(ctx, cursor); errors.Is(err, journal.ErrNotFound) || err == nil && r.ID != cursor {
			return nil, "", server.ErrNoCursor
		} else if err != nil {
			return nil, "", err
		}
	}
	runs, err := s.ListRuns(ctx, f)
	if err != nil {
		return nil, "", err
	}
	page := make([]server.Resource, len(runs.Runs))
	for n, r := range runs.Runs {
		page[n] = server.Resource{
			URI: runScheme + r.ID, Name: r.ID, Title: r.Tool + ", " + r.Started.Format(time.RFC3339), MIMEType: jsonType,
			Description: fmt.Sprintf("%s, %d steps, arguments %s", r.Status, r.Steps, r.Args),
		}
	}
	return page, runs.Next, nil
}

// Templates is the one form of address that there is.
func (shelf) Templates() []server.Resource {
	return []server.Resource{{
		URI: runScheme + "{id}", Name: "run", Title: "A kept run", MIMEType: jsonType,
		Description: "The answer of read_run to an id, the beginning of one, or last.",
	}}
}

// Read is the answer of read_run.
func (s shelf) Read(ctx context.Context, uri string) (server.Content, error) {
	id, is := strings.CutPrefix(uri, runScheme)
	if !is {
		return server.Content{}, fmt.Errorf("%w: %s, expected %s and the id of a run", server.ErrNoResource, uri, runScheme)
	}
	r, err := s.ReadRun(ctx, RunQuery{Run: id})
	if errors.Is(err, journal.ErrNotFound) {
		return server.Content{}, fmt.Errorf("%w: %s", server.ErrNoResource, uri)
	}
	if err != nil {
		return server.Content{}, err
	}
	text, err := json.Marshal(r)
	return server.Content{MIMEType: jsonType, Text: string(text)}, err
}
