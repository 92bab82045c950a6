package execution_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions"
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
	return func(context.Context, string, string, expressions.Value) (expressions.Value, error) {
		return strings.Repeat("x", n-2), nil
	}
}

func TestG07OutputLimit(t *testing.T) {
	g := build(t, fmt.Sprintf(oneCall, 1000, 100_000))
	if got := mustRun(t, big(1000), g, `{}`); len(got) != 1000 {
		t.Errorf("an output at the limit came back with %d bytes", len(got))
	}
	step, failure := fails(t, t.Context(), big(1001), g, `{}`)
	if failure.Code != execution.CodeLimit {
		t.Errorf("got %v", step)
	}
	for _, want := range []string{"maxNodeOutputBytes is 1000", "has 1001"} {
		if !strings.Contains(step.Error(), want) {
			t.Errorf("%q is not in: %v", want, step)
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
	step, failure := fails(t, t.Context(), echo, g, `{}`)
	if failure.Code != execution.CodeLimit || !strings.Contains(step.Error(), "Bytes is") {
		t.Errorf("got %v", step)
	}
}

func TestHistoryLimit(t *testing.T) {
	g := build(t, fmt.Sprintf(oneCall, 1000, 500))
	step, _ := fails(t, t.Context(), big(600), g, `{}`)
	if !strings.Contains(step.Error(), "maxHistoryBytes is 500") {
		t.Errorf("got %v", step)
	}
}
