package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
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
		{execution.Unknown{}, 0, execution.CodeOutcomeUnknown, "r/3, with other arguments than it would have now, {\"n\":6}"},
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
	whole := &journal.Memory{}
	_, err := execution.New(answering(t, `{"pay": true}`), execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	events = []execution.Event{events[0], events[1], events[5]} // the call of pay is known, the answer of look is not
	_, err = execution.New(answering(t, `{"pay": false}`)).Resume(t.Context(), g, events)
	if err == nil || !strings.Contains(err.Error(), "the run would now go another way: look there for the idempotency key r/3") {
		t.Error(err)
	}
	result, err := execution.New(answering(t, `{"pay": false}`)).Resume(t.Context(), g, events, execution.WithRepeatable(always))
	if err != nil || encode(t, result.Value) != "1" {
		t.Error(result, err)
	}
}

// A run that ended because it would go another way ends so again, and goes on once the
// operator has looked: also when the other way was recorded as far as the call.
func TestLostWayAgain(t *testing.T) {
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
	whole := &journal.Memory{}
	_, err := execution.New(answering(t, `{"pay": true}`), execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	kept := &cut{left: -1}
	for _, e := range []execution.Event{events[0], events[1], events[5]} {
		_ = kept.Append(t.Context(), e)
	}
	resumed := func(opts ...execution.Option) (*execution.Result, error) {
		events, _ := kept.Load(t.Context(), "r")
		return execution.New(answering(t, `{"pay": false}`), append(opts, execution.WithJournal(kept))...).Resume(t.Context(), g, events)
	}
	for range 3 {
		if _, err := resumed(); err == nil || !strings.Contains(err.Error(), "the run would now go another way: look there for the idempotency key r/3") {
			t.Fatal(err)
		}
	}
	result, err := resumed(execution.WithUnknown(execution.Unknown{Repeat: true}))
	if err != nil || encode(t, result.Value) != "1" {
		t.Error(result, err)
	}
}

// A way that ends before it comes as far as the call that was cut does not forget the
// call either, and goes on once somebody has looked.
func TestLostShorterWay(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: look}
- {id: look, type: mcp, server: up, tool: look, onCrash: rerun, next: pick}
- id: pick
  type: switch
  conditions: [{rule: {var: $.look.pay}, next: sum}]
  next: exit
- {id: sum, type: transform, transform: {expr: '1'}, next: pay}
- {id: pay, type: mcp, server: up, tool: pay, next: exit}
- {id: exit, type: exit}
`)
	whole := &journal.Memory{}
	_, err := execution.New(answering(t, `{"pay": true}`), execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	kept := &cut{left: -1}
	for _, e := range []execution.Event{events[0], events[1], events[6]} { // the call of pay, without the way to it
		_ = kept.Append(t.Context(), e)
	}
	resumed := func(opts ...execution.Option) (*execution.Result, error) {
		events, _ := kept.Load(t.Context(), "r")
		return execution.New(answering(t, `{"pay": false}`), append(opts, execution.WithJournal(kept))...).Resume(t.Context(), g, events)
	}
	for range 2 {
		if _, err := resumed(); err == nil || !strings.Contains(err.Error(), "the run would now go another way: look there for the idempotency key r/4") {
			t.Fatal(err)
		}
	}
	result, err := resumed(execution.WithUnknown(execution.Unknown{Repeat: true}))
	if err != nil || encode(t, result.Value) != `"exit"` {
		t.Error(result, err)
	}
}

// What somebody has found out of one call is not taken for the answer of another: not
// for that of a call before it that is made again, nor for that of one that is in doubt
// too and was not asked about.
func TestAnswerOfTheRightCall(t *testing.T) {
	answer := execution.WithUnknown(execution.Unknown{Answer: decode(t, `{"n": 7}`)})
	g := build(t, strings.Replace(twoCalls, "tool: first,", "tool: first, onCrash: rerun,", 1))
	result, calls, err := resume(t, g, lost(t), answer)
	if err != nil || calls != 1 || encode(t, result.Value) != `{"n":7}` || encode(t, result.History[1].Output) != `{"n":1}` {
		t.Errorf("after a call that is made again: %d calls, %v, %v", calls, result, err)
	}
	_, calls, err = resume(t, build(t, twoCalls), lost(t), answer)
	if calls != 0 || err == nil || !strings.Contains(err.Error(), "up.first") {
		t.Errorf("after a call that nobody was asked about: %d calls, %v", calls, err)
	}
}

// A call that somebody has answered is answered in a replay too.
func TestReplayOfAnAnswer(t *testing.T) {
	g, kept := build(t, twoCalls), lost(t)
	_, _, _ = resume(t, g, kept) // asks about the first call
	for _, n := range []string{`{"n": 5}`, `{"n": 6}`} {
		_, _, _ = resume(t, g, kept, execution.WithUnknown(execution.Unknown{Answer: decode(t, n)}))
	}
	events, _ := kept.Load(t.Context(), "r")
	result, err := execution.New(execution.NewRecording(events, 0)).Run(t.Context(), g, decode(t, `{"n": 1}`))
	if err != nil || encode(t, result.Value) != `{"n":6}` {
		t.Error(result, err)
	}
}

// A run that fails before it comes to the call that was cut tells of that call as well.
func TestLostCallAndFailure(t *testing.T) {
	g := build(t, strings.Replace(twoCalls, "tool: first,", "tool: first, onCrash: rerun,", 1))
	events, _ := lost(t).Load(t.Context(), "r")
	fails := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		return nil, errors.New("no such file")
	})
	_, err := execution.New(fails).Resume(t.Context(), g, events)
	if err == nil || !strings.Contains(err.Error(), "no such file") || !strings.Contains(err.Error(), "idempotency key r/3") {
		t.Error(err)
	}
}

// Arguments that are not those of the call that was cut are told as such.
func TestLostArguments(t *testing.T) {
	events, _ := lost(t).Load(t.Context(), "r")
	g := build(t, strings.Replace(twoCalls, "tool: first,", "tool: first, onCrash: rerun,", 1))
	other := callerFunc(func(context.Context, string, string, value.Value) (value.Value, error) {
		return decode(t, `{"n": 8}`), nil
	})
	_, err := execution.New(other).Resume(t.Context(), g, events)
	if err == nil || !strings.Contains(err.Error(), `r/3, with other arguments than it would have now, {"n":9}`) {
		t.Error(err)
	}
}

// answering is a caller whose calls all have the same value.
func answering(t *testing.T, answer string) callerFunc {
	return func(context.Context, string, string, value.Value) (value.Value, error) {
		return decode(t, answer), nil
	}
}
