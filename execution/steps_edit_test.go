package execution_test

import (
	"context"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// edited has a step whose value is read in a block, by a step and by return.
const edited = `steps:
  - {id: a, call: up.get, args: {x: 1}}
  - {id: b, call: up.get, args: {x: {expr: a.x + 1}}}
  - id: c
    each: '[10, 20]'
    maxParallel: 1
    steps:
      - {id: inner, expr: $item + b.x}
      - {id: sum, expr: inner + 1}
  - {id: d, call: up.save, args: {x: {expr: a.x}, c: {expr: c}}}
return: '{"a": a.x, "d": d.x}'
`

// editsAt is a gate that edits each of some steps once, before the step at an address.
func editsAt(t *testing.T, edits map[string]execution.Edit) execution.Option {
	t.Helper()
	done := map[string]bool{}
	return execution.WithGate(gateFunc(func(_ context.Context, next execution.Event) ([]execution.Edit, error) {
		at := string(next.Step.At())
		if e, has := edits[at]; has && !done[at] {
			done[at] = true
			return []execution.Edit{e}, nil
		}
		return nil, nil
	}))
}

func runEdited(t *testing.T, edits map[string]execution.Edit) (result string, events []execution.Event) {
	t.Helper()
	kept := &journal.Memory{}
	r, err := execution.New(&countedCalls{}, execution.WithJournal(kept), execution.WithRunID("r"), editsAt(t, edits), execution.WithSequentialParts(), reading).
		Run(t.Context(), stepsOf(t, edited), decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ = kept.Load(t.Context(), "r")
	return encode(t, r.Value), throughJSON(t, events)
}

// The value of a step is edited for all that read it, as long as none of them has begun: then the edit is left out.
func TestEditsOfSteps(t *testing.T) {
	for name, test := range map[string]struct {
		edits map[string]execution.Edit
		want  string
	}{
		"no edit":                         {nil, `{"a":1,"d":1}`},
		"before the first reader":         {map[string]execution.Edit{"1.b": {NodeID: "a", Output: decode(t, `{"x": 5}`)}}, `{"a":5,"d":5}`},
		"a reader has begun":              {map[string]execution.Edit{"1.d": {NodeID: "a", Output: decode(t, `{"x": 5}`)}}, `{"a":1,"d":1}`},
		"a reader in a block has begun":   {map[string]execution.Edit{"1.c.0.inner": {NodeID: "b", Output: decode(t, `{"x": 5}`)}}, `{"a":1,"d":1}`},
		"of a step that has not ended":    {map[string]execution.Edit{"1.d": {NodeID: "c", Output: decode(t, `[1]`)}}, `{"a":1,"d":1}`},
		"nothing":                         {map[string]execution.Edit{"1.b": {NodeID: "a"}}, `{}`},
		"in a block, of the second item":  {map[string]execution.Edit{"1.c.1.sum": {NodeID: "c.inner", Output: decode(t, `7`)}}, `{"a":1,"d":1}`},
		"args, before the steps have run": {map[string]execution.Edit{"1": {NodeID: "entry", Output: decode(t, `{"y": 1}`)}}, `{"a":1,"d":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, events := runEdited(t, test.edits)
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if err := execution.CheckEvents(events); err != nil {
				t.Error(err)
			}
			var item string
			for _, e := range events {
				if e.Record != nil && e.At() == "1.c.1" {
					item = encode(t, e.Record.Output)
				}
			}
			want := "23"
			switch {
			case strings.HasPrefix(name, "in a block"):
				want = "8"
			case name == "before the first reader":
				want = "27"
			case name == "nothing":
				want = "null"
			case strings.HasPrefix(name, "args"): // the steps are the execution after the edit
				want = ""
			}
			if item != want {
				t.Errorf("the item is %q, want %q", item, want)
			}
		})
	}
}

// A run with edits of steps is continued after each of its events, with the same value; a fork has other edits.
func TestEditsOfStepsAreRecorded(t *testing.T) {
	want, events := runEdited(t, map[string]execution.Edit{
		"1.b": {NodeID: "a", Output: decode(t, `{"x": 5}`)}, "1.c.1.sum": {NodeID: "c.inner", Output: decode(t, `7`)}, "1.c": {NodeID: "b", Output: decode(t, `{"x": 3}`)},
	})
	of := stepsOf(t, edited)
	edits, made := 0, map[string]int{}
	for n := 1; n < len(events); n++ {
		if events[n-1].Kind == execution.ContextEdited {
			edits++
		}
		caller := &countedCalls{}
		r, err := execution.New(caller, execution.WithSequentialParts(), reading).Resume(t.Context(), of, events[:n], execution.WithResolution(execution.Resolution{RepeatAll: true}))
		if err != nil {
			t.Fatalf("after %d events: %v", n, err)
		}
		if got := encode(t, r.Value); edits == 3 && got != want {
			t.Errorf("after %d events: %s, want %s", n, got, want)
		}
		for _, call := range caller.calls {
			made[call]++
		}
	}
	if edits != 3 || made["get 1.a"] == 0 {
		t.Errorf("%d edits, calls %v", edits, made)
	}

	fork := func(f execution.Fork) (string, error) {
		r, err := execution.New(&countedCalls{}, execution.WithSequentialParts(), reading).Fork(t.Context(), of, events, f)
		if err != nil {
			return "", err
		}
		return encode(t, r.Value), nil
	}
	six := []execution.Edit{{NodeID: "a", Output: decode(t, `{"x": 6}`)}}
	if got, err := fork(execution.Fork{At: "1.b", Edits: six, Repeat: true}); err != nil || got != `{"a":6,"d":6}` {
		t.Errorf("a fork before the reader: %s, %v", got, err)
	}
	for at, want := range map[execution.Address]string{
		"1.d":   `step "b" has begun, which reads the value of step "a"; edit it before that, or fork the run at step "b"`,
		"1.c.0": `step "b" has begun`, // an item
		"1.a":   `no step "a" is above step 1.a`,
	} {
		if _, err := fork(execution.Fork{At: at, Edits: six, Repeat: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("at %s: %v", at, err)
		}
	}
}

// A damaged run does not edit what has not ended, or what is no step.
func TestBadEditsOfSteps(t *testing.T) {
	_, events := runEdited(t, map[string]execution.Edit{"1.b": {NodeID: "a", Output: decode(t, `{"x": 5}`)}})
	for i, e := range events {
		if e.Kind != execution.ContextEdited {
			continue
		}
		for part, want := range map[string]string{"d": "has not ended", "c.0": "an edit of a part"} {
			bad := append([]execution.Event{}, events...)
			rec := *e.Record
			rec.Part, bad[i].Record = part, &rec
			if err := execution.CheckEvents(bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("an edit of %s: %v", part, err)
			}
		}
		return
	}
	t.Error("the run has no edit")
}
