package simulation

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// fails answers each call with an error.
func fails(code config.FailureCode) func(*execution.Call) (value.Value, error) {
	return func(*execution.Call) (value.Value, error) { return nil, &upstreamError{code: code, text: "no answer"} }
}

// A tool that always fails, attempts: 10, in a loop: never more calls for one execution than
// attempts, and the loop ends at maxCalls or maxNodeExecutions.
func TestF01AttemptsInALoop(t *testing.T) {
	for limit, calls := range map[string]int{"maxCalls: 25": 25, "maxNodeExecutions: 12": 60} {
		t.Run(limit, func(t *testing.T) {
			s := file(t, limit, `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: bad, retry: {attempts: 10, delayMs: 1, codes: [tool-error]}, onError: {}, next: again}
- {id: again, type: switch, conditions: [{rule: {"==": [{var: $.entry.n}, 0]}, next: exit}], next: call}
- {id: exit, type: exit}
`, fails(config.FailToolError))
			synctest.Test(t, func(t *testing.T) {
				w, l := s.reference(t.Context())
				w.clean(t)
				f := failureIn(t, l.err)
				name, _, _ := strings.Cut(limit, ":")
				if f.Code != execution.CodeLimit || !strings.Contains(f.Message, name) {
					t.Errorf("the run ended with %s: %s", f.Code, f.Message)
				}
				if n := w.calls(nil); n != calls {
					t.Errorf("%d calls, want %d", n, calls)
				}
				for at, entries := range w.ledger {
					if len(entries) > 10 {
						t.Errorf("%d calls of execution %s", len(entries), at)
					}
				}
			})
		})
	}
}

// A tool that is not known to be safe to repeat and does not answer in time is called once, and
// the message says why and what allows more.
func TestF02NotRepeatedByDefault(t *testing.T) {
	for field, calls := range map[string]int{
		"": 1, "effect: read, ": 3, "onCrash: rerun, ": 3, "onCrash: stop, effect: read, ": 1,
	} {
		t.Run(field, func(t *testing.T) {
			s := file(t, "", `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, `+field+`server: up, tool: pay, retry: {}, next: exit}
- {id: exit, type: exit}
`, fails(config.FailTimeout))
			synctest.Test(t, func(t *testing.T) {
				w, l := s.reference(t.Context())
				w.clean(t)
				if n := w.calls(nil); n != calls {
					t.Errorf("%d calls, want %d", n, calls)
				}
				message := failureIn(t, l.err).Message
				if calls == 1 {
					for _, want := range []string{"not repeated", "pay", "effect: read", "retry.codes"} {
						if !strings.Contains(message, want) {
							t.Errorf("%q does not say %q", message, want)
						}
					}
				} else if !strings.Contains(message, "3 attempts") {
					t.Errorf("%q does not count the attempts", message)
				}
			})
		})
	}
}

// A run that is killed between attempts 2 and 3 makes attempt 3 when it is resumed, with the key
// of an attempt after an answer, or of one after an unknown outcome; its record has all three.
func TestF03KilledBetweenAttempts(t *testing.T) {
	for code, key := range map[config.FailureCode]string{
		config.FailToolError: "run/1#3", config.FailRPCError: "run/1#3", config.FailTimeout: "run/1", config.FailTransport: "run/1", config.FailServerExited: "run/1",
	} {
		t.Run(string(code), func(t *testing.T) {
			s := file(t, "", fmt.Sprintf(`
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: pay, retry: {codes: [%s]}, next: exit}
- {id: exit, type: exit}
`, code), func(c *execution.Call) (value.Value, error) {
				if attemptOf(c.Attempt) < 3 {
					return fails(code)(c)
				}
				return "paid", nil
			})
			synctest.Test(t, func(t *testing.T) {
				ref, _ := s.reference(t.Context())
				ref.clean(t)
				w := ref.from(ref.after(t, execution.AttemptFailed, 2), true)
				before := w.calls(nil)
				st := w.resumed(t)
				made := w.ledger["1"]
				if st.value != `"paid"` || w.calls(nil) != before+1 {
					t.Fatalf("the run has %s, %v after %d more calls", st.value, st.err, w.calls(nil)-before)
				}
				last := made[len(made)-1].call
				if got := last.Meta["toolgraph/idempotencyKey"]; attemptOf(last.Attempt) != 3 || got != key {
					t.Errorf("attempt %d with the key %v, want 3 with %s", last.Attempt, got, key)
				}
				if r := records(w.events)["1"]; len(r.Attempts) != 2 || r.Attempts[1].Error.Detail != string(code) {
					t.Errorf("the record has the attempts %+v", r.Attempts)
				}
			})
		})
	}
}

// after returns how many events a journal has up to the nth of a kind.
func (w *world) after(t testing.TB, kind execution.EventKind, n int) int {
	t.Helper()
	for i := range w.events {
		if w.events[i].Kind == kind {
			if n--; n == 0 {
				return i + 1
			}
		}
	}
	t.Fatalf("the journal has no such %s", kind)
	return 0
}

// A limit and a cancellation end the run; onError is not asked, and nothing is called any more.
func TestF04LimitsAndCancellationsAreNotCaught(t *testing.T) {
	const nodes = `
- {id: entry, type: entry, next: call}
- {id: call, type: mcp, server: up, tool: first, onError: {}, retry: {codes: [timeout, tool-error, transport]}, next: after}
- {id: after, type: mcp, server: up, tool: second, onError: {}, next: exit}
- {id: exit, type: exit}
`
	big := func(*execution.Call) (value.Value, error) { return strings.Repeat("x", 1000), nil }
	for _, c := range []struct {
		name, limits string
		answer       func(*execution.Call) (value.Value, error)
		pick         policy
		cancel       int // after so many operations
		code         execution.Code
		calls        int
	}{
		{"maxNodeOutputBytes", "maxNodeOutputBytes: 100", big, inOrder, 0, execution.CodeLimit, 1},
		{"maxHistoryBytes", "maxHistoryBytes: 1500", big, inOrder, 0, execution.CodeLimit, 2},
		{"maxNodeExecutions", "maxNodeExecutions: 2", big, inOrder, 0, execution.CodeLimit, 1},
		{"maxCalls", "maxCalls: 1", big, inOrder, 0, execution.CodeLimit, 1},
		{"maxCalls in an attempt", "maxCalls: 2", fails(config.FailToolError), inOrder, 0, execution.CodeLimit, 2},
		{"maxExecutionTimeMs", "maxExecutionTimeMs: 1000", big, exceptCalls, 0, execution.CodeLimit, 1},
		{"maxExecutionTimeMs in a wait", "maxExecutionTimeMs: 400", fails(config.FailToolError), inOrder, 0, execution.CodeLimit, 0},
		{"cancelled", "", big, inOrder, 3, execution.CodeCancelled, 1},
		{"cancelled in a wait", "", fails(config.FailToolError), inOrder, 5, execution.CodeCancelled, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := file(t, c.limits, nodes, c.answer)
			synctest.Test(t, func(t *testing.T) {
				w, l := newWorld(s, 0), &life{}
				if c.cancel > 0 {
					l.kind, l.after = cancelling, c.cancel
				}
				p := w.process()
				p.live(t.Context(), l, w.starting(p, nil, execution.Resolution{}), c.pick)
				w.clean(t)
				f := failureIn(t, l.err)
				if f.Code != c.code {
					t.Errorf("the run ended with %s: %s", f.Code, f.Message)
				}
				if n := w.calls(nil); n != c.calls && c.calls > 0 {
					t.Errorf("%d calls, want %d", n, c.calls)
				}
				for at, r := range records(w.events) {
					if r.Handled != nil && (r.Handled.Code == execution.CodeLimit || r.Handled.Code == execution.CodeCancelled) {
						t.Errorf("onError took %s of %s", r.Handled.Code, at)
					}
				}
			})
		})
	}
}

const polling = `
- {id: entry, type: entry, next: poll}
- {id: poll, type: mcp, server: up, tool: status, retry: {until: '$result.status = "done"', attempts: 4, delayMs: 10000}, HANDLER next: exit}
- {id: exit, type: exit}
`

// busy is the answer of a job that is never done.
func busy(c *execution.Call) (value.Value, error) {
	return value.Decode(fmt.Appendf(nil, `{"status":"busy","n":%d}`, attemptOf(c.Attempt)))
}

// A poll whose until never holds fails with not-yet and the last value, which onError can read.
func TestF04aPollGivesUp(t *testing.T) {
	for handler, want := range map[string]string{
		"": "", "onError: {codes: [not-yet], value: {last: {expr: $failure.result}, code: {expr: $failure.code}}},": `{"last":{"status":"busy","n":4},"code":"not-yet"}`,
	} {
		s := file(t, "", strings.ReplaceAll(polling, "HANDLER", handler), busy)
		synctest.Test(t, func(t *testing.T) {
			w, l := s.reference(t.Context())
			w.clean(t)
			if w.calls(nil) != 4 {
				t.Errorf("%d calls, want 4", w.calls(nil))
			}
			if want != "" {
				if l.err != nil || text(l.result.Value) != want {
					t.Errorf("got %v, %v", l.result, l.err)
				}
				return
			}
			if f := failureIn(t, l.err); f.Detail != string(config.FailNotYet) || !strings.Contains(string(f.Result), `"n":4`) {
				t.Errorf("the run ended with %+v", f)
			}
		})
	}
}

// A poll that is killed while it waits goes on with the next attempt after what is left of the
// wait; one that is cancelled while it waits ends at once.
func TestF04aKilledWhileWaiting(t *testing.T) {
	s := file(t, "", strings.ReplaceAll(polling, "HANDLER", ""), busy)
	synctest.Test(t, func(t *testing.T) {
		ref, _ := s.reference(t.Context())
		ref.clean(t)
		n := ref.after(t, execution.AttemptFailed, 2)
		w := ref.from(n, true)
		// The process died so long ago that half a second of the wait is left.
		failed := &w.events[n-1]
		ended := time.Now().Add(500*time.Millisecond - time.Duration(failed.Retry.WaitMs)*time.Millisecond)
		failed.Retry.End, failed.Time = ended, ended
		start := time.Now()
		var waited time.Duration
		l, p := &life{}, w.process()
		w.resumedFrom()
		p.live(t.Context(), l, w.starting(p, w.loaded(), execution.Resolution{}), func(pending []*operation) *operation {
			if waited == 0 && len(pending) > 0 {
				waited = time.Since(start)
			}
			return inOrder(pending)
		})
		w.clean(t)
		// The scheduler looks once in a tick.
		if waited < 500*time.Millisecond || waited > 500*time.Millisecond+2*tick {
			t.Errorf("attempt 3 began after %v, want 500ms", waited)
		}
		if made := w.calls(p); made != 2 {
			t.Errorf("%d calls after the resume, want 2", made)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w, l := newWorld(s, 0), &life{}
		p := w.process()
		ctx, cancel := context.WithCancel(t.Context())
		waits := 0
		start := time.Now()
		p.live(ctx, l, w.starting(p, nil, execution.Resolution{}), func(pending []*operation) *operation {
			if o := inOrder(pending); o != nil {
				return o
			}
			if waits++; waits == 2 {
				cancel()
			}
			return nil
		})
		w.clean(t)
		if f := failureIn(t, l.err); f.Code != execution.CodeCancelled || w.calls(nil) != 1 || time.Since(start) > 3*tick {
			t.Errorf("%d calls, after %v: %v", w.calls(nil), time.Since(start), l.err)
		}
		cancel()
	})
}

// onError of a transform takes data that its expression cannot digest, and the limits of an
// evaluation, but not those of the run.
func TestF04bTransformThatFails(t *testing.T) {
	for _, c := range []struct{ name, limits, expr, want string }{
		{"data", "", `$number("n/a")`, `{"code":"expression"}`},
		{"raised", "", `$error("no items")`, `{"code":"raised"}`},
		{"a result of 1 GB", "", `$pad("x", 1000000000)`, `{"code":"expression"}`},
		{"an endless expression", "", `($f := function($n) {1 + $f($n + 1)}; $f(1))`, `{"code":"expression"}`},
		{"a result over maxNodeOutputBytes", "maxNodeOutputBytes: 1000", `$pad("x", 2000)`, ""},
		{"more than maxHistoryBytes", "maxHistoryBytes: 1000", `$pad("x", 2000)`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := file(t, c.limits, `
- {id: entry, type: entry, next: work}
- {id: work, type: transform, transform: {expr: '`+c.expr+`'}, onError: {value: {code: {expr: $failure.code}}}, next: exit}
- {id: exit, type: exit}
`, nil)
			synctest.Test(t, func(t *testing.T) {
				w, l := s.reference(t.Context())
				w.clean(t)
				if c.want != "" {
					if l.err != nil || text(l.result.Value) != c.want {
						t.Errorf("got %v, %v", l.result, l.err)
					}
					return
				}
				if f := failureIn(t, l.err); f.Code != execution.CodeLimit {
					t.Errorf("the run ended with %+v", f)
				}
			})
		})
	}
}
