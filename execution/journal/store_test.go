package journal_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// open is a store in a directory of its own, which is closed at the end.
func open(t testing.TB, opts journal.Options) *journal.Store {
	t.Helper()
	return openAt(t, t.TempDir(), opts)
}

func openAt(t testing.TB, dir string, opts journal.Options) *journal.Store {
	t.Helper()
	open := journal.Open
	if strings.HasPrefix(t.Name(), journal.OverPostgres) {
		open = func(dir string, opts journal.Options) (*journal.Store, error) { return journal.OpenPlace(t, dir, opts) }
	}
	s, err := open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close() // what is wrong with it, a test finds out before
	})
	return s
}

var began = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)

// write keeps a run of one transform that gives the output.
func write(t testing.TB, j execution.Journal, id string, args, output value.Value) {
	t.Helper()
	for _, e := range events(id, args, output) {
		if err := j.Append(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func events(id string, args, output value.Value) []execution.Event {
	at := func(n int) time.Time { return began.Add(time.Duration(n) * time.Millisecond) }
	step := func(i int, node string, kind config.NodeType, v value.Value) execution.Event {
		return execution.Event{
			Kind: execution.StepFinished, Run: id, Time: at(i + 1),
			Record: &execution.Record{Index: i, NodeID: node, NodeType: kind, Start: at(i), End: at(i + 1), Output: v},
		}
	}
	return []execution.Event{
		{Kind: execution.RunStarted, Run: id, Time: at(0), Start: &execution.Start{Tool: "tool", Graph: "hash", Args: args}},
		step(0, "entry", config.EntryNode, args),
		step(1, "make", config.TransformNode, output),
		step(2, "exit", config.ExitNode, output),
		{Kind: execution.RunFinished, Run: id, Time: at(4), End: &execution.End{Value: output}},
	}
}

func decode(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func encode(t testing.TB, v any) string {
	t.Helper()
	text, err := value.Encode(value.FromPlain(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What goes in comes out, for others and for resuming.
func TestEventsComeBack(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{File: "/x/graph.yaml", Server: "demo"})
	args, output := decode(t, `{"z":1,"a":[12345678901234567890]}`), decode(t, `{"b":null,"a":"<x>"}`)
	want := events("RUN1", args, output)
	write(t, j, "RUN1", args, output)
	for name, load := range map[string]func() ([]execution.Event, error){
		"Store":   func() ([]execution.Event, error) { return s.Load(t.Context(), "RUN1") },
		"Journal": func() ([]execution.Event, error) { return j.Load(t.Context(), "RUN1") },
	} {
		got, err := load()
		if err != nil {
			t.Fatal(name, err)
		}
		if got, want := encode(t, got), encode(t, want); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", name, got, want)
		}
	}
	runs, err := s.List(t.Context(), journal.Filter{})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	r := runs[0]
	if r.Bytes == 0 {
		t.Error("no size")
	}
	if r.Owner == "" || r.Process != nil {
		t.Errorf("the process of a run that has ended is %v, its owner %q", r.Process, r.Owner)
	}
	r.Bytes, r.Owner = 0, ""
	want1 := journal.Run{
		ID: "RUN1", Tool: "tool", Status: journal.Finished, File: "/x/graph.yaml", Server: "demo", Graph: "hash",
		Args: `{"z":1,"a":[12345678901234567890]}`, Started: began, Ended: began.Add(4 * time.Millisecond), Duration: 4, Steps: 3,
	}
	if !reflect.DeepEqual(r, want1) {
		t.Errorf("\ngot  %+v\nwant %+v", r, want1)
	}
	steps, err := s.Steps(t.Context(), "RUN1", 1, 1, 5)
	if err != nil || len(steps) != 1 || steps[0].Record.NodeID != "make" || string(steps[0].Output.JSON) != `{"b":` || !steps[0].Output.Truncated {
		t.Errorf("%+v %v", steps, err)
	}
}
