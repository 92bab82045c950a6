package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// X01: what a run does with a large value besides evaluating looks at its context too: it measures outputs
// and makes digests of arguments. A call is not made then; the value of one that was made is recorded.
func TestX01WorkOnLargeValuesEnds(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("text ", 4<<20) // 80 looks
	for name, x := range map[string]struct {
		body  string
		calls int // that are made without an end
	}{
		"measuring": {`
- {id: entry, type: entry, next: work}
- {id: work, type: transform, transform: {expr: "$.entry.text"}, next: exit}
- {id: exit, type: exit}
`, 0},
		"digest of arguments": {`
- {id: entry, type: entry, next: work}
- {id: work, type: mcp, server: up, tool: echo, args: {text: {expr: "$.entry.text"}}, next: exit}
- {id: exit, type: exit}
`, 1},
		"measuring parts": {`
- {id: entry, type: entry, next: work}
- {id: work, type: mcp, server: up, tool: echo, forEach: {items: "[1]"}, args: {text: {expr: "$.entry.text"}}, next: exit}
- {id: exit, type: exit}
`, 1},
	} {
		g, args := build(t, x.body), value.NewObject([]string{"text"}, []value.Value{text})
		caller := &counted{}
		if _, err := execution.New(caller).Run(t.Context(), g, args); err != nil || len(caller.calls) != x.calls {
			t.Fatalf("%s: %d calls, %v", name, len(caller.calls), err)
		}
		ended := make(chan struct{})
		close(ended)
		ctx := value.WithEnding(t.Context(), &value.Ending{From: ended, Cause: errors.New("the input has ended"), Looks: 20})
		caller.calls = nil
		_, err := execution.New(caller).Run(ctx, g, args)
		var failed *execution.StepError
		if !errors.As(err, &failed) || failed.Code() != execution.CodeCancelled || !strings.Contains(err.Error(), "the input has ended") || caller.calls != nil {
			t.Errorf("%s: %d calls, %v", name, len(caller.calls), err)
		}
	}
	answers := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) { return text, nil })
	ended := make(chan struct{})
	close(ended)
	ctx := value.WithEnding(t.Context(), &value.Ending{From: ended, Cause: errors.New("the input has ended"), Looks: 20})
	result, err := execution.New(answers).Run(ctx, build(t, `
- {id: entry, type: entry, next: work}
- {id: work, type: mcp, server: up, tool: echo, args: {}, next: exit}
- {id: exit, type: exit}
`), decode(t, `{}`))
	if err != nil || result.Value != text {
		t.Errorf("the value of a call: %v", err)
	}
}
