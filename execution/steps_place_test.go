package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Each failure of a step is reported with its place in the file, the step and, where it has one, the item.
func TestFailuresOfStepsHaveTheirPlace(t *testing.T) {
	caller := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) { return "x", nil })
	for name, test := range map[string]struct{ step, want string }{
		"if":                   {`if: '$error("no")', expr: "1"`, `step "a" of tool "tool": no`},
		"each":                 {`each: '$error("no")', expr: "1"`, `step "a" of tool "tool": no`},
		"key":                  {`each: "[1]", key: '$error("no")', expr: "1"`, `step "a" of tool "tool": no`},
		"expr of an item":      {`each: "[7]", expr: '$error("no")'`, `step "a" (7) of tool "tool": no`},
		"until of an expr":     {`each: "[7]", expr: $item, until: '$error("no")'`, `step "a" (7) of tool "tool": no`},
		"until of a call":      {`each: "[7, 8]", call: up.get, until: '$index = 1 ? $error("no")'`, `item 1 (8) of step "a" of tool "tool": no`},
		"repeat.until":         {`call: up.get, repeat: {until: '$error("no")'}`, `step "a" of tool "tool": no`},
		"repeat of an item":    {`each: "[7]", call: up.get, repeat: {until: '$error("no")'}`, `item 0 (7) of step "a" of tool "tool": no`},
		"turns used up":        {`call: up.get, repeat: {until: "false", times: 2, delayMs: 0}`, `step "a" of tool "tool": repeat.until did not hold`},
		"the message of ask":   {`ask: {message: {expr: '$error("no")'}}`, `step "a" of tool "tool": no`},
		"args":                 {`call: up.get, args: {x: {expr: '$error("no")'}}`, `step "a" of tool "tool": no`},
		"return":               {`steps: [{id: b, call: up.get}], return: '$error("no")'`, `step "a" of tool "tool": no`},
		"return for an item":   {`each: "[7]", steps: [{id: b, call: up.get}], return: '$error("no")'`, `item 0 (7) of step "a" of tool "tool": no`},
		"a step of a block":    {`steps: [{id: b, each: "[7]", expr: $item, until: '$error("no")'}]`, `step "a.b" (7) of tool "tool": no`},
		"a turn of a block":    {`repeat: {until: "true"}, steps: [{id: b, each: "[7]", call: up.get, until: '$error("no")'}]`, `step "a.b" at a@1.b.0 (7) of tool "tool": no`},
		"onError of a block":   {`steps: [{id: b, expr: '$error("one")'}], onError: {value: {expr: '$error("no")'}}`, `step "a" of tool "tool": no`},
		"the value of onError": {`call: up.get, args: {x: {expr: '$error("one")'}}, onError: {value: {expr: '$error("no")'}}`, `step "a" of tool "tool": no`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := execution.New(caller).Run(t.Context(), stepsOf(t, "steps:\n  - {id: a, "+test.step+"}"), decode(t, `{}`), reading, execution.WithSequentialParts())
			var failed *execution.StepError
			if !errors.As(err, &failed) || failed.Pos.Line == 0 || !strings.HasPrefix(err.Error(), failed.Pos.String()+": "+test.want) {
				t.Errorf("%v, want file:line:col: %s", err, test.want)
			}
		})
	}
}

// So does the end of a run that ends all of them at once, here while the digest of items is made: no step is to
// blame for it.
func TestEndOfRunInStepsHasItsPlace(t *testing.T) {
	ended := make(chan struct{})
	close(ended)
	ctx := value.WithEnding(t.Context(), &value.Ending{From: ended, Cause: errors.New("the input has ended"), Looks: 10})
	args := value.NewObject([]string{"list"}, []value.Value{[]any{strings.Repeat("x", 8<<20)}})
	g := stepsOf(t, "steps:\n  - {id: a, steps: [{id: b, each: args.list, call: up.get}]}")
	_, err := execution.New(echo).Run(ctx, g, args, reading, execution.WithJournal(&kept{}))
	var failed *execution.StepError
	if !errors.As(err, &failed) || failed.Pos.Line == 0 || err.Error() != failed.Pos.String()+`: tool "tool": the input has ended` {
		t.Errorf("%v", err)
	}
}
