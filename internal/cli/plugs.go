package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/project"
)

// plugs are what runs are plugged into beside the servers that they call: what is
// switched on of the history, traces, metrics. The zero value is nothing.
type plugs struct {
	callers []func(next execution.ToolCaller) execution.ToolCaller // around calls, the innermost first
	options []execution.Option                                     // of every run
	watches []watch                                                // of each run
	history *journal.Store                                         // nil: runs are not kept
	closers []func()                                               // when the last run has ended, in reverse order
}

// watch begins to watch one run: the context is the run's from then on.
type watch func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer)

// engine makes an engine for the graphs of a file, whose calls go to caller through all
// that is around it.
func (p *plugs) engine(of *project.Project, caller execution.ToolCaller) *execution.Engine {
	for _, wrap := range p.callers {
		caller = wrap(caller)
	}
	options := slices.Clone(p.options)
	if p.history != nil {
		options = append(options, execution.WithJournal(p.history.Journal(of.File.Secrets, aboutRuns(of))))
	}
	return execution.New(caller, options...)
}

// aboutRuns is what is kept of a file with each run.
func aboutRuns(p *project.Project) journal.About {
	path := p.File.Path
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return journal.About{File: path, Server: p.File.Server.Name.Value}
}

// run makes one run of a graph on an engine of ours.
func (p *plugs) run(ctx context.Context, engine *execution.Engine, g *graph.Graph, args expressions.Value, log *slog.Logger, more ...execution.Option) (*execution.Result, error) {
	ctx = withRuleLog(ctx, log, g.Tool.Name.Value)
	for _, begin := range p.watches {
		var observer execution.Observer
		ctx, observer = begin(ctx, g)
		more = append(more, execution.WithObserver(observer))
	}
	return engine.Run(ctx, g, args, more...)
}

// close ends what is plugged in.
func (p *plugs) close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
}
