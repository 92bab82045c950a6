package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// mixed has a loop, calls, switches and history functions.
const mixed = `
- {id: entry, type: entry, next: call}
- id: call
  type: mcp
  server: up
  tool: inc
  args: {n: {expr: '$executionCount("call") = 0 ? $.entry.n : $.keep.n'}}
  next: keep
- {id: keep, type: transform, transform: {expr: '{"n": $.call.n + 1, "seen": $count($nodeExecutions("call"))}'}, next: more}
- id: more
  type: switch
  conditions: [{rule: {"<": [{var: $.keep.n}, 10]}, next: call}]
  next: end
- {id: end, type: transform, transform: {expr: '{"n": $.keep.n, "seen": $.keep.seen, "by": $previousNode(2)}'}, next: exit}
- {id: exit, type: exit}
`

var errCrash = errors.New("crash")

// cut is a journal that fails after n events, as a crash would.
type cut struct {
	journal.Memory
	mu   sync.Mutex // parts of a run record at the same time
	left int
}

func (c *cut) Append(ctx context.Context, e execution.Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		return errCrash
	}
	c.left--
	return c.Memory.Append(ctx, e)
}

// A run that is cut after any event and resumed from its journal ends as the whole
// run does, and recorded calls are not made again.
func TestResumeAnywhere(t *testing.T) {
	g := build(t, mixed)
	whole := &journal.Memory{}
	want, err := execution.New(echo, execution.WithJournal(whole), execution.WithRunID("r")).
		Run(t.Context(), g, decode(t, `{"n": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	events, err := whole.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(events); n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			kept := &cut{left: n}
			_, err := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r")).
				Run(t.Context(), g, decode(t, `{"n": 3}`))
			if !errors.Is(err, errCrash) {
				t.Fatalf("the cut run ended with %v", err)
			}
			kept.left = -1
			resumeEqual(t, g, kept, want)
		})
	}
}

// always says of every tool that it may be called twice.
func always(string, string, config.Effect) bool { return true }

func resumeEqual(t *testing.T, g *graph.Graph, kept *cut, want *execution.Result) {
	t.Helper()
	before, err := kept.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	counting := callerFunc(func(_ context.Context, _, _ string, args value.Value) (value.Value, error) {
		calls++
		return args, nil
	})
	got, err := execution.New(counting, execution.WithJournal(kept), execution.WithRepeatable(always)).Resume(t.Context(), g, throughJSON(t, before))
	if err != nil {
		t.Fatal(err)
	}
	if encode(t, got.Value) != encode(t, want.Value) {
		t.Errorf("got %s, want %s", encode(t, got.Value), encode(t, want.Value))
	}
	steps := got.History()
	if len(steps) != len(want.History()) {
		t.Fatalf("%d records, want %d", len(steps), len(want.History()))
	}
	recorded := 0
	for i, r := range want.History() {
		if steps[i].NodeID != r.NodeID || encode(t, steps[i].Output) != encode(t, r.Output) {
			t.Errorf("record %d differs", i)
		}
		if r.NodeType == "mcp" {
			recorded++
		}
	}
	for _, e := range before {
		if e.Record != nil && e.Record.NodeType == "mcp" {
			recorded--
		}
	}
	if calls != recorded {
		t.Errorf("%d calls after the cut, want %d", calls, recorded)
	}
}

// throughJSON gives events the way that a journal on disk would.
func throughJSON(t *testing.T, events []execution.Event) []execution.Event {
	t.Helper()
	out := make([]execution.Event, len(events))
	for i, e := range events {
		src, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(src, &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestResumeRefusesChangedGraph(t *testing.T) {
	kept := &journal.Memory{}
	engine := execution.New(echo, execution.WithJournal(kept), execution.WithRunID("r"))
	if _, err := engine.Run(t.Context(), build(t, mixed), decode(t, `{"n": 3}`)); err != nil {
		t.Fatal(err)
	}
	events, _ := kept.Load(t.Context(), "r")
	if _, err := execution.New(echo).Resume(t.Context(), build(t, sumLoop), events); err == nil {
		t.Error("a run of another graph was resumed")
	}
	again, err := execution.New(echo).Resume(t.Context(), build(t, mixed), events)
	if err != nil || encode(t, again.Value) == "null" {
		t.Errorf("an ended run gave %v, %v", again, err)
	}
}
