package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// A recorded run is replayed without a call, also from the middle, and ends as it had.
func TestRecording(t *testing.T) {
	g := build(t, mixed)
	kept := &journal.Memory{}
	want, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{"n": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	events = throughJSON(t, events)
	got, err := execution.New(execution.NewRecording(events, 0)).Run(t.Context(), g, decode(t, `{"n": 3}`))
	if err != nil || encode(t, got.Value) != encode(t, want.Value) {
		t.Errorf("%v, %v", got, err)
	}
	cut, records := []execution.Event(nil), 0
	for _, e := range events {
		if e.Kind == execution.StepFinished {
			records++
		}
		if cut = append(cut, e); e.Kind == execution.RunFinished || e.Kind == execution.CallStarted {
			continue
		}
		got, err := execution.New(execution.NewRecording(events, records)).Resume(t.Context(), g, cut)
		if err != nil || encode(t, got.Value) != encode(t, want.Value) {
			t.Errorf("from record %d: %v, %v", records, got, err)
		}
	}
}

// A call is known again by its arguments, in whatever order they are written; what was
// not recorded is not made up.
func TestRecordingKnowsCalls(t *testing.T) {
	started := func(i int, tool, args string) execution.Event {
		kept := &journal.Memory{}
		engine := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r"))
		src := "- {id: entry, type: entry, next: c}\n- {id: c, type: mcp, server: up, tool: " + tool + ", args: " + args + ", next: exit}\n- {id: exit, type: exit}\n"
		if _, err := engine.Run(t.Context(), build(t, src), decode(t, `{}`)); err != nil {
			t.Fatal(err)
		}
		events, _ := kept.Load(t.Context(), "r")
		events[2].Step.Index = i
		return events[2]
	}
	answered := func(i int, output value.Value, failure *execution.Failure) execution.Event {
		return execution.Event{Kind: execution.StepFinished, Record: &execution.Record{Index: i, NodeType: "mcp", Output: output, Error: failure}}
	}
	r := execution.NewRecording([]execution.Event{
		started(1, "a", "{x: 1, y: [2, {z: 3, w: 4}]}"), answered(1, "first", nil),
		started(2, "a", "{x: 1, y: [2, {z: 3, w: 4}]}"), answered(2, "second", nil),
		started(3, "b", "{}"), answered(3, nil, &execution.Failure{Code: execution.CodeTool, Detail: "tool-error", Message: "no", Structured: json.RawMessage(`{"why":5}`)}),
	}, 0)
	for _, test := range []struct{ tool, args, want string }{
		{"a", `{"y": [2, {"w": 4, "z": 3}], "x": 1}`, "first"},
		{"a", `{"x": 1, "y": [2, {"z": 3, "w": 5}]}`, "!the recording does not have this call of up.a: it has 2 of this tool with other arguments"},
		{"a", `{"x": 1, "y": [2, {"z": 3, "w": 4}]}`, "second"},
		{"a", `{"x": 1, "y": [2, {"z": 3, "w": 4}]}`, "!the recording does not have this call of up.a: it was made more often than it was recorded"},
		{"b", `{}`, "!no"},
		{"c", `{}`, "!the recording does not have this call of up.c: it has no calls of this tool"},
	} {
		value, err := r.CallTool(context.Background(), execution.Call{Server: "up", Tool: test.tool, Args: decode(t, test.args)})
		got := value
		if err != nil {
			got = "!" + err.Error()
		}
		if got != test.want {
			t.Errorf("%s %s: %v, want %s", test.tool, test.args, got, test.want)
		}
		var coded interface{ ErrorCode() string }
		if test.tool == "b" && (!errors.As(err, &coded) || coded.ErrorCode() != "tool-error") {
			t.Errorf("the code is lost: %v", err)
		}
		var structured interface{ StructuredContent() json.RawMessage }
		if test.tool == "b" && (!errors.As(err, &structured) || string(structured.StructuredContent()) != `{"why":5}`) {
			t.Errorf("the structuredContent is lost: %v", err)
		}
	}
}
