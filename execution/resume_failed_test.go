package execution_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

var errBoom = errors.New("boom")

// A run that failed and was cut before its end was kept ends as failed when resumed:
// the node after the one that failed is not run.
func TestResumeOfFailedRun(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: boom, next: t}
- {id: t, type: transform, transform: {expr: '"went on"'}, next: exit}
- {id: exit, type: exit}
`)
	boom := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		return nil, errBoom
	})
	kept := &journal.Memory{}
	engine := execution.New(boom, execution.WithJournal(kept), execution.WithRunID("r"))
	_, first := engine.Run(t.Context(), g, decode(t, `{}`))
	events, err := kept.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	for cut := range 2 { // with and without run-finished
		result, err := execution.New(echo).Resume(t.Context(), g, throughJSON(t, events[:len(events)-cut]))
		var step *execution.StepError
		if !errors.As(err, &step) || step.Error() != first.Error() || step.Step != 1 {
			t.Errorf("cut %d: got %v, %v, want %v", cut, result.Value, err, first)
		}
	}
}

// null stays null on its way through a journal.
func TestNullThroughJournal(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: n}
- {id: n, type: transform, transform: {expr: "null"}, next: t}
- {id: t, type: transform, transform: {expr: '$map($nodeExecutions("n"), function($v) { $v = null })'}, next: exit}
- {id: exit, type: exit}
`)
	kept := &journal.Memory{}
	engine := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r"))
	want := encode(t, must(engine.Run(t.Context(), g, decode(t, `{}`))).Value)
	events, _ := kept.Load(t.Context(), "r")
	for n := 1; n <= len(events); n++ {
		got := must(execution.New(echo).Resume(t.Context(), g, throughJSON(t, events[:n])))
		if encode(t, got.Value) != want {
			t.Errorf("after %d events: got %s, want %s", n, encode(t, got.Value), want)
		}
	}
}

func must(result *execution.Result, err error) *execution.Result {
	if err != nil {
		panic(err)
	}
	return result
}

// Time in which a run was not running does not count, however often it was resumed.
func TestPausesDoNotCount(t *testing.T) {
	g := build(t, sumLoop)
	now := time.Now()
	kept := &cut{left: 3}
	_, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r"), execution.WithClock(func() time.Time { return now })).
		Run(t.Context(), g, decode(t, `{"n": 5}`))
	for round := 0; errors.Is(err, errCrash); round++ {
		now = now.Add(time.Hour)
		events, loadErr := kept.Load(t.Context(), "r")
		if loadErr != nil || round > 50 {
			t.Fatal(loadErr, round)
		}
		kept.left = 3
		_, err = execution.New(echo, execution.WithJournal(kept), execution.WithClock(func() time.Time { return now })).
			Resume(t.Context(), g, throughJSON(t, events))
	}
	if err != nil {
		t.Error(err)
	}
}
