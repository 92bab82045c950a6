package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
)

const twoCalls = `
- {id: entry, type: entry, next: first}
- {id: first, type: mcp, server: up, tool: first, args: {n: {expr: $.entry.n}}, next: between}
- {id: between, type: transform, transform: {expr: '$.first.n + 1'}, next: second}
- {id: second, type: mcp, server: up, tool: second, args: {n: {expr: $.between}}, next: exit}
- {id: exit, type: exit}
`

// lost is the journal of a run that died during its second call, with the first one's
// record still in a queue: the intent of the second is there, because it was waited for.
func lost(t *testing.T) *cut {
	t.Helper()
	whole := &journal.Memory{}
	_, err := execution.New(echo, execution.WithJournal(whole), execution.WithRunID("r")).
		Run(t.Context(), build(t, twoCalls), decode(t, `{"n": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	kept := &cut{left: -1}
	for _, e := range []execution.Event{events[0], events[1], events[5]} {
		if err := kept.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	return kept
}

// A call whose record was lost is in doubt as well: it is not made again unasked.
func TestLostRecords(t *testing.T) {
	g, kept := build(t, twoCalls), lost(t)
	for _, test := range []struct {
		found execution.Unknown
		calls int
		code  execution.Code // of the failure
		about string
	}{
		{execution.Unknown{}, 0, execution.CodeOutcomeUnknown, "up.first"},
		{execution.Unknown{Answer: decode(t, `{"n": 5}`)}, 0, execution.CodeOutcomeUnknown, "up.second"},
		{execution.Unknown{}, 0, execution.CodeOutcomeUnknown, "r/3, with the arguments {\"n\":6}"},
		{execution.Unknown{Repeat: true}, 1, "", ""},
	} {
		result, calls, err := resume(t, g, kept, execution.WithUnknown(test.found))
		var step *execution.StepError
		if errors.As(err, &step) && (step.Code() != test.code || !strings.Contains(err.Error(), test.about)) || calls != test.calls {
			t.Fatalf("%+v: %d calls, %v", test, calls, err)
		}
		if test.code == "" && (err != nil || encode(t, result.Value) != `{"n":6}`) {
			t.Errorf("%v, %v", result, err)
		}
	}
	again, calls, err := resume(t, g, lost(t), execution.WithRepeatable(always))
	if err != nil || calls != 2 || encode(t, again.Value) != `{"n":2}` {
		t.Errorf("calls that may be repeated: %d calls, %v, %v", calls, again, err)
	}
}

// A run that would go another way than before does not forget what it had called there.
func TestLostWay(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: look}
- {id: look, type: mcp, server: up, tool: look, onCrash: rerun, next: pick}
- id: pick
  type: switch
  conditions: [{rule: {var: $.look.pay}, next: pay}]
  next: other
- {id: pay, type: mcp, server: up, tool: pay, next: exit}
- {id: other, type: transform, transform: {expr: '1'}, next: exit}
- {id: exit, type: exit}
`)
	looks := func(answer string) callerFunc {
		return func(context.Context, string, string, expressions.Value) (expressions.Value, error) {
			return decode(t, answer), nil
		}
	}
	whole := &journal.Memory{}
	_, err := execution.New(looks(`{"pay": true}`), execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	events = []execution.Event{events[0], events[1], events[5]} // the call of pay is known, the answer of look is not
	_, err = execution.New(looks(`{"pay": false}`)).Resume(t.Context(), g, events)
	if err == nil || !strings.Contains(err.Error(), "the run would now go another way: look there for the idempotency key r/3") {
		t.Error(err)
	}
	result, err := execution.New(looks(`{"pay": false}`)).Resume(t.Context(), g, events, execution.WithRepeatable(always))
	if err != nil || encode(t, result.Value) != "1" {
		t.Error(result, err)
	}
}
