package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/tests/thorough"
)

// A run that is forked at any of its steps, without an edit, has the same value and the same
// records, and makes no call of a step that it copied. So has a fork whose process dies after any of
// its events and that is resumed; one that dies before all is copied is not resumed.
func TestForkAtEveryStep(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			s := file(t, "", strings.ReplaceAll(shape, " SAFE", "_safe"), shapesAnswer)
			synctest.Test(t, func(t *testing.T) {
				ref, undisturbed := newWorld(s, 0), &life{}
				p := ref.process()
				p.live(t.Context(), undisturbed, ref.starting(p, nil, execution.Resolution{}), writesFirst)
				ref.clean(t)
				for _, e := range ref.events {
					if at := e.At(); e.Record != nil {
						f := &forked{world: ref, origin: ref.events, at: at}
						f.check(t, undisturbed, thorough.Step(4))
					}
				}
			})
		})
	}
}

// fork forks the undisturbed run of a seed, which has a value, at one of its steps.
func (w *world) fork(t *testing.T, seed uint64, undisturbed *life) {
	t.Helper()
	all := slices.DeleteFunc(slices.Clone(w.events), func(e execution.Event) bool { return e.Record == nil })
	before := t.Failed()
	f := &forked{world: w, origin: w.events, at: all[rand.New(rand.NewPCG(seed, 5)).IntN(len(all))].At()}
	f.check(t, undisturbed, 1+len(w.events)/3)
	if t.Failed() && !before {
		t.Logf("seed %d\n%s", seed, w.s.source)
	}
}

// forked is a run that is forked from another one.
type forked struct {
	world  *world // of the other run
	origin []execution.Event
	at     execution.Address

	mu     sync.Mutex // guards what follows
	called []execution.Address
}

// CallTool is the upstream server, which counts its calls.
func (f *forked) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	f.mu.Lock()
	f.called = append(f.called, c.At())
	f.mu.Unlock()
	a := f.world.answerTo(&c)
	return a.value, a.err
}

// Ask answers as the user of the other run did.
func (f *forked) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	return answerOfUser(&q), nil
}

func (f *forked) engine(j execution.Journal) *execution.Engine {
	return engine(f, true, execution.WithJournal(j), execution.WithUser(f), execution.WithRunID("fork"))
}

// check forks the run, and resumes the fork after each so many of its events.
func (f *forked) check(t *testing.T, undisturbed *life, each int) {
	t.Helper()
	cut, err := execution.CutAt(f.origin, f.at)
	if err != nil {
		t.Fatal(err)
	}
	f.checkWhole(t, cut)
	kept := &journal.Memory{}
	got, err := f.engine(kept).Fork(t.Context(), f.world.s.graph, f.origin, execution.Fork{At: f.at})
	events, _ := kept.Load(t.Context(), "fork")
	f.compare(t, undisturbed, got, err, events, cut)
	for n := 1; n < len(events); n += each {
		rest := &journal.Memory{}
		for _, e := range events[:n] {
			_ = rest.Append(t.Context(), e)
		}
		f.called = nil
		got, err := f.engine(rest).Resume(t.Context(), f.world.s.graph, events[:n], execution.WithResolution(execution.Resolution{RepeatAll: true}))
		if n < len(cut.Before) {
			if !errors.Is(err, execution.ErrHalfForked) || len(f.called) > 0 {
				t.Fatalf("forked at %s, %d of %d events are copied, and resuming gives %v after %d calls", f.at, n, len(cut.Before), err, len(f.called))
			}
			continue
		}
		whole, _ := rest.Load(t.Context(), "fork")
		f.compare(t, undisturbed, got, err, whole, cut)
	}
}

// checkWhole checks that all is copied that is in a step which had ended, also what failed in it.
func (f *forked) checkWhole(t *testing.T, cut execution.Cut) {
	t.Helper()
	copied := map[string]bool{}
	for i := range cut.Before {
		copied[describe(&cut.Before[i])] = true
	}
	for _, whole := range cut.Before {
		if whole.Record == nil || whole.Record.Error != nil {
			continue
		}
		for i := range f.origin {
			if e := &f.origin[i]; whole.At().Contains(e.At()) && !copied[describe(e)] {
				t.Errorf("forked at %s, %s is not copied, which is in step %s", f.at, describe(e), whole.At())
			}
		}
	}
}

// compare compares a fork with the run that it continues.
func (f *forked) compare(t *testing.T, undisturbed *life, got *execution.Result, err error, events []execution.Event, cut execution.Cut) {
	t.Helper()
	if err != nil {
		t.Fatalf("forked at %s: %v", f.at, err)
	}
	if text(got.Value) != text(undisturbed.result.Value) {
		t.Errorf("forked at %s, the value is %s, want %s", f.at, text(got.Value), text(undisturbed.result.Value))
	}
	if err := execution.CheckEvents(events); err != nil {
		t.Errorf("forked at %s: %v", f.at, err)
	}
	for _, e := range cut.Before {
		if e.Record == nil {
			continue
		}
		for _, at := range f.called {
			if at == e.At() || e.At().Contains(at) {
				t.Errorf("forked at %s, step %s is copied, and its call %s is made again", f.at, e.At(), at)
			}
		}
	}
	if begun := slices.ContainsFunc(cut.Before[1:], func(e execution.Event) bool { return e.At() == f.at || f.at.Contains(e.At()) }); begun {
		t.Errorf("forked at %s, events of that step are copied", f.at)
	}
	before, after := undisturbed.result.History(), got.History()
	if raced(records(f.origin)) || raced(records(events)) { // which parts ended before the one that failed is open
		return
	}
	if len(before) != len(after) {
		t.Fatalf("forked at %s, %d records, want %d", f.at, len(after), len(before))
	}
	for i := range before {
		if describeRecord(&before[i]) != describeRecord(&after[i]) || before[i].At() != after[i].At() {
			t.Errorf("forked at %s, record %s is %s, want %s", f.at, after[i].At(), describeRecord(&after[i]), describeRecord(&before[i]))
		}
	}
}
