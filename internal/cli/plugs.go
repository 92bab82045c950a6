package cli

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
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
	hints   toolHints                                              // what is known of upstream tools; nil: nothing
	grace   time.Duration                                          // of calls in flight when the process is stopped
	closers []func()                                               // when the last run has ended, in reverse order
}

// watch begins to watch one run: the context is the run's from then on.
type watch func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer)

// engine makes an engine for the graphs of a file, whose calls go to the pool through all
// that is around it.
func (p *plugs) engine(of *project.Project, pool execution.Pool) *execution.Engine {
	caller := execution.PoolCaller(pool)
	for _, wrap := range p.callers {
		caller = wrap(caller)
	}
	options := append(slices.Clone(p.options), execution.WithRepeatable(repeatable(of, p.hints)))
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
func (p *plugs) run(ctx context.Context, engine *execution.Engine, g *graph.Graph, args value.Value, log *slog.Logger, more ...execution.Option) (*execution.Result, error) {
	ctx, watching := p.begin(ctx, g, log)
	return engine.Run(ctx, g, args, append(watching, more...)...)
}

// resume takes a run of a graph on.
func (p *plugs) resume(ctx context.Context, engine *execution.Engine, g *graph.Graph, events []execution.Event, log *slog.Logger, more ...execution.Option) (*execution.Result, error) {
	ctx, watching := p.begin(ctx, g, log)
	return engine.Resume(ctx, g, events, append(watching, more...)...)
}

// reportPanics logs what clients do not see of a panic.
func reportPanics(log *slog.Logger) execution.Option {
	return execution.WithPanicReport(func(run string, p *execution.PanicError) {
		log.Error("a run panicked", "id", p.ID, "run", run, "panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	})
}

// begin begins to watch a run.
func (p *plugs) begin(ctx context.Context, g *graph.Graph, log *slog.Logger) (context.Context, []execution.Option) {
	ctx = withRuleLog(ctx, log, g.Tool.Name.Value)
	watching := []execution.Option{reportPanics(log)}
	for _, begin := range p.watches {
		var observer execution.Observer
		ctx, observer = begin(ctx, g)
		watching = append(watching, execution.WithObserver(observer))
	}
	return ctx, watching
}

// close ends what is plugged in.
func (p *plugs) close() {
	for i := len(p.closers) - 1; i >= 0; i-- {
		p.closers[i]()
	}
}
