package cli

import (
	"context"
	"log/slog"

	"toolgraph/execution"
	"toolgraph/expressions"
	"toolgraph/graph"
)

// plugs are what runs are plugged into beside the servers that they call: what is
// switched on of the history, traces, metrics. The zero value is nothing.
type plugs struct {
	callers []func(next execution.ToolCaller) execution.ToolCaller // around calls, the innermost first
	options []execution.Option                                     // of every run
	watches []watch                                                // of each run
	closers []func()                                               // when the last run has ended, in reverse order
}

// watch begins to watch one run: the context is the run's from then on.
type watch func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer)

// engine makes an engine whose calls go to caller through all that is around it.
func (p *plugs) engine(caller execution.ToolCaller) *execution.Engine {
	for _, wrap := range p.callers {
		caller = wrap(caller)
	}
	return execution.New(caller, p.options...)
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
