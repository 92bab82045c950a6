package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/jsonlogic"
	"toolgraph/expressions/value"
)

const secretText = "hunter2"

// A panic of anything that a run is plugged into ends that run as internal, with a record,
// and shows nothing of what it says.
func TestV19Panics(t *testing.T) {
	const logging = `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: t, args: {n: {expr: $.entry.n}}, next: sw}
- {id: sw, type: switch, conditions: [{rule: {log: {var: $.entry.n}}, next: other}], next: other}
- {id: other, type: transform, transform: {expr: "1"}, next: exit}
- {id: exit, type: exit}
`
	panics := func() { panic("the token is " + secretText) }
	at := func(kind execution.EventKind) execution.Option {
		return execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
			if e.Kind == kind {
				panics()
			}
		}))
	}
	for _, c := range []struct {
		name    string
		option  execution.Option
		caller  execution.ToolCaller
		ctx     func(context.Context) context.Context
		records int    // in the history
		failed  string // the node whose record has the failure
	}{
		{name: "a caller", records: 2, failed: "call", caller: callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
			panics()
			return nil, nil
		})},
		{name: "a gate", option: execution.WithGate(gateFunc(func(_ context.Context, next execution.Event) ([]execution.Edit, error) {
			if next.Step.NodeID == "sw" {
				panics()
			}
			return nil, nil
		})), records: 2},
		{name: "an observer of the start", option: at(execution.RunStarted)},
		{name: "an observer of a call", option: at(execution.CallStarted), records: 2, failed: "call"},
		{name: "an observer of a step", option: at(execution.StepFinished)},
		{name: "a function of an expression", records: 3, failed: "sw", ctx: func(ctx context.Context) context.Context {
			return jsonlogic.WithLog(ctx, func(value.Value) { panics() })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(t, logging)
			store := &memory{}
			reported := ""
			opts := []execution.Option{execution.WithJournal(store), execution.WithPanicReport(func(run string, p *execution.PanicError) {
				reported = run + " " + p.ID + " " + p.Value.(string)
			})}
			if c.option != nil {
				opts = append(opts, c.option)
			}
			var caller execution.ToolCaller = echo
			if c.caller != nil {
				caller = c.caller
			}
			ctx := t.Context()
			if c.ctx != nil {
				ctx = c.ctx(ctx)
			}
			engine := execution.New(caller, opts...)
			result, err := engine.Run(ctx, g, decode(t, `{"n": 1}`))
			var fault *execution.PanicError
			if !errors.As(err, &fault) || strings.Contains(err.Error(), secretText) || !strings.Contains(err.Error(), "internal error, id "+fault.ID) {
				t.Fatalf("got %v", err)
			}
			if result == nil || result.Value != nil || len(result.History()) != c.records {
				t.Fatalf("the result is %+v", result)
			}
			if c.failed != "" {
				last := result.History()[c.records-1]
				if last.NodeID != c.failed || last.Error == nil || last.Error.Code != execution.CodeInternal {
					t.Errorf("the last record is %+v", last)
				}
			}
			end := store.events[len(store.events)-1]
			if end.End == nil || end.End.Failure == nil || end.End.Failure.Code != execution.CodeInternal || strings.Contains(end.End.Failure.Message, secretText) {
				t.Errorf("the journal ends with %+v", end)
			}
			if want := result.RunID + " " + fault.ID + " the token is " + secretText; reported != want {
				t.Errorf("reported %q, want %q", reported, want)
			}
		})
	}
}

// A panic over the end of a run is reported, and the run keeps its end.
func TestV19PanicOverTheEnd(t *testing.T) {
	reported := 0
	engine := execution.New(echo, execution.WithPanicReport(func(string, *execution.PanicError) { reported++ }),
		execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
			if e.Kind == execution.RunFinished {
				panic("late")
			}
		})))
	result, err := engine.Run(t.Context(), build(t, twoCalls), decode(t, `{"n": 1}`))
	if err != nil || result.Value == nil || reported != 1 {
		t.Errorf("%+v, %v, reported %d times", result, err, reported)
	}
}
