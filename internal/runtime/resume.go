package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
)

// WithRemedy adds to a failure what its reader can do about it.
func WithRemedy(err error) error {
	var step *execution.StepError
	if errors.As(err, &step) && errors.Is(err, execution.ErrSuspended) {
		return fmt.Errorf("%w\nif the run is recorded, resume it: toolgraph resume %s", err, step.Run)
	}
	if !errors.As(err, &step) || step.Code() != execution.CodeOutcomeUnknown {
		return err
	}
	all := ""
	var failed *execution.Failure
	if errors.As(err, &failed) && strings.Contains(string(failed.At), ".") { // parts run at the same time
		all = ", --repeat-all repeats all in-doubt calls"
	}
	return fmt.Errorf("%w\nafter checking, resolve the call: toolgraph resume %s --repeat repeats it, "+
		"--answer JSON gives the value that it returned, --answer-nothing says that it returned no value%s", err, step.Run, all)
}

// resume resumes an interrupted run. The result of a run that has ended is its recorded end.
func (l *Loaded) resume(ctx context.Context, g *graph.Graph, id string, more ...execution.Option) (*execution.Result, error) {
	events, err := l.claimed(ctx, id, false)
	if err != nil {
		return nil, err
	}
	return l.Continue(ctx, g, events, more...)
}

// Resolve is resume also for a run that ended because of an in-doubt call, which the options may resolve.
func (l *Loaded) Resolve(ctx context.Context, g *graph.Graph, id string, more ...execution.Option) (*execution.Result, error) {
	events, err := l.Claim(ctx, id)
	if err != nil {
		return nil, err
	}
	return l.Continue(ctx, g, events, more...)
}

// Continue continues a run with these events, which this process has claimed. A run that cannot be continued, or is
// suspended, is given back.
func (l *Loaded) Continue(ctx context.Context, g *graph.Graph, events []execution.Event, more ...execution.Option) (*execution.Result, error) {
	ctx, options := l.Begin(ctx, g)
	options = append(options, l.Believer(true).Options(ctx)...) // in-doubt calls depend on it
	var rest *execution.Rest
	if len(events) > 0 {
		if claimed, was := l.rests.LoadAndDelete(events[0].Run); was {
			rest, _ = claimed.(*execution.Rest)
			options = append(options, execution.WithRest(rest))
		}
	}
	result, err := l.Engine().Resume(ctx, g, events, append(options, more...)...)
	var step *execution.StepError
	undone := err != nil && !errors.As(err, &step) && !errors.Is(err, execution.ErrTaken)
	if len(events) > 0 && (undone || errors.Is(err, execution.ErrSuspended)) {
		l.settle(ctx, events[0].Run, rest, err)
	}
	return result, err
}

// Claim returns the events of a run, and claims it unless it has ended with anything but an in-doubt call.
func (l *Loaded) Claim(ctx context.Context, id string) ([]execution.Event, error) {
	return l.claimed(ctx, id, true)
}

// claimed returns the events of a run, and claims it unless it has ended: with anything but an in-doubt call. An error is isUnread
// when nothing is known of the run now.
func (l *Loaded) claimed(ctx context.Context, id string, inDoubt bool) ([]execution.Event, error) {
	events, err := l.History.Load(ctx, id)
	if err != nil {
		return nil, readError(err)
	}
	if !HasEnded(events) {
		// A run is claimed only when it is recorded completely. Then it is read again,
		// because another process may have resumed it and died in between.
		complete := l.History.Journal(l.File.Secrets, About(l.Project))
		if _, err := complete.Load(ctx, id); err != nil {
			return nil, readError(err)
		}
		rest, err := l.History.ClaimParked(ctx, id, inDoubt)
		switch {
		case errors.Is(err, journal.ErrRunning):
			return nil, err
		case err != nil:
			return nil, readError(err)
		}
		if events, err = complete.Load(ctx, id); err != nil {
			l.giveBack(ctx, id)
			return nil, readError(err)
		}
		if rest != nil {
			l.rests.Store(id, rest)
		}
	}
	return events, nil
}

// giveBack lets any process resume a suspended run, as soon as this one has recorded it.
func (l *Loaded) giveBack(ctx context.Context, run string) {
	if l.History == nil {
		return
	}
	if err := l.History.Release(context.WithoutCancel(ctx), run); err != nil {
		l.Log.Warn("a suspended run can be resumed once this process has ended", "run", run, "error", err)
	}
}

// HasEnded reports whether a run is over: with a value, or with a failure that is final.
func HasEnded(events []execution.Event) bool {
	if len(events) == 0 {
		return false
	}
	end := events[len(events)-1].End
	return end != nil && (end.Failure == nil || end.Failure.Code != execution.CodeOutcomeUnknown)
}
