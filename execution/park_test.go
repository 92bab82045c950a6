package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/call"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// parks is how the tests park: after a second, runs that wait for 10 s or more.
var parks = execution.Parking{After: time.Second, Least: 10 * time.Second}

// attempt makes an attempt of the run r, which is resumed when it has begun, and returns what it waits for: as from a
// store. The rest is that of the attempt before.
func attempt(t *testing.T, g *graph.Graph, kept execution.Journal, caller execution.ToolCaller, rest *execution.Rest, opts ...execution.Option) (*execution.Result, *execution.Rest, error) {
	t.Helper()
	engine := execution.New(caller, append([]execution.Option{execution.WithParking(&parks), execution.WithJournal(kept), execution.WithRunID("r"), execution.WithRest(rest)}, opts...)...)
	events, err := kept.Load(t.Context(), "r")
	var result *execution.Result
	if err != nil || len(events) == 0 {
		result, err = engine.Run(t.Context(), g, decode(t, `{"n": 3}`))
	} else {
		result, err = engine.Resume(t.Context(), g, throughJSON(t, events))
	}
	var parked *execution.Parked
	if !errors.As(err, &parked) {
		return result, nil, err
	}
	if !errors.Is(err, execution.ErrSuspended) {
		t.Error("a parked run is not a suspended one")
	}
	text, err := json.Marshal(parked.Rest)
	if err != nil {
		t.Fatal(err)
	}
	next := &execution.Rest{}
	if err := json.Unmarshal(text, next); err != nil {
		t.Fatal(err)
	}
	return result, next, nil
}

const slowly = `
- {id: entry, type: entry, next: look}
- id: look
  type: mcp
  server: up
  tool: look
  effect: read
  args: {n: {expr: $.entry.n}}
  retry: {attempts: 5, delayMs: 60000, maxDelayMs: 60000, backoff: 1, until: '$result >= 3'}
  next: exit
- {id: exit, type: exit}
`

// counter answers calls with their number.
type counter struct{ n int }

func (c *counter) CallTool(context.Context, execution.Call) (value.Value, error) {
	c.n++
	return float64(c.n), nil
}

// A run that waits for its next attempt is parked, and each attempt of it is made at its time, once, in each process. One
// that is resumed too early waits for what is left.
func TestDelayIsParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kept, calls := build(t, slowly), &cut{left: -1}, &counter{}
		var rest *execution.Rest
		for n := 1; n <= 2; n++ {
			began := time.Now()
			_, next, err := attempt(t, g, kept, calls, rest)
			if err != nil || next == nil || calls.n != n || time.Since(began) != time.Second {
				t.Fatalf("attempt %d: %+v, %v, %d calls, after %v", n, next, err, calls.n, time.Since(began))
			}
			left := time.Until(next.Due)
			if left < 29*time.Second || left > 59*time.Second {
				t.Fatalf("it is due in %v", left)
			}
			time.Sleep(left / 2) // an earlier program resumes it as soon as it sees it
			_, early, err := attempt(t, g, kept, calls, next)
			if err != nil || calls.n != n || !early.Due.Equal(next.Due) {
				t.Fatalf("resumed early: due at %+v, before %v; %v, %d calls", early, next.Due, err, calls.n)
			}
			time.Sleep(time.Until(early.Due))
			rest = early
		}
		began := time.Now()
		result, again, err := attempt(t, g, kept, calls, rest)
		if err != nil || again != nil || result.Value == nil || calls.n != 3 || time.Since(began) != 0 {
			t.Errorf("%+v, %+v, %v, %d calls, after %v", result, again, err, calls.n, time.Since(began))
		}
	})
}

// The turns of a step that is repeated are counted over all attempts, and its delay goes on while the run is parked.
func TestRepeatIsParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kept, calls := build(t, `tools:
- name: tool
  description: a tool
  inputSchema: {type: object}
  steps:
  - {id: look, call: up.look, repeat: {until: "$result >= 9", times: 3, delayMs: 3600000}}
executionLimits: {maxExecutionTimeMs: 36000000}
`), &cut{left: -1}, &counter{}
		var rest *execution.Rest
		for n := 1; n <= 2; n++ {
			_, next, err := attempt(t, g, kept, calls, rest)
			if err != nil || next == nil || calls.n != n {
				t.Fatalf("turn %d: %+v, %v, %d calls", n, next, err, calls.n)
			}
			if left := time.Until(next.Due); left != time.Hour-time.Second {
				t.Fatalf("it is due in %v", left)
			}
			time.Sleep(time.Until(next.Due))
			rest = next
		}
		if _, next, err := attempt(t, g, kept, calls, rest); err == nil || !strings.Contains(err.Error(), "did not hold in 3 turns") || next != nil || calls.n != 3 {
			t.Errorf("%+v, %v, %d calls", next, err, calls.n)
		}
	})
}

// The time limit of a run goes on while it is parked for a time, stands still while it is parked for an answer, and ends a run at its
// time.
func TestLimitOfParkedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kept, calls := build(t, "executionLimits: {maxExecutionTimeMs: 45000}\n"+inFile("{}", strings.ReplaceAll(slowly, "60000", "300000"))), &cut{left: -1}, &counter{}
		_, rest, err := attempt(t, g, kept, calls, nil)
		if err != nil || time.Until(rest.Due) != 44*time.Second {
			t.Fatalf("%+v, %v", rest, err)
		}
		time.Sleep(44 * time.Second)
		if _, rest, err = attempt(t, g, kept, calls, rest); err == nil || rest != nil || !strings.Contains(err.Error(), "maxExecutionTimeMs is 45000") || calls.n != 1 {
			t.Errorf("%+v, %v, %d calls", rest, err, calls.n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		g, kept := build(t, "executionLimits: {maxExecutionTimeMs: 3000}\n"+inFile("{}", strings.ReplaceAll(asking, "5000", "50000"))), &cut{left: -1}
		_, rest, err := attempt(t, g, kept, echo, nil, execution.WithUser(answers(never)))
		if err != nil || time.Until(rest.Due) != 49*time.Second { // of the question
			t.Fatalf("%+v, %v", rest, err)
		}
		time.Sleep(20 * time.Second)
		_, again, err := attempt(t, g, kept, echo, rest, execution.WithUser(answers(never)))
		if err != nil || again == nil || !again.Due.Equal(rest.Due) {
			t.Fatalf("%+v, %v", again, err)
		}
		result, again, err := attempt(t, g, kept, echo, rest, execution.WithUser(answers(fillsIn(t, `{"keepNewest": true}`))))
		if err != nil || again != nil || encode(t, result.Value) != `{"keepNewest":true}` {
			t.Errorf("%+v, %+v, %v", result, again, err)
		}
	})
}

// A question of a parked run is over at its time, however often the run is resumed meanwhile.
func TestQuestionOfParkedRunTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kept := build(t, strings.ReplaceAll(asking, "5000", "50000")), &cut{left: -1}
		began := time.Now()
		var rest *execution.Rest
		for range 3 {
			_, next, err := attempt(t, g, kept, echo, rest, execution.WithUser(answers(never)))
			if err != nil || next == nil || next.Due.Sub(began) != 50*time.Second {
				t.Fatalf("%+v, %v", next, err)
			}
			rest = next
			time.Sleep(10 * time.Second)
		}
		time.Sleep(time.Until(rest.Due))
		_, next, err := attempt(t, g, kept, echo, rest, execution.WithUser(answers(never)))
		if err == nil || !strings.Contains(err.Error(), "did not answer within 50s") || next != nil {
			t.Errorf("%+v, %v", next, err)
		}
	})
}

const beside = `
- {id: entry, type: entry, next: both}
- id: both
  type: parallel
  branches:
    slow: {type: mcp, server: up, tool: slow, args: {}, timeoutMs: 600000}
    paid: {type: mcp, server: up, tool: pay, confirm: true, args: {}}
  next: exit
- {id: exit, type: exit}
`

// taskCaller answers slow with a task that ends with a channel, and other calls at once.
type taskCaller struct {
	ends   chan struct{}
	busy   chan struct{} // closed when slow has come
	waits  bool          // slow is answered with a task, else it takes its time
	called map[string]int
	until  time.Time
}

func (c *taskCaller) CallTool(ctx context.Context, of execution.Call) (value.Value, error) {
	if of.Tool != "slow" {
		c.called[of.Tool]++
		return 1.0, nil
	}
	if of.Task == "" {
		c.called["slow"]++
		close(c.busy)
		if c.waits {
			call.TaskBegun(ctx, "t-1")
		}
	}
	back := func() {}
	if c.waits {
		now := time.Now()
		left := of.Timeout
		if of.Task != "" {
			left = call.TaskLeft(ctx, of.Timeout)
		}
		c.until = now.Add(left)
		back = call.TaskWaits(ctx, now.Add(15*time.Second), c.until)
	}
	defer back()
	select {
	case <-c.ends:
		return 2.0, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A run is parked when all its parts wait, and not while a call of one is in flight. The question and the task go on with their times.
func TestPartsAreParked(t *testing.T) {
	for _, waits := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g, kept := build(t, beside), &cut{left: -1}
			c := &taskCaller{ends: make(chan struct{}), busy: make(chan struct{}), waits: waits, called: map[string]int{}}
			began := time.Now()
			if !waits {
				time.AfterFunc(100*time.Second, func() { close(c.ends) })
			}
			_, rest, err := attempt(t, g, kept, c, nil, execution.WithUser(answers(never)))
			after := 101 * time.Second
			if waits {
				after = time.Second
			}
			if err != nil || rest == nil || time.Since(began) != after {
				t.Fatalf("%+v, %v after %v", rest, err, time.Since(began))
			}
			if !waits { // the call was answered, and is not made again
				result, _, err := attempt(t, g, kept, c, rest, execution.WithUser(answers(does(execution.Accept))))
				if err != nil || c.called["slow"] != 1 || encode(t, result.Value) != `{"slow":2,"paid":1}` {
					t.Errorf("%+v, %v, %v", result, err, c.called)
				}
				return
			}
			if due := rest.Due.Sub(began); due != 15*time.Second || rest.Until["1.slow"].Sub(began) != 600*time.Second {
				t.Errorf("due after %v, %+v", due, rest)
			}
			time.Sleep(time.Until(rest.Due))
			_, rest, err = attempt(t, g, kept, c, rest, execution.WithUser(answers(does(execution.Accept))))
			if err != nil || rest == nil || c.called["pay"] != 1 || c.until.Sub(began) != 600*time.Second {
				t.Fatalf("%+v, %v, %v, until %v", rest, err, c.called, c.until.Sub(began))
			}
			close(c.ends)
			result, _, err := attempt(t, g, kept, c, rest)
			if err != nil || c.called["slow"] != 1 || c.called["pay"] != 1 || encode(t, result.Value) != `{"slow":2,"paid":1}` {
				t.Errorf("%+v, %v, %v", result, err, c.called)
			}
		})
	}
}

// waitingGate lets steps pass, as a debugger does that looks on.
type waitingGate struct{}

func (waitingGate) Wait(context.Context, execution.Event) ([]execution.Edit, error) { return nil, nil }

// What a person steps through, what nothing records, what may not be parked, and what waits for a moment stays in its process.
func TestNotParked(t *testing.T) {
	refuses := parks
	asked := 0
	refuses.May = func(string) bool { asked++; return false }
	for name, test := range map[string]struct {
		delay string
		opts  []execution.Option
	}{
		"gate":       {"60000", []execution.Option{execution.WithGate(waitingGate{})}},
		"no journal": {"60000", []execution.Option{execution.WithJournal(nil)}},
		"no parking": {"60000", []execution.Option{execution.WithParking(nil)}},
		"may not":    {"60000", []execution.Option{execution.WithParking(&refuses)}},
		"short":      {"9000", nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			g, calls := build(t, strings.ReplaceAll(slowly, "60000", test.delay)), &counter{}
			result, rest, err := attempt(t, g, &cut{left: -1}, calls, nil, test.opts...)
			if err != nil || rest != nil || result.Value == nil || calls.n != 3 {
				t.Errorf("%s: %+v, %+v, %v, %d calls", name, result, rest, err, calls.n)
			}
		})
	}
	if asked < 2 {
		t.Errorf("it was asked %d times whether it may", asked)
	}
}

// An observer of a run learns that nothing more of it happens here.
func TestParkedIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last execution.EventKind
		var recorded journal.Memory
		_, rest, err := attempt(t, build(t, slowly), &recorded, &counter{}, nil, execution.WithObserver(execution.ObserverFunc(func(e execution.Event) { last = e.Kind })))
		events, _ := recorded.Load(t.Context(), "r")
		if err != nil || rest == nil || last != execution.RunSuspended || events[len(events)-1].Kind != execution.AttemptFailed {
			t.Errorf("%+v, %v, the last event is %s", rest, err, last)
		}
	})
}

// An answer that comes in the moment in which the run is parked is recorded, and the run is due at once.
func TestAnswerWhileParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, kept := build(t, strings.ReplaceAll(asking, "5000", "50000")), &cut{left: -1}
		late := answers(func(ctx context.Context, _ execution.Question) (execution.Answer, error) {
			<-ctx.Done()
			return execution.Answer{Action: execution.Accept, Content: decode(t, `{"keepNewest": true}`)}, nil
		})
		_, rest, err := attempt(t, g, kept, echo, nil, execution.WithUser(late))
		if err != nil || rest == nil || !rest.Due.Equal(rest.At) || len(rest.Until) != 0 {
			t.Fatalf("%+v, %v", rest, err)
		}
		result, rest, err := attempt(t, g, kept, echo, rest, execution.WithUser(late))
		if err != nil || rest != nil || len(late.asked) != 1 || encode(t, result.Value) != `{"keepNewest":true}` {
			t.Errorf("%+v, %+v, %v, asked %d times", result, rest, err, len(late.asked))
		}
	})
}
