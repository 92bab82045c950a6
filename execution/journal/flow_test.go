package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

var flowBegan = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// A flow makes the events of a run by hand.
type flow struct {
	id     string
	at     time.Time
	events []execution.Event
}

func newFlow(id string, args value.Value) *flow {
	f := &flow{id: id, at: flowBegan}
	f.add(execution.Event{Kind: execution.RunStarted, Start: &execution.Start{Tool: "tool", Graph: "hash", Args: args}})
	return f
}

func (f *flow) add(e execution.Event) *execution.Event {
	f.at = f.at.Add(1234567)
	e.Run, e.Time = f.id, f.at
	f.events = append(f.events, e)
	return &f.events[len(f.events)-1]
}

// record adds a record, of a graph called inner in a frame.
func (f *flow) record(at execution.Address, node string, kind config.NodeType, output value.Value) *execution.Record {
	r := &execution.Record{NodeID: node, NodeType: kind, Start: f.at, End: f.at.Add(1234567), Output: output}
	r.Frame, r.Index, r.Part = at.Split()
	if r.Frame != "" {
		r.Tool = "inner"
	}
	f.add(execution.Event{Kind: execution.StepFinished, Record: r})
	return r
}

func (f *flow) call(at execution.Address, attempt int) *execution.Event {
	return f.visit(execution.CallStarted, at, "call", config.MCPNode, attempt)
}

func (f *flow) visit(kind execution.EventKind, at execution.Address, node string, typ config.NodeType, attempt int) *execution.Event {
	v := &execution.Visit{NodeID: node, NodeType: typ, Attempt: attempt}
	if typ == config.MCPNode {
		v.Server, v.Tool, v.Digest = "up", "read", "0123456789abcdef"
	}
	v.Frame, v.Index, v.Part = at.Split()
	if v.Frame != "" {
		v.Graph = "inner"
	}
	return f.add(execution.Event{Kind: kind, Step: v})
}

func (f *flow) starts(at execution.Address, node string, kind config.NodeType, parts execution.Parts) {
	f.visit(execution.PartsStarted, at, node, kind, 0).Parts = &parts
}

func (f *flow) end(v value.Value) []execution.Event {
	f.add(execution.Event{Kind: execution.RunFinished, End: &execution.End{Value: v}})
	return f.events
}

var failure = &execution.Failure{Code: execution.CodeTool, Detail: "tool-error", Message: "busy"}

// flown is a run with all that the records of parts, frames and attempts can have. The list of the
// first step with parts is also what the step after it yields.
func flown(id string) []execution.Event {
	args := value.NewObject([]string{"n"}, []value.Value{1.0})
	f := newFlow(id, args)
	f.record("0", "entry", config.EntryNode, args)
	f.starts("1", "each", config.GraphNode, execution.Parts{Count: 3, Digest: "d"})
	var entries []value.Value
	for i := range 3 {
		entries = append(entries, value.NewObject([]string{"i", "text"}, []value.Value{float64(i), "a text that is longer than a scalar that is written again"}))
	}
	for i := range 3 {
		f.record(execution.Address(fmt.Sprintf("1.%d/0", i)), "entry", config.EntryNode, entries[i])
	}
	f.call("1.0/1", 0)
	f.call("1.2/1", 0)
	retry := &execution.Retry{Attempt: execution.Attempt{Start: flowBegan, End: flowBegan.Add(time.Second), Error: failure}, WaitMs: 5}
	f.visit(execution.AttemptFailed, "1.0/1", "call", config.MCPNode, 0).Retry = retry
	f.record("1.1/1", "exit", config.ExitNode, entries[1])
	f.record("1.1", "each", config.GraphNode, entries[1])
	f.call("1.0/1", 2)
	f.record("1.2/1", "call", config.MCPNode, nil)
	f.record("1.2", "each", config.GraphNode, nil)
	f.record("1.0/1", "call", config.MCPNode, entries[0]).Attempts = []execution.Attempt{retry.Attempt}
	handled := f.record("1.0", "each", config.GraphNode, value.NewObject([]string{"error"}, []value.Value{"busy"}))
	handled.Handled = &execution.Failure{Code: execution.CodeTool, Message: "busy", Result: []byte(`{"a":1}`), Callers: []execution.Caller{{Tool: "inner", Node: "call", Part: "0", Item: `{"i":0}`, Path: []string{"entry", "call"}}}}
	list := []any{handled.Output, entries[1], value.Null}
	f.record("1", "each", config.GraphNode, list).Parts = 3
	f.record("2", "same", config.TransformNode, list)
	f.starts("3", "facts", config.ParallelNode, execution.Parts{Count: 3, Branches: []string{"weather", "void", "news"}})
	f.call("3.weather", 0)
	f.record("3.news/0", "entry", config.EntryNode, args)
	f.record("3.news", "facts", config.GraphNode, list)
	f.record("3.void", "facts", config.MCPNode, nil)
	f.record("3.weather", "facts", config.MCPNode, "sun")
	facts := value.NewObject([]string{"weather", "news"}, []value.Value{"sun", list})
	f.record("3", "facts", config.ParallelNode, facts).Parts = 3
	f.record("4/0", "entry", config.EntryNode, facts)
	f.record("4", "sub", config.GraphNode, facts)
	f.record("5", "exit", config.ExitNode, facts)
	return f.end(facts)
}

func inStore(t *testing.T, events []execution.Event, secrets ...string) *Store {
	t.Helper()
	s, err := openPlace(t, t.TempDir(), Options{MaxValue: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	j := s.Journal(config.NewSecrets(secrets...), About{})
	for _, e := range events {
		if err := j.Append(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What parts, frames and attempts leave comes back as it was.
func TestFlowComesBack(t *testing.T) {
	want := flown("FLOW")
	if err := execution.CheckEvents(want); err != nil {
		t.Fatal(err)
	}
	s := inStore(t, want)
	got, err := s.Journal(nil, About{}).Load(t.Context(), "FLOW")
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got, want := asJSON(t, got[i]), asJSON(t, want[i]); got != want {
			t.Errorf("event %d\ngot  %s\nwant %s", i+1, got, want)
		}
	}
	r, err := s.Run(t.Context(), "FLOW")
	if err != nil || r.Steps != 20 || r.Nested != 14 {
		t.Errorf("%+v %v", r, err)
	}
	if err := s.Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// A field of a record or a call that is added later is not dropped: either a short form has it, or
// the event has the long one.
func TestNoFieldIsDropped(t *testing.T) {
	check := func(name string, e execution.Event) {
		t.Helper()
		var w chunkWriter
		if err := w.event(e, nil); err != nil {
			t.Fatal(name, err)
		}
		r := chunkReader{ByteReader: NewByteReader(w.body), run: e.Run}
		got, err := r.event()
		if err != nil || r.broken || len(r.rest) > 0 {
			t.Errorf("%s: %v", name, err)
		}
		want := bare(e, nil)
		if got.Record != nil {
			want.Record.Bytes = 0
			if got.Record.Output == nil { // its value follows
				want.Record.Output = nil
			}
		}
		if got, want := asJSON(t, got), asJSON(t, want); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
	}
	step := func() *execution.Record {
		return &execution.Record{Frame: "1", Tool: "inner", Part: "3", NodeID: "n", NodeType: config.GraphNode, Start: flowBegan, End: flowBegan}
	}
	call := func() *execution.Visit {
		return &execution.Visit{Frame: "1", Graph: "inner", Part: "b", NodeID: "n", NodeType: config.MCPNode, Digest: "0123456789abcdef"}
	}
	for i := range reflect.TypeFor[execution.Record]().NumField() {
		field, r := reflect.TypeFor[execution.Record]().Field(i), step()
		if field.Name != "NodeType" && field.Name != "Error" { // of which Handled is the opposite
			setField(t, reflect.ValueOf(r).Elem().Field(i))
		}
		kind := execution.StepFinished
		if r.Edited {
			kind, r.Part = execution.ContextEdited, ""
		}
		if r.Parts > 0 {
			r.Part = ""
		}
		if r.Confirmed != nil || r.Cached {
			r.NodeType = config.MCPNode
		}
		r.End = r.Start
		check("Record."+field.Name, execution.Event{Kind: kind, Run: "R", Time: r.End, Record: r})
	}
	for i := range reflect.TypeFor[execution.Visit]().NumField() {
		field, v := reflect.TypeFor[execution.Visit]().Field(i), call()
		if field.Name != "NodeType" && field.Name != "Args" {
			setField(t, reflect.ValueOf(v).Elem().Field(i))
		}
		check("Visit."+field.Name, execution.Event{Kind: execution.CallStarted, Run: "R", Time: flowBegan, Step: v})
	}
	for i := range reflect.TypeFor[execution.End]().NumField() {
		field, end := reflect.TypeFor[execution.End]().Field(i), &execution.End{}
		if field.Name != "Value" { // follows
			setField(t, reflect.ValueOf(end).Elem().Field(i))
		}
		e := execution.Event{Kind: execution.RunFinished, Run: "R", Time: flowBegan, End: end}
		check("End."+field.Name, e)
	}
	for i := range reflect.TypeFor[execution.Used]().NumField() {
		field, used := reflect.TypeFor[execution.Used]().Field(i), &execution.Used{}
		setField(t, reflect.ValueOf(used).Elem().Field(i))
		check("Used."+field.Name, execution.Event{Kind: execution.RunFinished, Run: "R", Time: flowBegan, End: &execution.End{Used: used}})
	}
	check("Event.Lost", execution.Event{Kind: execution.StepFinished, Run: "R", Time: flowBegan, Record: step(), Lost: 3})
	check("Event.Time", execution.Event{Kind: execution.StepFinished, Run: "R", Time: flowBegan.Add(1), Record: step()})
	check("Lost call", execution.Event{Kind: execution.CallStarted, Run: "R", Time: flowBegan, Step: call(), Lost: 3})
}

// setField gives a field a value that it does not have otherwise.
func setField(t *testing.T, v reflect.Value) {
	t.Helper()
	switch at := v.Addr().Interface().(type) {
	case *execution.Address:
		*at = "7.2"
	case *config.NodeType:
		*at = config.ParallelNode
	case *time.Time:
		*at = flowBegan.Add(time.Hour)
	case **execution.Failure:
		*at = failure
	case *[]execution.Attempt:
		*at = []execution.Attempt{{Start: flowBegan, End: flowBegan, Error: failure}}
	case **execution.Confirmation:
		*at = &execution.Confirmation{At: flowBegan, Digest: "d"}
	case *value.Value:
		*at = 1.0
	case **execution.Used:
		*at = &execution.Used{Calls: 1}
	case *[]execution.ServerUse:
		*at = []execution.ServerUse{{Server: "up", Calls: 2, BytesIn: 3}, {Calls: 1}}
	case *[]string:
		*at = []string{"up.get", "up.put"}
	case *string:
		*at = "17"
	case *int:
		*at = 17
	case *bool:
		*at = true
	default:
		t.Fatalf("no value of type %s is known here: add one", v.Type())
	}
}

// each makes the events of a run with a called graph for each of n items, of which always some are
// in flight; value is the output of each call.
func each(id string, n, inFlight int, value func(i int) value.Value) []execution.Event {
	f := newFlow(id, nil)
	f.events[0].Start.Args = value(0)
	f.record("0", "entry", config.EntryNode, f.events[0].Start.Args)
	f.starts("1", "each", config.GraphNode, execution.Parts{Count: n})
	list := make([]any, n)
	at := func(i int, step string) execution.Address { return execution.Address(fmt.Sprintf("1.%d%s", i, step)) }
	for i := range n + inFlight {
		if i < n {
			f.record(at(i, "/0"), "entry", config.EntryNode, float64(i))
			f.call(at(i, "/1"), 0)
		}
		if i := i - inFlight; i >= 0 {
			list[i] = value(i)
			f.record(at(i, "/1"), "call", config.MCPNode, list[i])
			f.record(at(i, "/2"), "exit", config.ExitNode, list[i])
			f.record(at(i, ""), "each", config.GraphNode, list[i])
		}
	}
	f.record("1", "each", config.GraphNode, list).Parts = n
	f.record("2", "exit", config.ExitNode, list)
	return f.end(list)
}

// written returns the bytes of the frames of a run.
func written(t *testing.T, events []execution.Event) (bytes int) {
	t.Helper()
	tr := track{view: &view{store: &Store{opts: Options{MaxValue: 1 << 20}}}}
	for _, e := range events {
		if err := tr.add(e, 0); err != nil {
			t.Fatal(err)
		}
	}
	tr.endChunk()
	if tr.Spilled > 0 {
		t.Errorf("%d values have a row of their own", tr.Spilled)
	}
	for _, c := range tr.Chunks {
		bytes += len(c.Body)
	}
	return bytes
}

// The records of parts are as small as others, and no value is written twice: not in the record of
// a part, not in the list, and not in what passes the list on.
func TestPartsAreSmall(t *testing.T) {
	plain := newFlow("PLAIN", value.Null)
	for i := range 1000 {
		plain.record(execution.AddressOf("", i, ""), "call", config.MCPNode, float64(1))
	}
	const n = 1000
	scalar := func(int) value.Value { return 1.0 }
	perPlain := written(t, plain.end(1.0)) / n
	perPart := written(t, each("PARTS", n, 64, scalar)) / n
	long := func(i int) value.Value {
		return value.NewObject([]string{"text"}, []value.Value{fmt.Sprintf("%01000d", i)})
	}
	perLong := written(t, each("LONG", n, 64, long)) / n
	t.Logf("%d bytes a plain record; %d bytes for a part with 4 records and a call; %d with an output of 1011 bytes", perPlain, perPart, perLong)
	if perPart > 5*(perPlain+4) {
		t.Errorf("a part of 4 records and a call takes %d bytes, a plain record %d", perPart, perPlain)
	}
	if perLong > perPart+1011+20 {
		t.Errorf("a value of 1011 bytes makes a part %d bytes longer", perLong-perPart)
	}
}

// Parts that were not recorded unchanged stay so in the list, and the run is not resumed.
func TestGapsOfParts(t *testing.T) {
	const secret = "hunter2-hunter2"
	large := strings.Repeat("x", 1<<20)
	events := each("GAPS", 4, 2, func(i int) value.Value {
		return []value.Value{"small", "a " + secret, large, "last"}[i]
	})
	s := inStore(t, events, secret)
	got, err := s.Load(t.Context(), "GAPS")
	if err != nil {
		t.Fatal(err)
	}
	list := encoded(t, got[len(got)-3].Record.Output)
	if !strings.Contains(list, `"a [redacted]"`) || !strings.Contains(list, `"too-large"`) || !strings.Contains(list, `"last"`) {
		t.Errorf("%.1000s", list)
	}
	var gap *GapError
	if _, err := s.Journal(nil, About{}).Load(t.Context(), "GAPS"); !errors.As(err, &gap) || !strings.Contains(err.Error(), `the output of step 1.1/1 (node "inner:call") had a secret`) {
		t.Error(err)
	}
}
