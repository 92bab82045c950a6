package execution_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// hanging is a server whose calls hang until they are cancelled, but for those that fail after a while.
type hanging struct{ begun, ended atomic.Int64 }

func (h *hanging) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	x, _ := c.Args.(value.Object).Get("x")
	if x == "fails" {
		time.Sleep(time.Second)
		return nil, errors.New("no luck")
	}
	h.begun.Add(1)
	<-ctx.Done()
	h.ended.Add(1)
	return nil, ctx.Err()
}

// cancelled has runs that end while calls are in flight, and what their failures say about those that may have
// changed something.
var cancelled = map[string]struct{ steps, want, names string }{
	"items that write": {
		`steps: [{id: a, each: '["", "fails", ""]', maxParallel: 3, call: up.save, args: {x: {expr: $item}}}]`,
		`item 1 ("fails") of step "a" of tool "tool": no luck; 2 calls were cancelled, and their outcomes are unknown: up.save at step 1.a.0, up.save at step 1.a.2; check the server`,
		"1.a.0",
	},
	"items of blocks": {
		`steps: [{id: a, each: '["", "fails"]', as: x, maxParallel: 2, steps: [{id: b, call: up.get, args: {x: fails}, onError: skip}, {id: c, call: up.save, args: {x: {expr: $x}}}]}]`,
		`step "a.c" at a.1.c of tool "tool": no luck; the call to up.save at step 1.a.0.c was cancelled, and its outcome is unknown; check the server`,
		"1.a.0.c",
	},
	"more than are named": {
		`steps: [{id: a, each: '[1..9, "fails"]', maxParallel: 10, call: up.save, args: {x: {expr: $item}}}]`,
		`9 calls were cancelled, and their outcomes are unknown: up.save at step 1.a.0, up.save at step 1.a.1, up.save at step 1.a.2 and 6 more; check the server`,
		"1.a.0",
	},
	"a failure that onError took": {
		`steps: [{id: a, onError: skip, steps: [{id: b, each: '["", "fails"]', maxParallel: 2, call: up.save, args: {x: {expr: $item}}}]}, {id: c, call: up.get, args: {x: fails}}]`,
		`step "c" of tool "tool": no luck; the call to up.save at step 1.a.b.0 was cancelled, and its outcome is unknown; check the server`,
		"1.a.b.0",
	},
	"reads": {
		`steps: [{id: a, each: '["", "fails", ""]', call: up.get, args: {x: {expr: $item}}}]`,
		`item 1 ("fails") of step "a" of tool "tool": no luck`,
		"",
	},
	"a tool that is called": {
		`steps: [{id: a, each: '["", "fails"]', maxParallel: 2, call: one, args: {x: {expr: $item}}}]`,
		`no luck; the call to up.save at step 1.a.0/1 was cancelled, and its outcome is unknown; check the server`,
		"1.a.0/1",
	},
	"the time of the run": {
		"executionLimits: {maxExecutionTimeMs: 100}\nsteps: [{id: a, call: up.save, args: {x: 1}}]",
		`it ended while this node waited for its server; the call to up.save at step 1.a was cancelled, and its outcome is unknown; check the server`,
		"1.a",
	},
}

// saves is a tool of nodes that runs of steps call.
const saves = `
- name: one
  description: one
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: save}
  - {id: save, type: mcp, server: up, tool: save, args: {x: {expr: $.entry.x}}, next: exit}
  - {id: exit, type: exit}
`

// A call that may change something and is cancelled, since another step fails or the run ends, has an unknown outcome:
// the failure of the run names it. So does that of a run whose process died between the two.
func TestFailureNamesCancelledWrites(t *testing.T) {
	for name, test := range cancelled {
		t.Run(name, func(t *testing.T) {
			g := build(t, "tools:\n- name: tool\n  description: a tool\n  inputSchema: {type: object}\n"+indent(test.steps)+saves)
			safe := execution.WithRepeatable(func(_, tool string, _ config.Effect) bool { return tool == "get" })
			synctest.Test(t, func(t *testing.T) {
				server, events := &hanging{}, &kept{}
				_, err := execution.New(server).Run(t.Context(), g, decode(t, `{}`), reading, execution.WithJournal(events))
				if err == nil || !strings.Contains(err.Error(), test.want) || test.names == "" && strings.Contains(err.Error(), "cancelled") {
					t.Fatalf("%v, want %s", err, test.want)
				}
				if server.begun.Load() != server.ended.Load() {
					t.Errorf("%d calls began, %d were cancelled", server.begun.Load(), server.ended.Load())
				}
				failed := 0 // events until the failure of a part is recorded
				for i, e := range events.all {
					if e.Record != nil && e.Record.Error != nil && e.Record.Part != "" && failed == 0 {
						failed = i + 1
					}
				}
				for cut := failed; cut < len(events.all) && failed > 0; cut++ {
					_, again := execution.New(server).Resume(t.Context(), g, jsonEvents(t, events.all[:cut]), reading, safe)
					if again == nil || !strings.Contains(again.Error(), test.names) {
						t.Errorf("resumed after event %d: %v, before %v", cut, again, err)
					}
				}
			})
		})
	}
}

// A call that waits for a place is not in flight: it is not recorded as begun, and not named as cancelled.
func TestCallsThatWaitForAPlaceHaveNotBegun(t *testing.T) {
	g := stepsOf(t, `steps: [{id: a, each: '$append(["fails"], [1..200])', maxParallel: 201, call: up.save, args: {x: {expr: $item}}}]`)
	synctest.Test(t, func(t *testing.T) {
		server, events := &hanging{}, &kept{}
		_, err := execution.New(server).Run(t.Context(), g, decode(t, `{}`), reading, execution.WithJournal(events))
		started := 0
		for _, e := range events.all {
			if e.Kind == execution.CallStarted {
				started++
			}
		}
		sent := server.begun.Load() // one more may take the place of the call that fails, before its failure is known
		if started != int(sent)+1 || sent < 63 || sent > 64 {
			t.Errorf("%d calls are recorded as begun, %d were sent beside the one that fails; want 64 and 63, or one more", started, sent)
		}
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d calls were cancelled", sent)) {
			t.Errorf("%v", err)
		}
	})
}
