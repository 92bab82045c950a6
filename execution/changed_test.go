package execution_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// choosing goes by way of a switch to a call.
const choosing = `
- {id: entry, type: entry, next: pick}
- id: pick
  type: switch
  conditions: [{rule: {">": [{var: $.entry.n}, 1]}, next: call}]
  next: other
- {id: call, type: mcp, server: up, tool: inc, args: {n: {expr: $.entry.n}}, next: end}
- {id: other, type: transform, transform: {expr: '"other"'}, next: exit}
- {id: end, type: transform, transform: {expr: '$.call.n'}, next: exit}
- {id: exit, type: exit}
`

// A run goes on with a changed graph only where it has gone a way of the new one.
func TestResumeWithChangedGraph(t *testing.T) {
	for _, test := range []struct {
		left     int // events before the cut
		old, new string
		want     string // value, or what the error says
	}{
		{5, "$.call.n", "$.call.n * 10", `30`},
		{3, "$.call.n", "$.call.n * 10", `30`},
		{4, "tool: inc", "tool: inc2", `called up.inc, but the graph does something else there now`},
		{5, "next: end}", "next: other}", `"other"`},
		{5, "type: switch\n  conditions: [{rule: {\">\": [{var: $.entry.n}, 1]}, next: call}]\n", "type: transform\n  transform: {expr: '1'}\n", `record 1 is of switch node "pick", but the graph goes to transform node "pick"`},
		{5, "next: pick}", "next: call}", `record 1 is of switch node "pick", but the graph goes to mcp node "call"`},
		{5, "next: call}]", "next: end}]", `goes from switch "pick" to "call", which is no longer one of its ways out`},
	} {
		kept := &cut{left: test.left}
		_, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).
			Run(t.Context(), build(t, choosing), decode(t, `{"n": 3}`))
		if !errors.Is(err, errCrash) {
			t.Fatal(err)
		}
		events, _ := kept.Load(t.Context(), "r")
		changed := build(t, strings.Replace(choosing, test.old, test.new, 1))
		if _, err := execution.New(echo).Resume(t.Context(), changed, events); !errors.Is(err, execution.ErrGraphChanged) {
			t.Errorf("%s: %v", test.new, err)
		}
		result, err := execution.New(echo).Resume(t.Context(), changed, events, execution.WithChangedGraph())
		switch {
		case err != nil && !strings.Contains(err.Error(), test.want):
			t.Errorf("%s: %v, want %s", test.new, err, test.want)
		case err == nil && encode(t, result.Value) != test.want:
			t.Errorf("%s: %s, want %s", test.new, encode(t, result.Value), test.want)
		}
	}
}

// A journal that no run of the graph can have written is refused.
func TestResumeOfNonsense(t *testing.T) {
	kept := &journal.Memory{}
	_, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).
		Run(t.Context(), build(t, choosing), decode(t, `{"n": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	after := events[len(events)-2] // the exit's
	record := *after.Record
	record.Index++
	for name, events := range map[string][]execution.Event{
		"nothing":        nil,
		"no start":       events[1:],
		"a hole":         append(events[:2:2], events[4]),
		"after the exit": append(events[:len(events)-1:len(events)-1], execution.Event{Kind: execution.StepFinished, Record: &record}),
	} {
		if _, err := execution.New(echo).Resume(t.Context(), build(t, choosing), events); err == nil {
			t.Errorf("%s was resumed", name)
		}
	}
}

// An edit of a switch leads where the graph leads.
func TestResumeOfAnEditedSwitch(t *testing.T) {
	edits := []execution.Edit{{NodeID: "pick", Output: "other"}}
	gate := gateFunc(func(_ context.Context, next execution.Event) (edit []execution.Edit, _ error) {
		if next.Step.Index == 2 {
			edit, edits = edits, nil
		}
		return edit, nil
	})
	kept := &journal.Memory{}
	if _, err := execution.New(echo, execution.WithJournal(kept), execution.WithGate(gate), execution.WithRunID("r")).
		Run(t.Context(), build(t, choosing), decode(t, `{"n": 3}`)); err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	events = events[:4] // with the edit
	result, err := execution.New(echo).Resume(t.Context(), build(t, choosing), events)
	if err != nil || encode(t, result.Value) != `"other"` {
		t.Error(result, err)
	}
	changed := build(t, strings.Replace(choosing, "next: other\n", "next: end\n", 1)+`
- {id: more, type: switch, conditions: [{rule: true, next: other}], next: end}
`)
	_, err = execution.New(echo).Resume(t.Context(), changed, events, execution.WithChangedGraph())
	if err == nil || !strings.Contains(err.Error(), `goes from switch "pick" to "other", which is no longer one of its ways out`) {
		t.Error(err)
	}
}
