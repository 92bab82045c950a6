package cli

import (
	"context"
	"crypto/rand"
	"fmt"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/authoring/dryrun"
	"toolgraph/internal/debugger/page"
	"toolgraph/internal/runtime"
)

// Plan returns what a fork copies and makes again.
func (a pageRuns) Plan(ctx context.Context, run journal.Run, at execution.Address) (plan *dryrun.ForkPlan, changed bool, err error) {
	events, g, changed, err := a.forkable(ctx, run, at)
	if err == nil {
		plan, err = dryrun.ForkOf(ctx, g, events, at, a.Believer(false).Effect)
	}
	return plan, changed, err
}

// Fork prepares a fork.
func (a pageRuns) Fork(ctx context.Context, run journal.Run, f execution.Fork, changed bool) (*page.Prepared, error) {
	events, g, _, err := a.forkable(ctx, run, f.At)
	if err != nil {
		return nil, err
	}
	opts := a.Believer(true).Options(ctx) // calls whose outcome is unknown depend on it
	if changed {
		opts = append(opts, execution.WithChangedGraph())
	}
	forked, err := a.Engine().PrepareFork(ctx, g, events, f, opts...)
	if err != nil {
		return nil, err
	}
	own := forked.Events()
	return &page.Prepared{
		ID: forked.ID(), Graph: g, Args: own[0].Start.Args, Events: own,
		Run: func(ctx context.Context, opts ...execution.Option) (*execution.Result, error) {
			ctx, options := a.Begin(ctx, g)
			return forked.Run(ctx, append(options, opts...)...)
		},
	}, nil
}

// forkable returns the events of a run for a fork, and its graph as it is now.
func (a pageRuns) forkable(ctx context.Context, run journal.Run, at execution.Address) (events []execution.Event, g *graph.Graph, changed bool, err error) {
	if events, err = runtime.ForkEvents(ctx, a.History, run, at); err != nil {
		return nil, nil, false, err
	}
	g, err = a.Recorded(ctx, run.Tool, events[0].Start.Args)
	return events, g, err == nil && !events[0].Start.IsOf(g), err
}

// InDoubt returns the calls of a run whose outcome is unknown.
func (a pageRuns) InDoubt(ctx context.Context, run journal.Run) (calls []*execution.Visit, changed bool, err error) {
	events, err := a.resumable(ctx, run)
	if err != nil {
		return nil, false, err
	}
	g, err := a.Recorded(ctx, run.Tool, events[0].Start.Args)
	return execution.InDoubt(events), err == nil && !events[0].Start.IsOf(g), err
}

// resumable returns the events of a run that can be resumed.
func (a pageRuns) resumable(ctx context.Context, run journal.Run) ([]execution.Event, error) {
	if run.InProgress() {
		return nil, fmt.Errorf("run %s is running in another process, expected an interrupted run", run.ID)
	}
	if err := a.History.Verify(ctx, run); err != nil {
		return nil, err
	}
	events, err := a.History.Journal(nil, journal.About{}).Load(ctx, run.ID)
	if err == nil && runtime.HasEnded(events) {
		err = fmt.Errorf("run %s has ended, so it cannot be resumed; run it again, whole or from one of its steps", run.ID)
	}
	return events, err
}

// Resume prepares an interrupted run to go on. This process has claimed it then.
func (a pageRuns) Resume(ctx context.Context, run journal.Run, r execution.Resolution, changed bool) (*page.Prepared, error) {
	events, err := a.resumable(ctx, run)
	if err != nil {
		return nil, err
	}
	start := events[0].Start
	g, err := a.Recorded(ctx, run.Tool, start.Args)
	if err != nil {
		return nil, err
	}
	if !start.IsOf(g) && !changed {
		return nil, fmt.Errorf("run %s was started with another version of the graph: %w", run.ID, execution.ErrGraphChanged)
	}
	if events, err = a.Claim(ctx, run.ID); err != nil {
		return nil, err
	}
	own := []execution.Option{execution.WithResolution(r)}
	if changed {
		own = append(own, execution.WithChangedGraph())
	}
	return &page.Prepared{
		ID: run.ID, Graph: g, Args: start.Args, Events: events,
		Run: func(ctx context.Context, opts ...execution.Option) (*execution.Result, error) {
			return a.Continue(ctx, g, events, append(own, opts...)...)
		},
	}, nil
}

// Replay prepares a run whose calls and questions are answered from a recorded one.
func (a pageRuns) Replay(ctx context.Context, run journal.Run) (*page.Prepared, error) {
	if run.InProgress() {
		return nil, fmt.Errorf("run %s is running; wait for its end", run.ID)
	}
	if err := a.History.Verify(ctx, run); err != nil {
		return nil, err
	}
	events, err := a.History.Load(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	args := events[0].Start.Args
	if gap, isGap := journal.GapOf(args); isGap {
		return nil, &journal.GapError{Run: run.ID, What: "its arguments", Gap: gap}
	}
	g, err := a.Recorded(ctx, run.Tool, args)
	if err != nil {
		return nil, err
	}
	follow := newFollower(g, events, 0)
	engine, recording := replayer(g, events, 0, runtime.ReportPanics(a.Log))
	return &page.Prepared{
		ID: rand.Text(), Graph: g, Args: args,
		Edits: func(next execution.Event) []execution.Edit {
			edits, _ := follow.Wait(ctx, next) // it has no error
			return edits
		},
		Run: func(ctx context.Context, opts ...execution.Option) (*execution.Result, error) {
			ctx = runtime.WithRuleLog(ctx, a.Log, g.Tool.Name.Value)
			return engine.Run(ctx, g, args, append(opts, execution.WithObserver(follow), execution.WithUser(recording))...)
		},
	}, nil
}
