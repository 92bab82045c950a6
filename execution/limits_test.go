package execution_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

const oneCall = `executionLimits: {maxNodeOutputBytes: %d, maxHistoryBytes: %d}
tools:
- name: tool
  description: calls
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: big, next: exit}
  - {id: exit, type: exit}
`

// big answers with a string that is n bytes as JSON.
func big(n int) callerFunc {
	return func(context.Context, string, string, value.Value) (value.Value, error) {
		return strings.Repeat("x", n-2), nil
	}
}

func TestG07OutputLimit(t *testing.T) {
	g := build(t, fmt.Sprintf(oneCall, 1000, 100_000))
	if got := mustRun(t, big(1000), g, `{}`); len(got) != 1000 {
		t.Errorf("an output at the limit came back with %d bytes", len(got))
	}
	step, failure := fails(t.Context(), t, big(1001), g, `{}`)
	if failure.Code != execution.CodeLimit {
		t.Errorf("got %v", step)
	}
	for _, want := range []string{"maxNodeOutputBytes is 1000", "has 1001"} {
		if !strings.Contains(step.Error(), want) {
			t.Errorf("%q is not in: %v", want, step)
		}
	}
}

// Arguments that hold a long text many times are never made into one: the call fails before it is
// sent, recorded or shown.
func TestG07ArgumentsLimit(t *testing.T) {
	for n, want := range map[int]string{9: "", 10: "executionLimits.maxNodeOutputBytes is 1000 bytes, and the arguments of the call have more"} {
		g := build(t, `executionLimits: {maxNodeOutputBytes: 1000}
tools:
- name: tool
  description: repeats
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: big, args: {deep: {all: [`+strings.TrimSuffix(strings.Repeat("{expr: $.entry.text},", n), ",")+`]}}, onError: {}, next: exit}
  - {id: exit, type: exit}
`)
		calls := 0
		called := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
			calls++
			return "done", nil
		})
		args := `{"text": "` + strings.Repeat("x", 100) + `"}`
		if want == "" {
			if mustRun(t, called, g, args); calls != 1 {
				t.Errorf("%d calls", calls)
			}
			continue
		}
		step, failure := fails(t.Context(), t, called, g, args)
		if failure.Code != execution.CodeLimit || !strings.Contains(step.Error(), want) || calls != 0 {
			t.Errorf("%d calls, got %v", calls, step)
		}
	}
}

func TestG08GrowingLoop(t *testing.T) {
	g := build(t, `executionLimits: {maxNodeOutputBytes: 100000, maxHistoryBytes: 150000}
tools:
- name: tool
  description: doubles
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: '$executionCount("a") = 0 ? "xxxxxxxx" : $.a & $.a'}, next: s}
  - {id: s, type: switch, conditions: [{rule: {"==": [{var: $.a}, 2]}, next: exit}], next: a}
  - {id: exit, type: exit}
`)
	step, failure := fails(t.Context(), t, echo, g, `{}`)
	if failure.Code != execution.CodeLimit || !strings.Contains(step.Error(), "Bytes is") {
		t.Errorf("got %v", step)
	}
}

func TestHistoryLimit(t *testing.T) {
	g := build(t, fmt.Sprintf(oneCall, 1000, 500))
	step, _ := fails(t.Context(), t, big(600), g, `{}`)
	if !strings.Contains(step.Error(), "maxHistoryBytes is 500") {
		t.Errorf("got %v", step)
	}
}

func TestG04CycleWithoutEnd(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: a}
- {id: a, type: transform, transform: {expr: "1"}, next: s}
- {id: s, type: switch, conditions: [{rule: {"==": [{var: $.a}, 2]}, next: exit}], next: a}
- {id: exit, type: exit}
`)
	result, err := execution.New(echo).Run(t.Context(), g, decode(t, `{}`))
	var step *execution.StepError
	if !errors.As(err, &step) || step.Code() != execution.CodeLimit {
		t.Fatalf("got %v", err)
	}
	if len(result.History()) != 1000 || step.Step != 1000 {
		t.Errorf("%d executions, failed at %d", len(result.History()), step.Step)
	}
	for _, want := range []string{"maxNodeExecutions is 1000", "graph.yaml:", `node "s"`, "a → s → a"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}

// The time limit ends a call in flight, at once, and the call learns of it. The clock is
// that of a bubble, so it has come to the limit exactly.
func TestG10TimeLimitEndsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := build(t, `executionLimits: {maxExecutionTimeMs: 30000}
tools:
- name: tool
  description: hangs
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: hang, next: exit}
  - {id: exit, type: exit}
`)
		ended := false
		hang := callerFunc(func(ctx context.Context, _, _ string, _ value.Value) (value.Value, error) {
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		start := time.Now()
		step, failure := fails(t.Context(), t, hang, g, `{}`)
		if failure.Code != execution.CodeLimit || !strings.Contains(failure.Message, "maxExecutionTimeMs is 30000") {
			t.Errorf("got %v", step)
		}
		if step.Node != "call" || !ended {
			t.Errorf("node %q, call ended: %v", step.Node, ended)
		}
		if at := time.Since(start); at != 30*time.Second {
			t.Errorf("the run ended after %v", at)
		}
	})
}
