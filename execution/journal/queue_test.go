package journal

import (
	"testing"

	"toolgraph/execution"
)

// How soon a transaction begins: what nobody waits for gathers, what is about a call that
// may not be made twice does so for less long, and too much does not.
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
		w.queue.put(q)
	}
	expect("nothing", never)
	put(queued{event: execution.Event{Kind: execution.RunStarted}})
	put(queued{event: execution.Event{Kind: execution.RunFinished, Sync: true}})
	expect("a whole run", later)
	put(queued{event: execution.Event{Kind: execution.CallStarted, Sync: true}})
	expect("a call", soon)
	put(queued{kept: make(chan error, 1)})
	expect("somebody who waits", now)
	if got := len(w.queue.take()); got != 1 {
		t.Errorf("%d blocks", got)
	}
	expect("taking it", never)
	put(queued{bytes: hurryFrom})
	expect("much", now)
	w.queue.take()
	for range blockEvents*(batchBlocks-1) + 1 {
		w.queue.put(queued{})
	}
	expect("as many as one transaction takes", now)
	w.queue.take()
	w.closing = true
	expect("the end", now)
	if q := w.queue; q.bytes != 0 || q.awaited != 0 || q.hurried != 0 || !q.empty() {
		t.Errorf("an empty queue has %d bytes, %d awaited, %d hurried events", q.bytes, q.awaited, q.hurried)
	}
}
