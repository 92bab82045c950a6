package journal

import (
	"context"
	"errors"
	"testing"
	"time"

	"toolgraph/execution"
)

// How soon a transaction begins: events that no run waits for gather, those of a call that is
// not safe to repeat for a shorter time, and many of them do not.
func TestUrgency(t *testing.T) {
	w := newWriter(nil)
	expect := func(after string, want urgency) {
		t.Helper()
		if got := w.urge(); got != want {
			t.Errorf("after %s: %d, want %d", after, got, want)
		}
	}
	put := func(q queued) {
		q.bytes += eventBytes
		w.queue.put(&q)
	}
	expect("nothing", never)
	w.since = time.Now()
	put(queued{event: execution.Event{Kind: execution.RunStarted}})
	put(queued{event: execution.Event{Kind: execution.RunFinished, Sync: true}})
	expect("a whole run", later)
	put(queued{event: execution.Event{Kind: execution.CallStarted, Sync: true}})
	expect("a call", soon)
	put(queued{done: make(chan error, 1)})
	expect("an event that a run waits for", now)
	w.since = time.Time{}
	if got := w.queue.take(); len(got) != 4 {
		t.Errorf("%d events", len(got))
	}
	expect("taking it", never)
	put(queued{bytes: hurryFrom})
	expect("much", now)
	w.queue.take()
	for range manyEvents {
		w.queue.put(&queued{})
	}
	expect("many events", filled)
	w.queue.take()
	w.added.hurries = true
	expect("encoding a call", soon)
	w.closing = true
	expect("the end", now)
	if q := w.queue; q.bytes != 0 || q.awaited != 0 || q.hurried != 0 || len(q.events) != 0 {
		t.Errorf("an empty queue has %d bytes, %d awaited, %d hurried events", q.bytes, q.awaited, q.hurried)
	}
}

// What waits of a run that was taken is dropped, and does not follow what is written of the run when it is claimed again.
func TestDroppedEvents(t *testing.T) {
	w, v, done := newWriter(nil), &view{}, make(chan error, 1)
	for _, q := range []queued{
		{event: execution.Event{Run: "A", Kind: execution.CallStarted, Sync: true}, view: v, bytes: 5},
		{event: execution.Event{Run: "B"}, view: v, bytes: 7},
		{event: execution.Event{Run: "A", Kind: execution.RunFinished}, view: v, done: done, bytes: 9},
	} {
		w.queue.put(&q)
	}
	w.queue.drop("A")
	if q := w.queue; q.bytes != 7 || q.awaited != 0 || q.hurried != 0 || !errors.Is(<-done, ErrTaken) {
		t.Errorf("%d bytes, %d awaited, %d hurried events", q.bytes, q.awaited, q.hurried)
	}
	var runs []string
	batch := w.queue.take()
	for _, q := range batch {
		if q.view != nil {
			runs = append(runs, q.event.Run)
		}
	}
	if len(runs) != 1 || runs[0] != "B" || w.queue.bytes != 0 {
		t.Errorf("left: %v, %d bytes", runs, w.queue.bytes)
	}
}

// Two looks for a run at the same time end in any order: one that began before the run was there does not
// say that it was deleted.
func TestLooksOverlap(t *testing.T) {
	var all waiters
	w := &waiter{id: "RUN", until: func(Run) bool { return false }, ready: make(chan waited, 1)}
	all.add(w, func(context.Context) {})
	before := all.now()
	if again := all.found(before, []string{"RUN"}, nil); len(again) > 0 || len(w.ready) > 0 {
		t.Errorf("a run that has not begun: %v, %d", again, len(w.ready))
	}
	all.found(before, []string{"RUN"}, map[string]Run{"RUN": {ID: "RUN"}})
	if again := all.found(before, []string{"RUN"}, nil); len(again) != 1 || len(w.ready) > 0 {
		t.Errorf("a look from before: %v, %d", again, len(w.ready))
	}
	all.found(all.now(), []string{"RUN"}, nil)
	select {
	case end := <-w.ready:
		if !errors.Is(end.err, ErrNotFound) {
			t.Error(end.err)
		}
	default:
		t.Error("the run was deleted, and is waited for")
	}
}
