package execution_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// questions asks in every way: with a form, before a call that is attempted twice, before all calls
// of a forEach, in called graphs that run at the same time, and with answers that onError takes.
const questions = `tools:
- name: outer
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: sure}
  - id: sure
    type: ask
    message: {expr: '"Remove " & $.entry.n & " files?"'}
    schema: {type: object, properties: {keepNewest: {type: boolean}}, required: [keepNewest]}
    next: remove
  - {id: remove, type: mcp, server: up, tool: flaky, confirm: true, args: {n: {expr: $.entry.n}}, retry: {codes: [tool-error]}, onCrash: rerun, next: each}
  - {id: each, type: mcp, server: up, tool: remove, confirm: true, forEach: {items: '[1, 2]'}, args: {n: {expr: $item}}, onCrash: rerun, next: graphs}
  - {id: graphs, type: graph, tool: inner, forEach: {items: '[1, 2, 3]', maxParallel: 3}, args: {n: {expr: $item}}, next: exit}
  - {id: exit, type: exit}
- name: inner
  description: d
  inputSchema: {type: object}
  nodes:
  - {id: entry, type: entry, next: really}
  - {id: really, type: ask, message: {expr: '"Really " & $.entry.n & "?"'}, onError: {value: {expr: $failure.message}}, next: exit}
  - {id: exit, type: exit}
`

// person answers by the message, and counts how often each question was put.
type person struct {
	mu    sync.Mutex
	asked map[string]int
}

func (p *person) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[q.Message]++
	switch q.Message {
	case "Really 1?":
		return execution.Answer{Action: execution.Decline}, nil
	case "Really 2?":
		return execution.Answer{}, fmt.Errorf("the host, and its user, cannot be asked: %w", execution.ErrNoUser)
	}
	if q.Form != nil {
		return execution.Answer{Action: execution.Accept, Content: value.NewObject([]string{"keepNewest"}, []value.Value{true})}, nil
	}
	return execution.Answer{Action: execution.Accept}, nil
}

// flaky fails the first call of the tool of that name.
func flaky() execution.ToolCaller {
	failed := false
	return callerFunc(func(_ context.Context, _, tool string, args value.Value) (value.Value, error) {
		if tool == "flaky" && !failed {
			failed = true
			return nil, codedError{}
		}
		return args, nil
	})
}

// dying is a journal whose process dies when a number of events is recorded.
type dying struct {
	execution.Journal
	mu   sync.Mutex
	left int
}

func (d *dying) Append(ctx context.Context, e execution.Event) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left == 0 {
		return errCrash
	}
	d.left--
	return d.Journal.Append(ctx, e)
}

// asksInto runs the graph of questions until the journal dies.
func asksInto(t *testing.T, g *graph.Graph, j execution.Journal) (*execution.Result, error) {
	t.Helper()
	p := &person{asked: map[string]int{}}
	return execution.New(flaky(), execution.WithUser(p), execution.WithJournal(j), execution.WithRunID("R"), noSleep()).
		Run(t.Context(), g, decode(t, `{"n": 3}`))
}

func noSleep() execution.Option {
	return execution.WithSleep(func(context.Context, time.Duration) error { return nil })
}

func openedAt(t *testing.T, dir string) *journal.Store {
	t.Helper()
	s, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A run in a store that is cut after any event has the same events when it is loaded, waits for the
// question that is open, and is resumed to the same end: an answered question is not put again, an
// open one is.
func TestCutBetweenQuestions(t *testing.T) {
	g := build(t, questions)
	memory := &journal.Memory{}
	want, err := asksInto(t, g, memory)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := memory.Load(t.Context(), "R")
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(whole); n++ {
		dir := t.TempDir()
		s := openedAt(t, dir)
		if _, err := asksInto(t, g, &dying{Journal: s.Journal(nil, journal.About{}), left: n}); !errors.Is(err, errCrash) {
			t.Fatalf("after %d events: %v", n, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openedAt(t, dir)
		r, err := s.Run(t.Context(), "R")
		if err != nil || r.Status != journal.Interrupted {
			t.Fatalf("after %d events: %+v, %v", n, r, err)
		}
		if err := s.Verify(t.Context(), r); err != nil {
			t.Errorf("after %d events: %v", n, err)
		}
		j := s.Journal(nil, journal.About{})
		events, err := j.Load(t.Context(), "R")
		if err != nil || len(events) != n || execution.CheckEvents(events) != nil {
			t.Fatalf("after %d events: %d, %v, %v", n, len(events), err, execution.CheckEvents(events))
		}
		// Parts run in any order, so the last event is not always that of the whole run.
		if last := events[n-1]; (r.Question != nil) != (last.Kind == execution.QuestionAsked) && len(slices.DeleteFunc(slices.Clone(events), isNoPart)) == 0 {
			t.Errorf("after %d events, the last %s: the open question is %+v", n, last.Kind, r.Question)
		}
		if err := s.Claim(t.Context(), "R"); err != nil {
			t.Fatal(err)
		}
		p := &person{asked: map[string]int{}}
		got, err := execution.New(echo, execution.WithUser(p), execution.WithJournal(j), noSleep()).Resume(t.Context(), g, events)
		if err != nil || encode(t, got.Value) != encode(t, want.Value) {
			t.Fatalf("after %d events: %v, %v", n, got, err)
		}
		answered := answeredIn(events)
		for message, times := range p.asked {
			if answered[message] || times != 1 {
				t.Errorf("after %d events: %q is put %d times, answered before: %t", n, message, times, answered[message])
			}
		}
		if len(answered)+len(p.asked) != 6 {
			t.Errorf("after %d events: %d questions were answered, %d put", n, len(answered), len(p.asked))
		}
		events, err = s.Load(t.Context(), "R")
		if err != nil || execution.CheckEvents(events) != nil {
			t.Errorf("after %d events: %v, %v", n, err, execution.CheckEvents(events))
		}
		replayed, err := replay(t, g, events)
		if err != nil || encode(t, replayed.Value) != encode(t, want.Value) {
			t.Errorf("after %d events, replayed: %v, %v", n, replayed, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func isNoPart(e execution.Event) bool { return e.At().Outermost() < 4 }

// answeredIn returns the messages of the questions that the user has answered.
func answeredIn(events []execution.Event) map[string]bool {
	open, answered := map[execution.Address]string{}, map[string]bool{}
	for _, e := range events {
		switch {
		case e.Question != nil:
			open[e.At()] = e.Question.Message
		case e.Answer != nil && e.Answer.Action != execution.NoUser:
			answered[open[e.At()]] = true
		case e.Record != nil && open[e.At()] != "":
			answered[open[e.At()]] = true // of no user, as the record says
		}
	}
	return answered
}

// replay runs the graph with the answers of the events alone.
func replay(t *testing.T, g *graph.Graph, events []execution.Event) (*execution.Result, error) {
	t.Helper()
	recording := execution.NewRecording(events, 0)
	return execution.New(recording, execution.WithUser(recording), noSleep()).Run(t.Context(), g, events[0].Start.Args)
}

// A replay has the records of the run, also why no user could be asked. A question that was not
// recorded ends it, and no onError takes that.
func TestReplayedQuestions(t *testing.T) {
	g := build(t, questions)
	memory := &journal.Memory{}
	want, err := asksInto(t, g, memory)
	if err != nil {
		t.Fatal(err)
	}
	events, err := memory.Load(t.Context(), "R")
	if err != nil {
		t.Fatal(err)
	}
	got, err := replay(t, g, events)
	if err != nil {
		t.Fatal(err)
	}
	is, was := got.History(), want.History()
	if len(is) != len(was) {
		t.Fatalf("%d records, want %d", len(is), len(was))
	}
	for i := range was {
		if encode(t, is[i].Output) != encode(t, was[i].Output) || (is[i].Confirmed == nil) != (was[i].Confirmed == nil) {
			t.Errorf("%s: %s, want %s", was[i].At(), encode(t, is[i].Output), encode(t, was[i].Output))
		}
	}
	without := slices.DeleteFunc(slices.Clone(events), func(e execution.Event) bool {
		return (e.Question != nil || e.Answer != nil) && e.At().Outermost() == 4
	})
	var failed *execution.Failure
	if _, err := replay(t, g, without); !errors.As(err, &failed) || failed.Code != execution.CodeUser || failed.Detail != "not-recorded" {
		t.Errorf("%v", err)
	}
}
