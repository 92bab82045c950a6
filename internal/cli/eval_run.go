package cli

import (
	"context"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/graph"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
)

// recordedScope returns what the expressions of a step of a recorded run saw.
func (f *evalFlags) recordedScope(ctx context.Context) (*expressions.Scope, error) {
	var at execution.Address
	if f.step != "" {
		var err error
		if at, err = execution.ParseAddress(f.step); err != nil {
			return nil, program.Usagef("--step: %w", err)
		}
	}
	var recorded journal.Run
	var events []execution.Event
	if err := f.recorded.Read(func(store *journal.Store) (err error) {
		if recorded, err = store.Run(ctx, f.run); err == nil {
			events, err = store.Load(ctx, recorded.ID)
		}
		return err
	}); err != nil {
		return nil, err
	}
	history := fold.NewHistory()
	for _, e := range events {
		history.Add(e)
	}
	if f.step == "" {
		return history.ScopeIn(graphAsRun(ctx, recorded, events), history.Records("")), nil
	}
	scope, err := history.Scope(ctx, graphAsRun(ctx, recorded, events), at)
	if err != nil {
		return nil, program.Usagef("--step %s: %w", at, err)
	}
	return scope, nil
}

// graphAsRun returns the graph that a recorded run ran, from which the item of a part follows; nil
// when its file has changed or cannot be read: the expression then sees no item.
func graphAsRun(ctx context.Context, recorded journal.Run, events []execution.Event) *graph.Graph {
	p, err := project.Load(ctx, recorded.File, config.Options{AssumeEnv: true})
	if err != nil {
		return nil
	}
	g, err := p.Recorded(ctx, recorded.Tool, events[0].Start.Args)
	if err != nil || !events[0].Start.IsOf(g) {
		return nil
	}
	return g
}
