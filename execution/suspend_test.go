package execution_test

import (
	"context"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions"
)

// A run that is suspended in the middle of a call, or between two nodes, is resumed from
// there: its journal knows nothing of the suspension.
func TestSuspend(t *testing.T) {
	g := paying(t, "onCrash: rerun, ")
	for _, during := range []execution.EventKind{execution.CallStarted, execution.StepFinished} {
		kept := &cut{left: -1}
		ctx, cancel := context.WithCancelCause(t.Context())
		observer := execution.ObserverFunc(func(e execution.Event) {
			if e.Kind == during {
				cancel(execution.ErrSuspended)
			}
		})
		waiting := callerFunc(func(ctx context.Context, _, _ string, _ expressions.Value) (expressions.Value, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		_, err := execution.New(waiting, execution.WithJournal(kept), execution.WithObserver(observer), execution.WithRunID("r")).
			Run(ctx, g, decode(t, `{"n": 3}`))
		if err == nil {
			t.Fatal("the run was not suspended")
		}
		events, _ := kept.Load(t.Context(), "r")
		if last := events[len(events)-1]; last.Kind != during || last.Record != nil && last.Record.Error != nil {
			t.Errorf("%s: the last event kept is %s", during, last.Kind)
		}
		result, calls, err := resume(t, g, kept)
		if err != nil || calls != 1 || encode(t, result.Value) != `{"amount":3}` {
			t.Errorf("%s: %d calls, %v, %v", during, calls, result, err)
		}
	}
}
