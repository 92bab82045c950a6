package habit

import (
	"context"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
)

// Projects are the graph files of runs, each loaded once. Not safe for concurrent use.
type Projects struct {
	loaded map[string]*project.Project // nil: it cannot be loaded
	locks  map[string]*lock.Lock       // nil: there is none
}

// Graph returns the graph that a run of a plan or a pipeline ran, as the file is now.
func (p *Projects) Graph(ctx context.Context, run journal.Run, args value.Value) (*graph.Graph, error) {
	if p.loaded == nil {
		p.loaded = map[string]*project.Project{}
	}
	known, is := p.loaded[run.File]
	if !is {
		known, _ = project.Load(ctx, run.File, config.Options{AssumeEnv: true})
		p.loaded[run.File] = known
	}
	if known == nil {
		return nil, journal.ErrNotFound
	}
	return known.Recorded(ctx, run.Tool, args)
}

// effect returns what the lock beside a graph file says that a call does; "" is unknown.
func (p *Projects) effect(file, server, tool string) config.Effect {
	if p.locks == nil {
		p.locks = map[string]*lock.Lock{}
	}
	l, is := p.locks[file]
	if !is {
		l, _ = lock.Load(lock.Path(file))
		p.locks[file] = l
	}
	if l == nil {
		return ""
	}
	effect, _ := l.Effect(server, tool)
	return effect
}
