package execution_test

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// countdown takes more steps than there is time for.
const countdown = `($down := function($n) { $n <= 0 ? 0 : $down($n - 1) }; $down(100000000000))`

// evaluations has a graph for each kind of evaluation that comes before a call, or without one.
var evaluations = map[string]string{
	"transform": `
- {id: entry, type: entry, next: work}
- {id: work, type: transform, transform: {expr: "ENDLESS"}, next: exit}
- {id: exit, type: exit}
`,
	"switch": `
- {id: entry, type: entry, next: work}
- {id: work, type: switch, conditions: [{rule: {"==": [{var: "ENDLESS"}, 1]}, next: exit}, {next: exit}]}
- {id: exit, type: exit}
`,
	"arguments": `
- {id: entry, type: entry, next: work}
- {id: work, type: mcp, server: up, tool: echo, args: {n: {expr: "ENDLESS"}}, next: exit}
- {id: exit, type: exit}
`,
	"items": `
- {id: entry, type: entry, next: work}
- {id: work, type: mcp, server: up, tool: echo, forEach: {items: "[ENDLESS]"}, args: {n: 1}, next: exit}
- {id: exit, type: exit}
`,
	"arguments of a part": `
- {id: entry, type: entry, next: work}
- {id: work, type: mcp, server: up, tool: echo, forEach: {items: "[1, 2]"}, args: {n: {expr: "ENDLESS"}}, next: exit}
- {id: exit, type: exit}
`,
	"message": `
- {id: entry, type: entry, next: work}
- {id: work, type: ask, message: {expr: "$string(ENDLESS)"}, schema: {type: object, properties: {a: {type: string}}}, next: exit}
- {id: exit, type: exit}
`,
}

// A run that is suspended during an evaluation is suspended at once: the evaluation does not go on until
// its own limit, which would be recorded as its failure.
func TestX01StopEndsEvaluation(t *testing.T) {
	t.Parallel()
	for name, body := range evaluations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := build(t, strings.ReplaceAll(body, "ENDLESS", countdown))
			_, err := execution.New(echo, execution.WithWorkStopped()).Run(t.Context(), g, decode(t, `{}`))
			if !errors.Is(err, execution.ErrSuspended) {
				t.Errorf("%v", err)
			}
		})
	}
}

// An evaluation that is made when the client has closed its input has some work left, then ends and
// says why; what needs little is not ended.
func TestX01EndOfInputEndsEvaluation(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	close(ended)
	ctx := value.WithEnding(t.Context(), &value.Ending{From: ended, Cause: errors.New("the input has ended"), Looks: 20})
	for name, body := range evaluations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := build(t, strings.ReplaceAll(body, "ENDLESS", countdown))
			_, err := execution.New(echo).Run(ctx, g, decode(t, `{}`))
			var failed *execution.StepError
			if !errors.As(err, &failed) || failed.Code() != execution.CodeCancelled || !strings.Contains(err.Error(), "the input has ended") {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("little work", func(t *testing.T) {
		t.Parallel()
		g := build(t, strings.ReplaceAll(evaluations["arguments"], "ENDLESS", "$sum([1..100])"))
		if result, err := execution.New(echo).Run(ctx, g, decode(t, `{}`)); err != nil || encode(t, result.Value) != `{"n":5050}` {
			t.Errorf("%v, %v", result, err)
		}
	})
}
