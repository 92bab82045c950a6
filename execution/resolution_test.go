package execution_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// paying calls one tool, with or without a word on crashes.
func paying(t *testing.T, onCrash string) *graph.Graph {
	t.Helper()
	return build(t, `
- {id: entry, type: entry, next: pay}
- {id: pay, type: mcp, server: up, tool: charge, args: {amount: {expr: $.entry.n}}, `+onCrash+`next: exit}
- {id: exit, type: exit}
`)
}

// cutInCall is the journal of a run that was cut in the middle of its call.
func cutInCall(t *testing.T, g *graph.Graph, opts ...execution.Option) *cut {
	t.Helper()
	kept := &cut{left: 3} // run-started, the entry, call-started
	_, err := execution.New(echo, append(opts, execution.WithJournal(kept), execution.WithRunID("r"))...).
		Run(t.Context(), g, decode(t, `{"n": 3}`))
	if !errors.Is(err, errCrash) {
		t.Fatal(err)
	}
	kept.left = -1
	return kept
}

// resume takes the run on and counts its calls.
func resume(t *testing.T, g *graph.Graph, kept *cut, opts ...execution.Option) (result *execution.Result, calls int, err error) {
	t.Helper()
	events, err := kept.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	counting := callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
		calls++
		return args, nil
	})
	result, err = execution.New(counting, append(opts, execution.WithJournal(kept))...).Resume(t.Context(), g, throughJSON(t, events))
	return result, calls, err
}

// A call in the middle of which the run was cut is made again only where that is allowed.
func TestInterruptedCall(t *testing.T) {
	for _, test := range []struct {
		onCrash    string
		repeatable bool
		calls      int
	}{
		{"", false, 0},
		{"", true, 1},
		{"onCrash: rerun, ", false, 1},
		{"onCrash: stop, ", true, 0},
	} {
		g := paying(t, test.onCrash)
		may := execution.WithRepeatable(func(server, tool string, _ config.Effect) bool {
			return server == "up" && tool == "charge" && test.repeatable
		})
		result, calls, err := resume(t, g, cutInCall(t, g, may), may)
		if calls != test.calls {
			t.Errorf("%+v: %d calls", test, calls)
		}
		var step *execution.StepError
		switch {
		case test.calls == 1 && (err != nil || encode(t, result.Value) != `{"amount":3}`):
			t.Errorf("%+v: %v", test, err)
		case test.calls == 0 && (!errors.As(err, &step) || step.Code() != execution.CodeOutcomeUnknown):
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// A run with an in-doubt call names its key, and continues once the operator has resolved it.
func TestOutcomeUnknown(t *testing.T) {
	g := paying(t, "")
	for name, test := range map[string]struct {
		found execution.Resolution
		calls int
		want  string
	}{
		"repeat": {execution.Resolution{Repeat: true}, 1, `{"amount":3}`},
		"answer": {execution.Resolution{Value: "paid"}, 0, `"paid"`},
		"null":   {execution.Resolution{Value: value.Null}, 0, `null`},
		// Nothing has no text of its own where JSON is needed.
		"nothing": {execution.Resolution{Nothing: true}, 0, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			kept := cutInCall(t, g)
			for range 2 { // looking twice changes nothing
				_, calls, err := resume(t, g, kept)
				const want = `graph.yaml:10:5: node "pay" of tool "tool": the process died during the call to up.charge, ` +
					`and its outcome is unknown; check the server for idempotency key r/1, with the arguments {"amount":3}`
				if calls != 0 || err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Fatalf("%d calls, %v", calls, err)
				}
			}
			result, calls, err := resume(t, g, kept, execution.WithResolution(test.found))
			if err != nil || calls != test.calls || encode(t, result.Value) != test.want {
				t.Errorf("%d calls, %v, %v", calls, result, err)
			}
			again, calls, err := resume(t, g, kept)
			if err != nil || calls != 0 || encode(t, again.Value) != test.want {
				t.Errorf("an ended run: %d calls, %v, %v", calls, again, err)
			}
		})
	}
}

// A resolution needs an in-doubt call.
func TestNothingToResolve(t *testing.T) {
	g := paying(t, "")
	kept := &cut{left: 2}
	_, _ = execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{"n": 3}`))
	kept.left = -1
	if _, _, err := resume(t, g, kept, execution.WithResolution(execution.Resolution{Value: 1.0})); err == nil {
		t.Error("a value without an in-doubt call was accepted")
	}
}

// Long arguments are not truncated, as the redaction would not find half a secret.
func TestOutcomeUnknownOfLongArguments(t *testing.T) {
	g := paying(t, "")
	kept := &cut{left: 3}
	_, _ = execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).
		Run(t.Context(), g, decode(t, fmt.Sprintf(`{"n": %q}`, strings.Repeat("x", 5000))))
	kept.left = -1
	if _, _, err := resume(t, g, kept); err == nil || !strings.Contains(err.Error(), "arguments of 5013 bytes") {
		t.Error(err)
	}
}

// syncs is a journal that counts what may not be lost.
type syncs struct {
	journal.Memory
	kinds []execution.EventKind
}

func (s *syncs) Append(ctx context.Context, e execution.Event) error {
	if e.Sync {
		s.kinds = append(s.kinds, e.Kind)
	}
	return s.Memory.Append(ctx, e)
}

// What may not be lost is marked: the intent of a call that may not be repeated; the beginning and the end of a
// run that happens once.
func TestSync(t *testing.T) {
	for onCrash, want := range map[string]string{
		"":                 "call-started step-finished",
		"onCrash: stop, ":  "call-started step-finished",
		"onCrash: rerun, ": "",
	} {
		for _, once := range []bool{false, true} {
			want := strings.Fields(want)
			if once {
				want = append(append([]string{"run-started"}, want...), "run-finished")
			}
			kept := &syncs{}
			engine := execution.New(echo, execution.WithJournal(kept), execution.WithCaller("", once))
			if _, err := engine.Run(t.Context(), paying(t, onCrash), decode(t, `{"n": 1}`)); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(kept.kinds); got != fmt.Sprint(want) {
				t.Errorf("%q, once %t: %s, want %s", onCrash, once, got, want)
			}
		}
	}
}
