package execution_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// gateFunc is a function as a Gate.
type gateFunc func(ctx context.Context, next execution.Event) ([]execution.Edit, error)

func (f gateFunc) Wait(ctx context.Context, next execution.Event) ([]execution.Edit, error) {
	return f(ctx, next)
}

// A gate is asked before every node, sees what the node will see, and its error ends the
// run.
func TestGate(t *testing.T) {
	g := build(t, twoCalls)
	var seen []string
	expr, err := jsonata.Compile(t.Context(), `$join($sort($append($keys($), [])), " ")`)
	if err != nil {
		t.Fatal(err)
	}
	gate := gateFunc(func(ctx context.Context, next execution.Event) ([]execution.Edit, error) {
		keys, err := expr.Eval(ctx, next.Scope)
		seen = append(seen, fmt.Sprintf("%d %s%s: %v", next.Step.Index, next.Step.NodeID, next.Step.Tool, keys))
		return nil, err
	})
	if _, err := execution.New(echo, execution.WithGate(gate)).Run(t.Context(), g, decode(t, `{"n": 1}`)); err != nil {
		t.Fatal(err)
	}
	const want = "[0 entry:  1 firstfirst: entry 2 between: entry first 3 secondsecond: between entry first 4 exit: between entry first second]"
	if got := fmt.Sprint(seen); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	no := errors.New("not today")
	_, err = execution.New(echo, execution.WithGate(gateFunc(func(context.Context, execution.Event) ([]execution.Edit, error) { return nil, no }))).
		Run(t.Context(), g, decode(t, `{}`))
	if !errors.Is(err, no) {
		t.Error(err)
	}
}

// An edit that cannot be made ends the run with what is wrong with it.
func TestBadEdits(t *testing.T) {
	for _, edit := range []execution.Edit{{NodeID: "nowhere", Output: 1.0}, {NodeID: "second", Output: 1.0}} {
		gate := gateFunc(func(context.Context, execution.Event) ([]execution.Edit, error) { return []execution.Edit{edit}, nil })
		if _, err := execution.New(echo, execution.WithGate(gate)).Run(t.Context(), build(t, twoCalls), decode(t, `{"n": 1}`)); err == nil {
			t.Errorf("an edit of %s was made", edit.NodeID)
		}
	}
}

// Time at the gate does not count for the time limit, time beside it does.
func TestTimeAtGate(t *testing.T) {
	g := build(t, `executionLimits: {maxExecutionTimeMs: 1000}
tools:
- name: tool
  description: held
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: t, next: exit}
  - {id: exit, type: exit}
`)
	now := time.Now()
	clock := execution.WithClock(func() time.Time { return now })
	gate := execution.WithGate(gateFunc(func(context.Context, execution.Event) ([]execution.Edit, error) {
		now = now.Add(time.Hour)
		return nil, nil
	}))
	if _, err := execution.New(echo, clock, gate).Run(t.Context(), g, decode(t, `{}`)); err != nil {
		t.Error(err)
	}
	slow := callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
		now = now.Add(2 * time.Second)
		return args, nil
	})
	_, err := execution.New(slow, clock, gate).Run(t.Context(), g, decode(t, `{}`))
	var step *execution.StepError
	if !errors.As(err, &step) || step.Code() != execution.CodeLimit {
		t.Errorf("got %v", err)
	}
}

// A run that is cancelled while it is held ends as cancelled.
func TestCancelledAtGate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gate := gateFunc(func(ctx context.Context, _ execution.Event) ([]execution.Edit, error) {
		cancel()
		return nil, ctx.Err()
	})
	_, err := execution.New(echo, execution.WithGate(gate)).Run(ctx, build(t, twoCalls), decode(t, `{}`))
	var step *execution.StepError
	if !errors.As(err, &step) || step.Code() != execution.CodeCancelled {
		t.Errorf("got %v", err)
	}
}
