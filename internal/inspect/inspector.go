package inspect

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// Inspector is what the answers are made of. Safe for concurrent use.
type Inspector struct {
	File    string         // the graph file, whose runs alone are told; empty: only runs can be asked for, of any file
	Options config.Options // how it is loaded
	Store   *journal.Store // nil: no runs are kept
	NoStore error          // why they cannot be kept; nil when nobody wants them kept
	Version string         // of this program

	// Command is the program that would be started for a server; nil: nobody looks.
	Command func(u *config.Upstream) (path string, err error)
	// Run makes one run of a graph of the file; nil: runs are not allowed.
	Run func(ctx context.Context, p *project.Project, g *graph.Graph, args value.Value) (*execution.Result, error)
}

// load reads the file as it is now.
func (i *Inspector) load(ctx context.Context) (*project.Project, error) {
	if i.File == "" {
		return nil, errors.New("no graph file was given, expected one with -g")
	}
	return project.Load(ctx, i.File, i.Options)
}

// tool is the graph of a tool of the file, and the file.
func (i *Inspector) tool(ctx context.Context, name string) (*project.Project, *graph.Graph, error) {
	p, err := i.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	g, err := p.Graph(name)
	return p, g, err
}

// store is where runs are kept.
func (i *Inspector) store() (*journal.Store, error) {
	if i.Store == nil {
		return nil, errors.New("no runs are kept here")
	}
	return i.Store, nil
}

// ofFile is the path by which runs of the file are known; empty: runs of any file.
func (i *Inspector) ofFile() (string, error) {
	if i.File == "" {
		return "", nil
	}
	return filepath.Abs(i.File)
}

// find is a run by its id, the beginning of one, or "last". One that is damaged is an error.
func (i *Inspector) find(ctx context.Context, s *journal.Store, id string) (journal.Run, error) {
	r, err := i.named(ctx, s, id)
	if err != nil {
		return r, err
	}
	return r, s.Verify(ctx, r)
}

func (i *Inspector) named(ctx context.Context, s *journal.Store, id string) (journal.Run, error) {
	file, err := i.ofFile()
	if err != nil || file == "" {
		return s.Run(ctx, id)
	}
	if id == "last" {
		runs, err := s.List(ctx, journal.Filter{File: file, Limit: 1})
		if err == nil && len(runs) == 0 {
			err = fmt.Errorf("%w of %s", journal.ErrNotFound, i.File)
		}
		if err != nil {
			return journal.Run{}, err
		}
		return runs[0], nil
	}
	r, err := s.Run(ctx, id)
	if err == nil && r.File != file {
		return journal.Run{}, fmt.Errorf("%w: %q is a run of another graph file", journal.ErrNotFound, id)
	}
	return r, err
}
