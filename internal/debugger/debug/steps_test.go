package debug_test

import (
	"context"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/debugger/debug"
)

// stepped has a block for each item, beside a step that is repeated.
const stepped = `version: "1.0"
server: {name: t, version: 1.0.0}
executionLimits: {maxNodeOutputBytes: 200}
mcpServers: {up: {command: up}}
tools:
- name: trip
  description: steps
  inputSchema: {type: object, properties: {n: {type: integer}}}
  steps:
  - {id: first, expr: args.n}
  - id: rows
    each: '[1..2]'
    as: row
    maxParallel: 1
    steps:
    - {id: one, expr: $row + first}
    - {id: two, expr: one * 10}
  - {id: job, call: up.get, args: {n: {expr: $n}}, effect: read, repeat: {until: $n = 2, delayMs: 0}}
  - {id: other, expr: first + 1}
  - {id: last, expr: '[rows, other]'}
`

func startSteps(t *testing.T, o debug.StartOptions) *debug.Session {
	t.Helper()
	return startOf(t, stepped, 5, func(_ context.Context, c execution.Call) (value.Value, error) { return c.Args, nil }, o)
}

// A step makes the next step of its item, then of its block; out runs to the end of what the step is in.
func TestSteppingThroughSteps(t *testing.T) {
	s := startSteps(t, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "rows.one", Condition: "$row = 1 and first = 5"}}})
	pausedAt := func(want string) {
		t.Helper()
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if next := s.State().Next; next == nil || string(next.At()) != want {
			t.Fatalf("paused at %v of %s, want %s", next, heldAt(s), want)
		}
	}
	command := func(f func(execution.Address) error, want string) {
		t.Helper()
		if err := f(""); err != nil {
			t.Fatal(err)
		}
		pausedAt(want)
	}
	pausedAt("1.rows.0.one")
	command(s.Step, "1.rows.0.two")
	command(s.Step, "1.rows.1") // the next item
	command(s.Step, "1.rows.1.one")
	if err := s.Out(""); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ended := s.History().Record("1.rows.1"); !ended || strings.Contains(heldAt(s), "1.rows") {
		t.Errorf("out of the block the run is held at %s", heldAt(s))
	}
}

// Conditions and watches at a step see all values above; the value of a step can be edited until one that reads it begins.
func TestEditsOfSteps(t *testing.T) {
	s := startSteps(t, debug.StartOptions{
		Breakpoints: []debug.Breakpoint{{Node: "last"}, {Node: "rows[]", Condition: "$index = 1"}}, Watches: []string{"first & \"!\""},
	})
	state := until(t, s, "at an item", func(state debug.State) bool {
		return state.Status == debug.Paused && strings.Contains(heldAt(s), "1.rows.1=breakpoint")
	})
	if got := state.Watches; len(got) != 1 || got[0].Value != "5!" {
		t.Errorf("watched: %+v", got)
	}
	for step, want := range map[string]string{
		"first": `step "rows" has begun, which reads the value of step "first"`, "rows": `no step "rows" is above step 1.rows.1`, "args": "args can be edited only before",
	} {
		if err := s.Edit(t.Context(), "1.rows.1", step, 1.0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("edit of %s: %v", step, err)
		}
	}
	if err := s.Resume(""); err != nil {
		t.Fatal(err)
	}
	until(t, s, "at the last step", func(state debug.State) bool {
		return state.Status == debug.Paused && strings.Contains(heldAt(s), "1.last=breakpoint")
	})
	if err := s.CanEdit("1.last", "rows"); err != nil {
		t.Error(err)
	}
	if err := s.Edit(t.Context(), "1.last", "rows", strings.Repeat("x", 300)); err == nil || !strings.Contains(err.Error(), "executionLimits allow 200") {
		t.Errorf("a value that is too large: %v", err)
	}
	if err := s.Edit(t.Context(), "1.last", "rows", "edited"); err != nil {
		t.Fatal(err)
	}
	rec, _ := s.History().Record("1.rows")
	first, _ := s.History().AsEnded("1.rows")
	if rec.Output != "edited" || !rec.Edited || first.Edited || first.Output == "edited" {
		t.Errorf("the record is %+v, as it ended %+v", rec, first)
	}
	if v, err := s.Evaluate(t.Context(), "rows", "1.last"); err != nil || v != "edited" {
		t.Errorf("evaluated: %v, %v", v, err)
	}
	if err := s.Resume(""); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	if p := s.History().Parts("1.job"); !p.Turns || p.Count != 2 || p.At("1.job", 1) != "1.job@2" {
		t.Errorf("the turns are %+v", p)
	}
	src, _ := value.Encode(s.State().Result)
	if got := string(src); got != `["edited",6]` {
		t.Errorf("the result is %s: %s", got, s.State().Message)
	}
}

// args are edited before the steps begin.
func TestEditOfArgs(t *testing.T) {
	s := startSteps(t, debug.StartOptions{Breakpoints: []debug.Breakpoint{{Node: "$steps"}}})
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Edit(t.Context(), "", "args", value.NewObject([]string{"n"}, []value.Value{7.0})); err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(""); err != nil {
		t.Fatal(err)
	}
	<-s.Done()
	src, _ := value.Encode(s.State().Result)
	if got := string(src); got != `[80,90,8]` {
		t.Errorf("the result is %s: %s", got, s.State().Message)
	}
}
