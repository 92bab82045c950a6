package runtime

import (
	"context"
	"slices"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// upstreamCaller makes the calls of runs through the pool of the file. It is a struct, and not a
// chain of functions, because each call passes here with its run on a stack that should not grow.
type upstreamCaller struct{ of *Loaded }

// CallTool makes a call.
func (u upstreamCaller) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	ctx = withRunProgress(u.of.asPermitted(ctx, &c), &c)
	v, details, err := u.of.Pool.CallToolInDetail(ctx, &c)
	if err == nil {
		keepDetails(ctx, &c, details)
		u.of.named(c.Server, v)
	}
	return v, err
}

// Engine makes an engine for the graphs of the file.
func (l *Loaded) Engine() *execution.Engine {
	caller := execution.ToolCaller(upstreamCaller{l})
	for _, wrap := range l.callers {
		caller = wrap(caller)
	}
	options := append(slices.Clone(l.options), execution.WithCache(l.cache.Of(l.Pool)))
	if l.History != nil {
		journal := l.History.Journal(l.File.Secrets, About(l.Project))
		if l.given.Around != nil {
			journal = l.given.Around(journal)
		}
		options = append(options, execution.WithJournal(journal))
	}
	return execution.New(caller, options...)
}
