package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// finds looks an item up in each turn of a loop: the first time it is there, the second
// time it is not, the third time it is null.
const finds = `
- {id: entry, type: entry, next: found}
- {id: found, type: mcp, server: up, tool: find, args: {turn: {expr: '$executionCount("found")'}}, next: seen}
- id: seen
  type: transform
  transform:
    expr: |
      {"exists": $exists($.found), "count": $count($.found), "or": $.found ?? "x", "keys": $sort($keys($)),
       "times": $executionCount("found"), "all": [$nodeExecutions("found")],
       "last": $type($nodeExecution("found", -1)), "first": $nodeExecution("found", 0), "previous": [$previousNode()]}
  next: way
- id: way
  type: switch
  conditions:
    - rule: {"==": [{var: [$.found, gone]}, gone]}
      next: gone
  next: there
- {id: gone, type: transform, transform: {expr: '"gone"'}, next: more}
- {id: there, type: transform, transform: {expr: '"there"'}, next: more}
- {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("found")'}, 3]}, next: found}], next: end}
- {id: end, type: transform, transform: {expr: '$nodeExecutions("seen")'}, next: exit}
- {id: exit, type: exit}
`

// finder finds 7, nothing and null, one after the other.
var finder = callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
	turn, _ := args.(value.Object).Get("turn")
	return []any{7.0, nil, value.Null}[int(turn.(float64))], nil
})

// A node that yields nothing has no value in the context, whatever it had before.
func TestNothingIsNotNull(t *testing.T) {
	result, err := execution.New(finder).Run(t.Context(), build(t, finds), decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[` +
		`{"exists":true,"count":1,"or":7,"keys":["entry","found"],"times":1,"all":[7],"last":"number","first":7,"previous":[7]},` +
		`{"exists":false,"count":0,"or":"x","keys":["entry","more","seen","there","way"],"times":2,"all":[7],"first":7,"previous":[]},` +
		`{"exists":true,"count":1,"or":null,"keys":["entry","found","gone","more","seen","there","way"],"times":3,"all":[7,null],"last":"null","first":7,"previous":[null]}]`
	if got := encode(t, result.Value); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var path []string
	for _, r := range result.History() {
		if r.NodeID == "gone" || r.NodeID == "there" {
			path = append(path, r.NodeID)
		}
	}
	// As in json-logic-js, a default replaces nothing, and not null.
	if got := fmt.Sprint(path); got != "[there gone there]" {
		t.Errorf("the switch went to %s", got)
	}
}

// A run with nothing in it is cut after each event, resumed from its journal, and ends
// as the whole run; replayed too. The context of each step is the same.
func TestResumeWithNothing(t *testing.T) {
	g := build(t, finds)
	whole := &journal.Memory{}
	want, err := execution.New(finder, execution.WithJournal(whole), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := whole.Load(t.Context(), "r")
	for n := 1; n < len(events); n++ {
		kept := &cut{left: n}
		_, err := execution.New(finder, execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
		if !errors.Is(err, errCrash) {
			t.Fatalf("the cut run ended with %v", err)
		}
		before, _ := kept.Load(t.Context(), "r")
		got, err := execution.New(finder, execution.WithRepeatable(always)).Resume(t.Context(), g, throughJSON(t, before))
		if err != nil || encode(t, got.Value) != encode(t, want.Value) {
			t.Errorf("resumed after event %d: %v, want %s", n, err, encode(t, want.Value))
			continue
		}
		steps, wanted := got.History(), want.History()
		for i := range wanted {
			if a, b := steps[i], wanted[i]; a.Nothing() != b.Nothing() || encode(t, execution.Context(steps[:i])) != encode(t, execution.Context(wanted[:i])) {
				t.Errorf("resumed after event %d: step %d has another context", n, i)
			}
		}
	}
	replayed, err := execution.New(execution.NewRecording(throughJSON(t, events), 0)).Run(t.Context(), g, decode(t, `{}`))
	if err != nil || encode(t, replayed.Value) != encode(t, want.Value) {
		t.Errorf("replayed: %v", err)
	}
}

// A record of nothing says so in its JSON; one of the first releases, which has neither
// output nor nothing, has the output null.
func TestRecordOfNothing(t *testing.T) {
	at := time.Unix(1, 0).UTC()
	src, err := json.Marshal(execution.Record{NodeID: "a", NodeType: "transform", Start: at, End: at})
	if err != nil || !strings.Contains(string(src), `"nothing":true`) || strings.Contains(string(src), `"output"`) {
		t.Errorf("%s, %v", src, err)
	}
	for in, want := range map[string]value.Value{
		string(src):                       nil,
		`{"nodeId":"a"}`:                  value.Null,
		`{"output":null}`:                 value.Null,
		`{"output":1}`:                    1.0,
		`{"nothing":false,"output":null}`: value.Null,
	} {
		var r execution.Record
		if err := json.Unmarshal([]byte(in), &r); err != nil || r.Output != want || r.Nothing() != (want == nil) {
			t.Errorf("%s: %+v, %v", in, r, err)
		}
	}
	for _, in := range []string{`{"nothing":true,"output":1}`, `{"nothing":true,"error":{"code":"tool","message":"no"}}`} {
		if err := json.Unmarshal([]byte(in), &execution.Record{}); err == nil || !strings.Contains(err.Error(), "one of them") {
			t.Errorf("%s: %v", in, err)
		}
	}
	failed, err := json.Marshal(execution.Record{Error: &execution.Failure{Code: execution.CodeTool}})
	if err != nil || strings.Contains(string(failed), "nothing") {
		t.Errorf("%s, %v", failed, err)
	}
}

// An edit can take a value away, and give one where there was none.
func TestEditOfNothing(t *testing.T) {
	g := build(t, `
- {id: entry, type: entry, next: a}
- {id: a, type: transform, transform: {expr: '1'}, next: b}
- {id: b, type: transform, transform: {expr: $.entry.none}, next: look}
- {id: look, type: transform, transform: {expr: '{"a": $exists($.a), "b": $.b, "all": $nodeExecutions("a"), "times": $executionCount("a")}'}, next: exit}
- {id: exit, type: exit}
`)
	edits := []execution.Edit{{NodeID: "a"}, {NodeID: "b", Output: 2.0}}
	gate := gateFunc(func(_ context.Context, next execution.Event) (made []execution.Edit, _ error) {
		if next.Step.NodeID == "look" {
			made, edits = edits, nil
		}
		return made, nil
	})
	kept := &journal.Memory{}
	result, err := execution.New(echo, execution.WithGate(gate), execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	const want = `{"a":false,"b":2,"all":[],"times":1}`
	if err != nil || encode(t, result.Value) != want {
		t.Fatalf("%v, want %s", err, want)
	}
	events, _ := kept.Load(t.Context(), "r")
	for n := 6; n < len(events); n++ {
		again, err := execution.New(echo).Resume(t.Context(), g, throughJSON(t, events[:n]))
		if err != nil || encode(t, again.Value) != want {
			t.Errorf("resumed after event %d: %v", n, err)
		}
	}
}
