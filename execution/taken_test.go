package execution_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// takenFrom is a journal whose run another process takes before an event.
type takenFrom struct {
	journal.Memory
	left int
}

func (j *takenFrom) Append(ctx context.Context, e execution.Event) error {
	if j.left--; j.left < 0 {
		return fmt.Errorf("run %s: %w", e.Run, execution.ErrTaken)
	}
	return j.Memory.Append(ctx, e)
}

// A run that another process takes over ends at that event, whichever it is: no call follows, and no
// end is recorded or observed.
func TestTakenRun(t *testing.T) {
	g := build(t, twoCalls)
	for left := 0; ; left++ {
		kept := &takenFrom{left: left}
		calls, observed := 0, []execution.Event(nil)
		counted := callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
			calls++
			return args, nil
		})
		engine := execution.New(counted, execution.WithJournal(kept), execution.WithRunID("r"))
		result, err := engine.Run(t.Context(), g, decode(t, `{"n": 1}`), execution.WithCaller("abc", true),
			execution.WithObserver(execution.ObserverFunc(func(e execution.Event) { observed = append(observed, e) })))
		events, _ := kept.Load(t.Context(), "r")
		if err == nil {
			if start := events[0]; start.Start.Caller != "abc" || !start.Sync || left != len(events) {
				t.Fatalf("the start is %+v, with %d events of %d", start, len(events), left)
			}
			return
		}
		if !errors.Is(err, execution.ErrTaken) || result == nil || result.Value != nil || len(events) != left || len(observed) != left {
			t.Fatalf("taken before event %d: %v, %+v, %d recorded, %d observed", left, err, result, len(events), len(observed))
		}
		started := 0
		for _, e := range events {
			if e.Kind == execution.CallStarted {
				started++
			}
		}
		if calls != started {
			t.Fatalf("taken before event %d: %d calls, %d recorded", left, calls, started)
		}
	}
}

// endless is a journal that cannot record the end of a run.
type endless struct{ journal.Memory }

func (j *endless) Append(ctx context.Context, e execution.Event) error {
	if e.Kind == execution.RunFinished {
		return journal.ErrNotEnded
	}
	return j.Memory.Append(ctx, e)
}

// A run that happens once has no result, and no failure, that is not recorded.
func TestEndIsNotRecorded(t *testing.T) {
	g := build(t, twoCalls)
	for _, failure := range []error{nil, errors.New("it fails")} {
		caller := callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) { return args, failure })
		engine := execution.New(caller, execution.WithJournal(&endless{}))
		result, err := engine.Run(t.Context(), g, decode(t, `{"n": 1}`), execution.WithCaller("abc", true))
		if !errors.Is(err, journal.ErrNotEnded) || result.Value != nil {
			t.Errorf("%v: %+v, %v", failure, result, err)
		}
	}
}
