package inspect

import (
	"context"
	"errors"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// Inspector is what the answers are made of. Safe for concurrent use.
type Inspector struct {
	File    string         // the graph file; empty: only runs can be asked for
	Options config.Options // how it is loaded
	Store   *journal.Store // nil: no runs are kept
	Version string         // of this program

	// Command is the program that would be started for a server; nil: nobody looks.
	Command func(u *config.Upstream) (path string, err error)
	// Run makes one run of a graph of the file; nil: runs are not allowed.
	Run func(ctx context.Context, p *project.Project, g *graph.Graph, args expressions.Value) (*execution.Result, error)
}

// load reads the file as it is now.
func (i *Inspector) load() (*project.Project, error) {
	if i.File == "" {
		return nil, errors.New("no graph file was given, expected one with -g")
	}
	return project.Load(i.File, i.Options)
}

// store is where runs are kept.
func (i *Inspector) store() (*journal.Store, error) {
	if i.Store == nil {
		return nil, errors.New("no runs are kept here")
	}
	return i.Store, nil
}
