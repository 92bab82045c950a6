package journal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

func started(run string, once bool) execution.Event {
	return execution.Event{
		Kind: execution.RunStarted, Run: run, Time: time.Now(), Start: &execution.Start{Tool: "t", Graph: "g", Caller: "abc"}, Sync: once,
	}
}

func finished(run string) execution.Event {
	return execution.Event{Kind: execution.RunFinished, Run: run, Time: time.Now(), End: &execution.End{Value: "done"}, Sync: true}
}

func hasEnded(r journal.Run) bool { return !r.InProgress() }

// Wait returns when a run of another process has ended, also one that is not recorded yet, for many
// that wait at the same time; and when the run is deleted, or the context ends.
func TestWait(t *testing.T) {
	dir := t.TempDir()
	here, there := openAt(t, dir, journal.Options{}), openAt(t, dir, journal.Options{})
	events := there.Journal(nil, journal.About{})
	var waiting sync.WaitGroup
	for i := range 40 {
		waiting.Go(func() {
			id := fmt.Sprintf("run%d", i%2)
			run, err := here.Wait(t.Context(), id, hasEnded)
			if err != nil || run.ID != id || run.Status != journal.Finished {
				t.Errorf("%s: %+v, %v", id, run, err)
			}
		})
	}
	for _, id := range []string{"run0", "run1"} {
		for _, e := range []execution.Event{started(id, false), finished(id)} {
			if err := events.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	waiting.Wait()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := here.Wait(ctx, "none", hasEnded); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	deleted := make(chan error, 1)
	looked := make(chan struct{}, 100)
	go func() {
		_, err := here.Wait(t.Context(), "run0", func(journal.Run) bool { looked <- struct{}{}; return false })
		deleted <- err
	}()
	<-looked
	if n, err := there.Delete(t.Context(), "run0"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := <-deleted; !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("after the run was deleted: %v", err)
	}
}

// Of the processes that start a run that happens once, one has it; the others get ErrTaken before anything
// of it happens, and can claim the run when that process is dead.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	const processes = 4
	stores := make([]*journal.Store, processes)
	for i := range stores {
		stores[i] = openAt(t, dir, journal.Options{})
	}
	outcomes := make([]error, processes)
	var starting sync.WaitGroup
	for i, s := range stores {
		starting.Go(func() { outcomes[i] = s.Journal(nil, journal.About{}).Append(t.Context(), started("once", true)) })
	}
	starting.Wait()
	var owner, other, third *journal.Store
	for i, err := range outcomes {
		switch {
		case err == nil && owner == nil:
			owner = stores[i]
		case errors.Is(err, execution.ErrTaken):
			other, third = stores[i], other
		default:
			t.Fatalf("process %d: %v", i, err)
		}
	}
	if owner == nil || other == nil {
		t.Fatal(outcomes)
	}
	if err := owner.Close(); err != nil { // the run is suspended
		t.Fatal(err)
	}
	if err := other.Claim(t.Context(), "once"); err != nil {
		t.Fatal(err)
	}
	if err := other.Journal(nil, journal.About{}).Append(t.Context(), finished("once")); err != nil {
		t.Errorf("the process that has claimed the run: %v", err)
	}
	if run, err := third.Run(t.Context(), "once"); err != nil || run.Status != journal.Finished {
		t.Errorf("its end is not awaited: %+v, %v", run, err)
	}
	run, err := other.Wait(t.Context(), "once", hasEnded)
	if err != nil || run.Status != journal.Finished {
		t.Errorf("%+v, %v", run, err)
	}
	start, err := other.Start(t.Context(), "once")
	if err != nil || start.Caller != "abc" {
		t.Errorf("%+v, %v", start, err)
	}
	if n, err := other.Delete(t.Context(), "once"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for _, e := range []execution.Event{started("once", true), finished("once")} {
		if err := third.Journal(nil, journal.About{}).Append(t.Context(), e); err != nil {
			t.Errorf("after the run was deleted: %v", err)
		}
	}
}
