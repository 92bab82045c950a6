package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
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

// A call whose record was lost is in doubt as well: it is not repeated without a resolution.
func TestLostRecords(t *testing.T) {
	g, kept := build(t, twoCalls), lost(t)
	for _, test := range []struct {
		found execution.Resolution
		calls int
		code  execution.Code // of the failure
		about string
	}{
		{execution.Resolution{}, 0, execution.CodeOutcomeUnknown, "up.first"},
		{execution.Resolution{Value: decode(t, `{"n": 5}`)}, 0, execution.CodeOutcomeUnknown, "up.second"},
		{execution.Resolution{}, 0, execution.CodeOutcomeUnknown, "r/3, with other arguments than it would have now, {\"n\":6}"},
		{execution.Resolution{Repeat: true}, 1, "", ""},
	} {
		result, calls, err := resume(t, g, kept, execution.WithResolution(test.found))
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

// losing is the journal of a run whose first call returned that the second is to be made, and
// whose process died during the second call, at an index of the events: the records in between
// are lost.
func losing(t *testing.T, g *graph.Graph, call int) *cut {
	t.Helper()
	whole := &journal.Memory{}
	_, err := execution.New(answering(t, `{"pay": true}`), execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	kept := &cut{left: -1}
	for _, e := range []execution.Event{events[0], events[1], events[call]} {
		_ = kept.Append(t.Context(), e)
	}
	return kept
}

// A run that takes another path than before it was interrupted still reports the call in flight,
// each time, and continues once the operator has resolved it: also when the other path was
// recorded as far as the call, and when it ends before it comes as far.
func TestLostPath(t *testing.T) {
	for name, test := range map[string]struct {
		way  string // from the switch on
		call int    // its index in the events
		key  string // of the call
		want string
	}{
		"as long": {`{var: $.look.pay}, next: pay}]
  next: other
- {id: other, type: transform, transform: {expr: '1'}, next: exit}
`, 5, "r/3", "1"},
		"shorter": {`{var: $.look.pay}, next: sum}]
  next: exit
- {id: sum, type: transform, transform: {expr: '1'}, next: pay}
`, 6, "r/4", `"exit"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := build(t, `
- {id: entry, type: entry, next: look}
- {id: look, type: mcp, server: up, tool: look, onCrash: rerun, next: pick}
- id: pick
  type: switch
  conditions: [{rule: `+test.way+`
- {id: pay, type: mcp, server: up, tool: pay, next: exit}
- {id: exit, type: exit}
`)
			kept := losing(t, g, test.call)
			resumed := func(opts ...execution.Option) (*execution.Result, error) {
				events, _ := kept.Load(t.Context(), "r")
				return execution.New(answering(t, `{"pay": false}`), append(opts, execution.WithJournal(kept))...).Resume(t.Context(), g, events)
			}
			for range 3 {
				_, err := resumed()
				if want := "idempotency key " + test.key + "; the resumed run would take another path"; err == nil || !strings.Contains(err.Error(), want) {
					t.Fatal(err)
				}
			}
			result, err := resumed(execution.WithResolution(execution.Resolution{Repeat: true}))
			if err != nil || encode(t, result.Value) != test.want {
				t.Error(result, err)
			}
			events, _ := losing(t, g, test.call).Load(t.Context(), "r")
			result, err = execution.New(answering(t, `{"pay": false}`)).Resume(t.Context(), g, events, execution.WithRepeatable(always))
			if err != nil || encode(t, result.Value) != test.want {
				t.Errorf("a call that is safe to repeat: %v, %v", result, err)
			}
		})
	}
}

// The resolution of one call is not used for another: neither for a call before it that is
// repeated, nor for another in-doubt call before it.
func TestResolutionOfTheRightCall(t *testing.T) {
	answer := execution.WithResolution(execution.Resolution{Value: decode(t, `{"n": 7}`)})
	g := build(t, strings.Replace(twoCalls, "tool: first,", "tool: first, onCrash: rerun,", 1))
	result, calls, err := resume(t, g, lost(t), answer)
	if err != nil || calls != 1 || encode(t, result.Value) != `{"n":7}` || encode(t, result.History()[1].Output) != `{"n":1}` {
		t.Errorf("after a call that is made again: %d calls, %v, %v", calls, result, err)
	}
	_, calls, err = resume(t, build(t, twoCalls), lost(t), answer)
	if calls != 0 || err == nil || !strings.Contains(err.Error(), "up.first") {
		t.Errorf("after another in-doubt call: %d calls, %v", calls, err)
	}
}

// A call with a resolved value has that value in a replay too.
func TestReplayOfAResolution(t *testing.T) {
	g, kept := build(t, twoCalls), lost(t)
	_, _, _ = resume(t, g, kept) // ends before the first call
	for _, n := range []string{`{"n": 5}`, `{"n": 6}`} {
		_, _, _ = resume(t, g, kept, execution.WithResolution(execution.Resolution{Value: decode(t, n)}))
	}
	events, _ := kept.Load(t.Context(), "r")
	result, err := execution.New(execution.NewRecording(events, 0)).Run(t.Context(), g, decode(t, `{"n": 1}`))
	if err != nil || encode(t, result.Value) != `{"n":6}` {
		t.Error(result, err)
	}
}

// A run that fails before it comes to the call in flight reports that call as well.
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

// Arguments that differ from those of the call in flight are reported as such.
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
