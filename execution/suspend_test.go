package execution_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
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
		waiting := callerFunc(func(ctx context.Context, _, _ string, _ value.Value) (value.Value, error) {
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

// A run that is to stop ends its call, whose record is kept, and begins no other node: the
// journal has no call without an outcome, and the run is resumed after the call.
func TestStop(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: first}
- {id: first, type: mcp, server: up, tool: first, args: {n: {expr: $.entry.n}}, next: second}
- {id: second, type: mcp, server: up, tool: second, args: {n: {expr: $.entry.n}}, next: exit}
- {id: exit, type: exit}
`)
	for _, test := range []struct {
		name   string
		during execution.EventKind // when the run is to stop
		calls  int                 // that were made until then
		last   execution.EventKind
	}{
		{"during a call", execution.CallStarted, 1, execution.StepFinished},
		{"before a call", execution.StepFinished, 0, execution.StepFinished},
		{"at the start", execution.RunStarted, 0, execution.RunStarted},
	} {
		t.Run(test.name, func(t *testing.T) {
			kept, stop, calls := &cut{left: -1}, make(chan struct{}), 0
			var once sync.Once
			observer := execution.ObserverFunc(func(e execution.Event) {
				if e.Kind == test.during {
					once.Do(func() { close(stop) })
				}
			})
			counting := callerFunc(func(ctx context.Context, _, _ string, args value.Value) (value.Value, error) {
				calls++
				return args, ctx.Err()
			})
			_, err := execution.New(counting, execution.WithJournal(kept), execution.WithObserver(observer),
				execution.WithRunID("r"), execution.WithStop(stop)).Run(t.Context(), g, decode(t, `{"n": 3}`))
			if !errors.Is(err, execution.ErrSuspended) || calls != test.calls {
				t.Fatalf("%d calls, %v", calls, err)
			}
			events, _ := kept.Load(t.Context(), "r")
			last := events[len(events)-1]
			if last.Kind != test.last || last.Record != nil && last.Record.Error != nil {
				t.Errorf("the last event kept is %+v", last)
			}
			if _, calls, err := resume(t, g, kept); err != nil || calls != 2-test.calls {
				t.Errorf("resumed: %d calls, %v", calls, err)
			}
		})
	}
}

// A run whose exit has run has come to its end: there is no next node before which it could
// stop, and its value is not lost.
func TestStopAfterTheExit(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: exit}
- {id: exit, type: exit}
`)
	stop := make(chan struct{})
	observer := execution.ObserverFunc(func(e execution.Event) {
		if e.Kind == execution.StepFinished && e.Record.NodeID == "exit" {
			close(stop)
		}
	})
	result, err := execution.New(nil, execution.WithObserver(observer), execution.WithStop(stop)).Run(t.Context(), g, decode(t, `{"n": 3}`))
	if err != nil || encode(t, result.Value) != `{"n":3}` {
		t.Errorf("%v, %v", result, err)
	}
}
