package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// calling picks the answer of a call before all others, then goes on in order, without the calls
// that never have an answer.
func calling(at execution.Address, never ...execution.Address) policy {
	return func(pending []*operation) *operation {
		var next *operation
		for _, o := range pending {
			switch {
			case o.call != nil && o.at() == at:
				return o
			case o.call != nil && contains(never, o.at()):
			case next == nil && o.call == nil:
				next = o // writes first, so that as much as can be is in flight
			}
		}
		if next == nil && len(never) == 0 {
			return inOrder(pending)
		}
		return next
	}
}

func contains(all []execution.Address, at execution.Address) bool {
	for _, a := range all {
		if a == at {
			return true
		}
	}
	return false
}

// thirdFails answers with the arguments, but item 3 fails.
func thirdFails(c *execution.Call) (value.Value, error) {
	if c.Part == "3" || strings.HasPrefix(string(c.Frame), "1.3") {
		return nil, &upstreamError{code: config.FailToolError, text: "item three is lost"}
	}
	return c.Args, nil
}

// allInFlight releases writes first; then the failing call is answered.
func allInFlight(failing execution.Address) policy {
	return func(pending []*operation) *operation {
		for _, o := range pending {
			if exceptCalls(pending) == nil && o.at() == failing {
				return o
			}
		}
		return writesFirst(pending)
	}
}

// Item 3 of 100 fails while 7 are in flight: the 7 are cancelled upstream, none begins, and the
// failure is that of item 3. Killed at any event of it and resumed, it is the same.
func TestF06ItemFails(t *testing.T) {
	const body = "server: up, tool: TOOL, forEach: {items: '[1..100]', maxParallel: 8}, args: {x: {expr: $item}}, next: exit}\n- {id: exit, type: exit}\n"
	inner := `
- name: main
  description: made
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: graph, tool: inner, forEach: {items: '[1..100]', maxParallel: 8}, args: {x: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
`
	for name, c := range map[string]struct {
		tools string
		at    execution.Address
		safe  bool
	}{
		"calls":         {"- {id: entry, type: entry, next: each}\n- {id: each, type: mcp, " + strings.Replace(body, "TOOL", "read", 1), "1.3", false},
		"safe calls":    {"- {id: entry, type: entry, next: each}\n- {id: each, type: mcp, " + strings.Replace(body, "TOOL", "read_safe", 1), "1.3", true},
		"graphs":        {inner + strings.TrimLeft(fmt.Sprintf(hidden, "read"), "\n"), "1.3/1", false},
		"safe in graph": {inner + strings.TrimLeft(fmt.Sprintf(hidden, "read_safe"), "\n"), "1.3/1", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := file(t, "", c.tools, thirdFails)
			synctest.Test(t, func(t *testing.T) {
				ref, l := newWorld(s, 0), &life{}
				p := ref.process()
				p.live(t.Context(), l, ref.starting(p, nil, execution.Resolution{}), allInFlight(c.at))
				ref.clean(t)
				isThird(t, l.err)
				cancelled := 0
				for _, entries := range ref.ledger {
					for _, e := range entries {
						if e.cancelled {
							cancelled++
						}
					}
				}
				if calls := ref.calls(nil); calls != 8 || cancelled != 7 {
					t.Errorf("%d calls and %d cancelled, want 8 and 7", calls, cancelled)
				}
				for n := 1; n < len(ref.events); n++ {
					w := ref.from(n, n%2 == 0)
					before, recorded := w.calls(nil), records(w.events)["1.3"] != nil
					st := w.resumed(t)
					isThird(t, st.err)
					if calls := w.calls(nil) - before; recorded && calls > 0 {
						t.Errorf("cut after event %d: %d calls after the failure was recorded", n, calls)
					}
				}
			})
		})
	}
}

// isThird checks that the failure is that of item 3.
func isThird(t *testing.T, err error) {
	t.Helper()
	if f := failureIn(t, err); !strings.HasPrefix(f.Message, "item three is lost") || !strings.Contains(err.Error(), `item 3 (4) of node "each"`) {
		t.Errorf("the run ended with %v", err)
	}
}

const twoBranches = `
- {id: entry, type: entry, next: facts}
- {id: facts, type: parallel, branches: {weather: {type: mcp, server: up, tool: sky}, news: {type: mcp, server: up, tool: press}}, next: exit}
- {id: exit, type: exit}
`

// A panic in one branch ends the run as internal, with the name of the branch, and cancels the
// other one; the process lives, and other runs too.
func TestF09PanicInABranch(t *testing.T) {
	s := file(t, "", twoBranches, nil)
	synctest.Test(t, func(t *testing.T) {
		cancelled := 0
		started := make(chan struct{})
		caller := execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
			switch {
			case c.Run == "well":
				return c.Server, nil
			case c.Part == "weather":
				<-started
				panic("the token is hunter2")
			}
			close(started)
			<-ctx.Done()
			cancelled++
			return nil, ctx.Err()
		})
		engine := execution.New(caller)
		for _, run := range []string{"ill", "well"} {
			result, err := engine.Run(t.Context(), s.graph, s.args, execution.WithRunID(run))
			if run == "well" {
				if err != nil || text(result.Value) != `{"weather":"up","news":"up"}` {
					t.Errorf("the other run ended with %v, %v", result, err)
				}
				continue
			}
			f := failureIn(t, err)
			if f.Code != execution.CodeInternal || !strings.Contains(err.Error(), "weather") || strings.Contains(err.Error(), "hunter2") || cancelled != 1 {
				t.Errorf("the run ended with %s: %v; %d calls were cancelled", f.Code, err, cancelled)
			}
			var fault *execution.PanicError
			if !errors.As(err, &fault) {
				t.Error("the panic is lost")
			}
		}
	})
}

// One branch never answers and the other fails: the run ends with the failure at once, and the
// call that hangs is cancelled upstream.
func TestF10BranchThatHangs(t *testing.T) {
	s := file(t, "", twoBranches, fails(config.FailToolError))
	synctest.Test(t, func(t *testing.T) {
		w, l := newWorld(s, 0), &life{}
		p := w.process()
		start := time.Now()
		p.live(t.Context(), l, w.starting(p, nil, execution.Resolution{}), calling("1.news", "1.weather"))
		w.clean(t)
		f := failureIn(t, l.err)
		if f.Message != "no answer; the call to up.sky at step 1.weather was cancelled, and its outcome is unknown; check the server" || !strings.Contains(l.err.Error(), `branch "news" of node "facts"`) {
			t.Errorf("the run ended with %v", l.err)
		}
		if hangs := w.ledger["1.weather"]; len(hangs) != 1 || !hangs[0].cancelled || time.Since(start) != 0 {
			t.Errorf("the call that hangs was not cancelled at once: %+v after %v", hangs, time.Since(start))
		}
		if records(w.events)["1.weather"] != nil {
			t.Error("the branch that was cancelled has a record")
		}
	})
}
