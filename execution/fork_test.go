package execution_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// walks has a call for each item, in a graph of its own, and one after them.
const walks = `
executionLimits: {maxNodeExecutions: 16, maxNodeOutputBytes: 200}
tools:
- name: tool
  description: a tool
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: inner, forEach: {items: '[1, 2]'}, args: {x: {expr: $item}}, next: sum}
  - {id: sum, type: mcp, server: up, tool: pay, args: {all: {expr: $.each.y}}, next: way}
  - {id: way, type: switch, conditions: [{rule: {">": [{var: $.sum.all.1}, 100]}, next: big}], next: exit}
  - {id: big, type: transform, transform: {expr: '"big"'}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: inside
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: up, tool: read, args: {x: {expr: $.entry.x}}, next: twice}
  - {id: twice, type: transform, transform: {expr: '{"y": $.read.x * 2}'}, next: exit}
  - {id: exit, type: exit}
`

// countedCalls counts calls by tool.
type countedCalls struct{ calls []string }

func (c *countedCalls) CallTool(_ context.Context, call execution.Call) (value.Value, error) {
	c.calls = append(c.calls, call.Tool+" "+string(call.At()))
	return call.Args, nil
}

// recorded runs a graph and returns its events.
func recorded(t *testing.T, g *graph.Graph) []execution.Event {
	t.Helper()
	kept := &journal.Memory{}
	_, err := execution.New(&countedCalls{}, execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), g, decode(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	return throughJSON(t, events)
}

// A fork copies what was before its step, replaces outputs, and makes only the calls after it.
func TestFork(t *testing.T) {
	for _, test := range []struct {
		at, node, output string
		want, calls      string
	}{
		{"0", "", "", `"exit"`, "read 1.0/1, read 1.1/1, pay 2"},
		{"1", "", "", `"exit"`, "read 1.0/1, read 1.1/1, pay 2"},
		{"1.1", "", "", `"exit"`, "read 1.1/1, pay 2"},
		{"1.1/2", "", "", `"exit"`, "pay 2"},
		{"1.1/2", "read", `{"x": 60}`, `"big"`, "pay 2"},
		{"2", "each", `[{"y": 1}, {"y": 101}]`, `"big"`, "pay 3"},
		{"3", "sum", `{"all": [1, 101]}`, `"big"`, ""},
		{"4", "way", `"big"`, `"big"`, ""},
		{"4", "", "", `"exit"`, ""},
	} {
		t.Run(test.at+test.node, func(t *testing.T) {
			g := build(t, walks)
			events := recorded(t, g)
			kept, up := &journal.Memory{}, &countedCalls{}
			var started []execution.Event
			observer := execution.ObserverFunc(func(e execution.Event) {
				if e.Start != nil || len(started) == 0 {
					started = append(started, e)
				}
			})
			f := execution.Fork{At: execution.Address(test.at)}
			if test.node != "" {
				f.Edits = []execution.Edit{{NodeID: test.node, Output: decode(t, test.output)}}
			}
			got, err := execution.New(up, execution.WithJournal(kept), execution.WithObserver(observer), execution.WithRunID("f")).Fork(t.Context(), g, events, f)
			if err != nil {
				t.Fatal(err)
			}
			if encode(t, got.Value) != test.want || strings.Join(up.calls, ", ") != test.calls {
				t.Errorf("got %s with calls %s; want %s with %s", encode(t, got.Value), up.calls, test.want, test.calls)
			}
			own, _ := kept.Load(t.Context(), "f")
			if err := execution.CheckEvents(own); err != nil {
				t.Error(err)
			}
			start := own[0].Start
			if start.ForkedFrom != "r/"+test.at || len(started) != 1 || started[0].Start == nil || started[0].Start.ForkedFrom != start.ForkedFrom {
				t.Errorf("started with %+v, observed %+v", start, started)
			}
			if edited := slices.ContainsFunc(own, func(e execution.Event) bool { return e.Kind == execution.ContextEdited }); edited != (test.node != "") {
				t.Error("an edit is a record of the fork")
			}
			resumed := &countedCalls{}
			again, err := execution.New(resumed).Resume(t.Context(), g, throughJSON(t, own[:1+start.Copied]))
			if err != nil || encode(t, again.Value) != test.want || !slices.Equal(resumed.calls, up.calls) {
				t.Errorf("resumed after all was copied: %v with calls %v, %v", again, resumed.calls, err)
			}
		})
	}
}

// A fork that cannot be right does not begin: nothing is recorded and nothing is called.
func TestForkRefused(t *testing.T) {
	g := build(t, walks)
	changed := build(t, strings.Replace(walks, "$.read.x * 2", "$.read.x * 3", 1))
	whole := recorded(t, g)
	call := slices.IndexFunc(whole, func(e execution.Event) bool { return e.Kind == execution.CallStarted && e.Step.Tool == "pay" })
	for _, test := range []struct {
		name   string
		graph  *graph.Graph
		events []execution.Event
		fork   execution.Fork
		want   string
	}{
		{"no step", g, whole, execution.Fork{At: "9"}, "run r has no step 9"},
		{"after the exit", g, whole, execution.Fork{At: "5"}, "run r has no step 5"},
		{"no part", g, whole, execution.Fork{At: "1.2"}, "run r has no step 1.2"},
		{"changed graph", changed, whole, execution.Fork{At: "2"}, "the graph has changed"},
		{"edit of a part", g, whole, execution.Fork{At: "1.1", Edits: []execution.Edit{{NodeID: "entry"}}}, "step 1.1 is a part"},
		{"edit of a later node", g, whole, execution.Fork{At: "2", Edits: []execution.Edit{{NodeID: "sum"}}}, `node "sum" has no output before step 2; expected each or entry`},
		{"edit before the first", g, whole, execution.Fork{At: "0", Edits: []execution.Edit{{NodeID: "entry"}}}, "no node has run there"},
		{"edit in another frame", g, whole, execution.Fork{At: "1.1/2", Edits: []execution.Edit{{NodeID: "each"}}}, "expected entry or read"},
		{"edit of a switch", g, whole, execution.Fork{At: "4", Edits: []execution.Edit{{NodeID: "way", Output: "sum"}}}, "expected big or exit"},
		{"edit too large", g, whole, execution.Fork{At: "2", Edits: []execution.Edit{{NodeID: "each", Output: strings.Repeat("x", 300)}}}, "maxNodeOutputBytes is 200"},
		{"in doubt", g, whole[:call+1], execution.Fork{At: "1"}, "during the call to up.pay at step 2: its outcome is unknown"},
		{"half forked", g, halfForked(whole), execution.Fork{At: "1"}, "not all steps were copied"},
	} {
		t.Run(test.name, func(t *testing.T) {
			kept, up := &journal.Memory{}, &countedCalls{}
			result, err := execution.New(up, execution.WithJournal(kept), execution.WithRunID("f")).Fork(t.Context(), test.graph, test.events, test.fork)
			if err == nil || !strings.Contains(err.Error(), test.want) || result != nil {
				t.Errorf("got %v, %v; want %s", result, err, test.want)
			}
			if begun, _ := kept.Load(t.Context(), "f"); len(begun) > 0 || len(up.calls) > 0 {
				t.Errorf("recorded %v, called %v", begun, up.calls)
			}
		})
	}
}

func halfForked(events []execution.Event) []execution.Event {
	start := *events[0].Start
	start.ForkedFrom, start.Copied = "q/3", 5
	events = slices.Clone(events[:3])
	events[0].Start = &start
	return events
}

// The operator may decide that an in-doubt call is made again, and that the steps fit a changed graph.
func TestForkDecided(t *testing.T) {
	g := build(t, walks)
	whole := recorded(t, g)
	call := slices.IndexFunc(whole, func(e execution.Event) bool { return e.Kind == execution.CallStarted && e.Step.Tool == "pay" })
	up := &countedCalls{}
	if _, err := execution.New(up).Fork(t.Context(), g, whole[:call+1], execution.Fork{At: "2", Repeat: true}); err != nil || len(up.calls) != 1 {
		t.Errorf("called %v, %v", up.calls, err)
	}
	changed := build(t, strings.Replace(walks, "100]", "3]", 1))
	up = &countedCalls{}
	kept := &journal.Memory{}
	got, err := execution.New(up, execution.WithJournal(kept), execution.WithRunID("f")).
		Fork(t.Context(), changed, whole, execution.Fork{At: "3"}, execution.WithChangedGraph())
	if err != nil || encode(t, got.Value) != `"big"` || len(up.calls) != 0 {
		t.Fatalf("got %v, called %v, %v", got, up.calls, err)
	}
	if own, _ := kept.Load(t.Context(), "f"); !own[0].Start.IsOf(changed) {
		t.Error("the fork is of the graph as it is now")
	}
}

// The steps that a fork copies count for its limits.
func TestForkLimit(t *testing.T) {
	g := build(t, walks) // whose run takes 15 executions with the parts, and 16 with "big"
	events := recorded(t, g)
	_, err := execution.New(&countedCalls{}).Fork(t.Context(), g, events, execution.Fork{At: "4", Edits: []execution.Edit{{NodeID: "way", Output: "big"}}})
	if err != nil {
		t.Errorf("an edit is no execution: %v", err)
	}
	tight := build(t, strings.Replace(walks, "maxNodeExecutions: 16", "maxNodeExecutions: 15", 1))
	_, err = execution.New(&countedCalls{}).Fork(t.Context(), tight, events, execution.Fork{At: "4", Edits: []execution.Edit{{NodeID: "way", Output: "big"}}}, execution.WithChangedGraph())
	var step *execution.StepError
	if !errors.As(err, &step) || step.Code() != execution.CodeLimit {
		t.Errorf("got %v, want the limit of executions", err)
	}
}

// flushed is a journal that notes when it is flushed, and what was called before.
type flushed struct {
	journal.Memory
	up    *countedCalls
	err   error
	after []int // events, then calls
}

func (f *flushed) Flush(ctx context.Context, run string) error {
	events, _ := f.Load(ctx, run)
	f.after = append(f.after, len(events), len(f.up.calls))
	return f.err
}

// What a fork copies survives the process before it makes its first call, or it makes none.
func TestForkFlushes(t *testing.T) {
	g := build(t, walks)
	events := recorded(t, g)
	for _, fails := range []error{nil, errCrash} {
		kept := &flushed{up: &countedCalls{}, err: fails}
		_, err := execution.New(kept.up, execution.WithJournal(kept), execution.WithRunID("f")).Fork(t.Context(), g, events, execution.Fork{At: "1.1/1"})
		own, _ := kept.Load(t.Context(), "f")
		if !slices.Equal(kept.after, []int{1 + own[0].Start.Copied, 0}) {
			t.Errorf("flushed after %v events and calls, want %d and 0", kept.after, 1+own[0].Start.Copied)
		}
		if !errors.Is(err, fails) || fails != nil && len(kept.up.calls) > 0 {
			t.Errorf("got %v after calls %v", err, kept.up.calls)
		}
	}
}

// Of parts that run at the same time, what has finished is copied; a call in flight and a part that has
// failed begin again.
func TestForkBesideOthers(t *testing.T) {
	g := build(t, walks)
	whole := recorded(t, g)
	at := func(kind execution.EventKind, address string) execution.Event {
		i := slices.IndexFunc(whole, func(e execution.Event) bool { return e.Kind == kind && string(e.At()) == address })
		return whole[i]
	}
	failing := func(address string) execution.Event {
		e := at(execution.StepFinished, address)
		r := *e.Record
		r.Output, r.Error, r.Parts = nil, &execution.Failure{Code: execution.CodeTool, Message: "no", Node: r.NodeID}, 0
		e.Record = &r
		return e
	}
	begun := []execution.Event{
		whole[0], at(execution.StepFinished, "0"), at(execution.PartsStarted, "1"), at(execution.StepFinished, "1.0/0"), at(execution.StepFinished, "1.1/0"),
		at(execution.CallStarted, "1.0/1"),
	}
	last := at(execution.CallStarted, "1.1/1")
	for name, test := range map[string]struct {
		events []execution.Event
		copied int // events after the start
		calls  string
	}{
		"in flight": {append(slices.Clip(begun), last, at(execution.StepFinished, "1.0/1")), 4, "read 1.0/1, read 1.1/1, pay 2"},
		"finished":  {append(slices.Clip(begun), at(execution.StepFinished, "1.0/1"), last), 6, "read 1.1/1, pay 2"},
		"failed":    {append(slices.Clip(begun), failing("1.0/1"), failing("1.0"), last), 3, "read 1.0/1, read 1.1/1, pay 2"},
	} {
		t.Run(name, func(t *testing.T) {
			kept, up := &journal.Memory{}, &countedCalls{}
			got, err := execution.New(up, execution.WithJournal(kept), execution.WithRunID("f"), execution.WithRepeatable(always)).
				Fork(t.Context(), g, test.events, execution.Fork{At: "1.1/1"})
			if err != nil || encode(t, got.Value) != `"exit"` || strings.Join(up.calls, ", ") != test.calls {
				t.Fatalf("got %v with calls %s, %v; want %s", got, up.calls, err, test.calls)
			}
			own, _ := kept.Load(t.Context(), "f")
			if own[0].Start.Copied != test.copied {
				t.Errorf("copied %d events, want %d", own[0].Start.Copied, test.copied)
			}
			if err := execution.CheckEvents(own); err != nil {
				t.Error(err)
			}
		})
	}
}
