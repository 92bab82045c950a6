package runtime

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
)

// ForkEvents returns the events of a recorded run for a fork at a step. The run has to be over, and
// what is before the step recorded as it was.
func ForkEvents(ctx context.Context, store *journal.Store, run journal.Run, at execution.Address) ([]execution.Event, error) {
	if run.InProgress() {
		return nil, fmt.Errorf("run %s is running; stop it or wait for its end, then fork it", run.ID)
	}
	if err := store.Verify(ctx, run); err != nil {
		return nil, err
	}
	events, err := store.LoadFor(ctx, run.ID, at)
	var gap *journal.GapError
	if errors.As(err, &gap) {
		err = fmt.Errorf("run %s cannot be forked at step %s, because what is before it is not recorded as it was: %w", run.ID, at, err)
	}
	return events, err
}

// Fork runs a fork of a run with these events.
func (l *Loaded) Fork(ctx context.Context, g *graph.Graph, events []execution.Event, f execution.Fork, more ...execution.Option) (*execution.Result, error) {
	ctx, options := l.Begin(ctx, g)
	options = append(options, l.Believer(true).Options(ctx)...) // calls whose outcome is unknown depend on it
	return l.Engine().Fork(ctx, g, events, f, append(options, more...)...)
}

// ForkRemedy adds to the reason why a run is not forked what its reader can do.
func ForkRemedy(err error, run string) error {
	switch {
	case errors.Is(err, execution.ErrGraphChanged):
		return fmt.Errorf("%w; fork it with --changed, or give the original file with -g", err)
	case errors.Is(err, execution.ErrInDoubt):
		return fmt.Errorf("%w; resume the run first and resolve the call (toolgraph resume %s), or fork it with --repeat, which may make it a second time", err, run)
	}
	return WithRemedy(err)
}
