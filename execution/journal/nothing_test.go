package journal

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// withNothing is a run of which one step yields nothing, another null, and an edit takes
// a value away.
func withNothing(id string) []execution.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	args := value.NewObject([]string{"n"}, []value.Value{1.0})
	step := func(i int, node string, kind config.NodeType, v value.Value) execution.Event {
		return execution.Event{
			Kind: execution.StepFinished, Run: id, Time: at,
			Record: &execution.Record{Index: i, NodeID: node, NodeType: kind, Start: at, End: at, Output: v},
		}
	}
	edit := step(4, "null", config.TransformNode, nil)
	edit.Kind, edit.Record.Edited = execution.ContextEdited, true
	return []execution.Event{
		{Kind: execution.RunStarted, Run: id, Time: at, Start: &execution.Start{Tool: "tool", Graph: "hash", Args: args}},
		step(0, "entry", config.EntryNode, args),
		step(1, "found", config.MCPNode, nil),
		step(2, "null", config.TransformNode, value.Null),
		step(3, "again", config.TransformNode, "text"),
		edit,
		step(5, "exit", config.ExitNode, nil),
		{Kind: execution.RunFinished, Run: id, Time: at, End: &execution.End{Value: value.Null}},
	}
}

// Nothing and null come back as what they were, as events and as steps.
func TestNothingComesBack(t *testing.T) {
	s, err := openPlace(t, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := withNothing("RUN")
	j := s.Journal(config.NewSecrets("hunter2hunter2"), About{})
	for _, e := range want {
		if err := j.Append(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := j.Load(context.Background(), "RUN")
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d events, %v", len(got), err)
	}
	var before, after []execution.Record
	for i, e := range want {
		if e.Record != nil {
			before, after = append(before, *e.Record), append(after, *got[i].Record)
			if r := got[i].Record; r.Nothing() != e.Record.Nothing() || r.Edited != e.Record.Edited {
				t.Errorf("event %d is %+v, want %+v", i, *r, *e.Record)
			}
		}
	}
	for n := range len(before) + 1 {
		a, b := execution.Context(before[:n]), execution.Context(after[:n])
		if encoded(t, a) != encoded(t, b) || len(a) != len(b) {
			t.Errorf("the context before step %d is %v, want %v", n, b, a)
		}
	}
	steps, err := s.Steps(context.Background(), "RUN", 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range steps {
		if step.Output.Nothing != before[i].Nothing() || step.Output.Nothing != (step.Output.JSON == nil) {
			t.Errorf("step %d is kept as %+v", i, step.Output)
		}
	}
}

// A store of the first releases has null where a node yielded nothing, and still does.
func TestOldFramesAreNull(t *testing.T) {
	record := withNothing("RUN")[2].Record
	var w chunkWriter
	w.plain(record)
	plain := appendValue(w.body, stored{kind: inline, json: []byte("null")})
	edited := `{"kind":"context-edited","run":"RUN","record":{"executionIndex":1,"nodeId":"found","output":null,"edited":true}}`
	for name, src := range map[string][]byte{
		"a step":  plain,
		"an edit": appendValue(AppendBytes(nil, edited), stored{kind: inline, json: []byte("null")}),
	} {
		r := chunkReader{ByteReader: NewByteReader(src), run: "RUN"}
		f := frame{of: &stretch{id: "RUN"}}
		var err error
		if f.event, f.value, err = r.next(); err != nil {
			t.Fatal(err)
		}
		e, _, err := f.whole(newAssembly())
		if err != nil || e.Record.Output != value.Null || e.Record.Nothing() {
			t.Errorf("%s: %+v, %v", name, e.Record, err)
		}
	}
	var e execution.Event // as runs export wrote it
	src := `{"kind":"step-finished","run":"RUN","record":{"executionIndex":1,"nodeId":"found","nodeType":"mcp","output":null}}`
	if err := json.Unmarshal([]byte(src), &e); err != nil || !reflect.DeepEqual(e.Record.Output, value.Null) {
		t.Errorf("%+v, %v", e.Record, err)
	}
}

// The head of an event whose value follows it does not say that it is nothing.
func TestHeadsDoNotSayNothing(t *testing.T) {
	events := withNothing("RUN")
	edit := events[5]
	for value, want := range map[value.Value]bool{nil: true, 1.0: false, value.Null: false} {
		record := *edit.Record
		record.Output = value
		edit.Record = &record
		var w chunkWriter
		if err := w.event(edit, nil); err != nil || strings.Contains(string(w.body), "nothing") != want {
			t.Errorf("the head of an edit to %v is %q, %v", value, w.body, err)
		}
	}
}

// TestV13Frames: a stored event that lacks the part of its kind is damaged, and harms no other run.
func TestV13Frames(t *testing.T) {
	for _, head := range []string{
		`{"kind":"step-finished","run":"RUN"}`, `{"kind":"call-started","run":"RUN"}`, `{"kind":"run-finished","run":"RUN"}`,
		`{"kind":"run-started","run":"RUN"}`, `{"kind":"none","run":"RUN"}`, `{}`, `null`,
		`{"kind":"step-finished","run":"RUN","record":{"executionIndex":-1,"nodeId":"n"}}`,
	} {
		r := chunkReader{ByteReader: NewByteReader(appendValue(AppendBytes(nil, head), stored{})), run: "RUN"}
		if _, _, err := r.next(); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v", head, err)
		}
	}
}

// Times that nanoseconds have no room for come back as they were.
func TestFarTimes(t *testing.T) {
	for _, year := range []int{1, 1960, 2026, 2115, 2117, 2262, 2300, 9999} {
		at := time.Date(year, 5, 6, 7, 8, 9, 10, time.UTC)
		record := execution.Record{NodeID: "n", NodeType: config.ExitNode, Start: at, End: at.Add(time.Second)}
		e := execution.Event{Kind: execution.StepFinished, Run: "RUN", Time: record.End, Record: &record}
		var w chunkWriter
		if err := w.event(e, nil); err != nil {
			t.Fatal(err)
		}
		r := chunkReader{ByteReader: NewByteReader(w.body), run: "RUN"}
		got, err := r.event()
		if err != nil || !got.Record.Start.Equal(record.Start) || !got.Record.End.Equal(record.End) {
			t.Errorf("%v: %+v, %v", at, got.Record, err)
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
