package execution_test

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// constants is a graph that reads constants in every kind of place, and calls a tool that reads another.
func constants(t *testing.T, vars string) *graph.Graph {
	t.Helper()
	return build(t, "vars: "+vars+`
tools:
- name: tool
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: each}
  - id: each
    type: mcp
    server: up
    tool: echo
    forEach: {items: $vars.list}
    args: {item: {expr: $item & $vars.a}, own: {expr: '($vars := {"a": "own"}; $vars.a)'}}
    next: pick
  - {id: pick, type: switch, conditions: [{rule: {"in": ["x", {var: $vars.list}]}, next: sub}], next: exit}
  - {id: sub, type: graph, tool: called, args: {v: {expr: $vars.a}}, next: last}
  - {id: last, type: transform, transform: {expr: '{"each": $.each, "sub": $.sub}'}, next: exit}
  - {id: exit, type: exit}
- name: called
  hidden: true
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: c}
  - {id: c, type: transform, transform: {expr: $.entry.v & $vars.b}, next: exit}
  - {id: exit, type: exit}
`)
}

const (
	firstVars = `{a: "1", b: "2", list: [x, y], unread: 0}`
	firstSees = `{"each":[{"item":"x1","own":"own"},{"item":"y1","own":"own"}],"sub":"12"}`
	otherVars = `{a: "8", b: "9", list: [x], unread: 1}`
)

func TestConstantsInARun(t *testing.T) {
	kept := &journal.Memory{}
	got, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), constants(t, firstVars), decode(t, `{}`))
	if err != nil || encode(t, got.Value) != firstSees {
		t.Fatalf("got %v, %v", got, err)
	}
	events, _ := kept.Load(t.Context(), "r")
	if got := encode(t, throughJSON(t, events)[0].Start.Vars); got != `{"a":"1","b":"2","list":["x","y"]}` {
		t.Errorf("the run records %s", got)
	}
}

// A resumed run goes on with the constants that it began with, wherever it was interrupted.
func TestF22ResumeWithRecordedConstants(t *testing.T) {
	kept := &journal.Memory{}
	if _, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).Run(t.Context(), constants(t, firstVars), decode(t, `{}`)); err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	events = throughJSON(t, events)
	other := constants(t, otherVars)
	for n := 1; n < len(events); n++ {
		engine := execution.New(echo, execution.WithRepeatable(always))
		got, err := engine.Resume(t.Context(), other, events[:n])
		if err != nil || encode(t, got.Value) != firstSees {
			t.Errorf("after %d events: %v, %v", n, got, err)
		}
	}
	// A constant that the run has not recorded comes from the file, and is then part of its hash.
	events[0].Start.Vars = decode(t, `{"b": "2", "list": ["x", "y"]}`)
	if _, err := execution.New(echo).Resume(t.Context(), other, events); !errors.Is(err, execution.ErrGraphChanged) {
		t.Errorf("got %v", err)
	}
	events[0].Start.Vars = nil
	if !events[0].Start.IsOf(constants(t, firstVars)) {
		t.Error("a run without recorded constants is not of the graph with the same values")
	}
}

// A repeated run can have the constants of another, which it records itself.
func TestF22RunWithOtherConstants(t *testing.T) {
	kept := &journal.Memory{}
	engine := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r"), execution.WithVars(decode(t, `{"a": "1", "b": "2", "list": ["x", "y"]}`)))
	got, err := engine.Run(t.Context(), constants(t, otherVars), decode(t, `{}`))
	if err != nil || encode(t, got.Value) != firstSees {
		t.Fatalf("got %v, %v", got, err)
	}
	events, _ := kept.Load(t.Context(), "r")
	if start := events[0].Start; start.Graph != constants(t, firstVars).Hash || encode(t, start.Vars) != `{"a":"1","b":"2","list":["x","y"]}` {
		t.Errorf("it records %+v", start)
	}
}

// A graph that reads no constants runs with as many allocations as without any in the file, and its
// events have none.
func TestConstantsCostNothingUnread(t *testing.T) {
	const nodes = `
tools:
- name: tool
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: a}
  - {id: a, type: transform, transform: {expr: '1'}, next: b}
  - {id: b, type: switch, conditions: [{rule: {"==": [{var: a}, 1]}, next: c}], next: exit}
  - {id: c, type: transform, transform: {expr: $.a}, next: exit}
  - {id: exit, type: exit}
`
	cost := func(vars string) float64 {
		g, engine, args := build(t, vars+strings.TrimPrefix(nodes, "\n")), execution.New(echo), decode(t, `{}`)
		return testing.AllocsPerRun(20, func() {
			if _, err := engine.Run(t.Context(), g, args); err != nil {
				t.Fatal(err)
			}
		})
	}
	if without, with := cost(""), cost("vars: {a: 1, b: {c: [1, 2, 3]}}\n"); with > without {
		t.Errorf("%v allocations with constants that are not read, %v without", with, without)
	}
	var started execution.Event
	engine := execution.New(echo, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) {
		if e.Start != nil {
			started = e
		}
	})))
	if _, err := engine.Run(t.Context(), build(t, "vars: {a: 1}\n"+nodes[1:]), value.NewMap()); err != nil {
		t.Fatal(err)
	}
	if started.Start.Vars != nil {
		t.Errorf("it records %v", started.Start.Vars)
	}
}
