package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A run that is cancelled while several items are in their calls ended at the node, at none of its items.
func TestCancelledBetweenItems(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calling := make(chan bool, 2)
	go func() {
		<-calling
		<-calling
		cancel()
	}()
	caller := execution.CallerFunc(func(ctx context.Context, _ execution.Call) (value.Value, error) {
		calling <- true
		<-ctx.Done()
		return nil, ctx.Err()
	})
	g := build(t, `tools:
- name: tool
  description: calls for each item
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: t, forEach: {items: '[8246, 8247]', maxParallel: 2}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
`)
	_, err := execution.New(caller).Run(ctx, g, decode(t, `{}`))
	var failed *execution.Failure
	if !errors.As(err, &failed) || failed.Node != "call" || failed.Part != "" || failed.Item != "" {
		t.Errorf("got %+v", failed)
	}
	if strings.Contains(err.Error(), "item") {
		t.Error(err)
	}
}
