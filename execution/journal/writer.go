package journal

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// writer takes events from runs and writes them in batches, on one goroutine of its own
// that begins with the first event and ends with the store.
type writer struct {
	store *Store

	wake  chan struct{} // something is waiting
	soon  chan struct{} // something with Sync is
	hurry chan struct{} // somebody is waiting for it
	done  chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex // guards what follows
	room    *sync.Cond // some of the queue was taken, or runs are not kept any more
	queue   queue
	bytes   int // that the values in the queue take, about
	begun   bool
	closing bool
	off     error // why runs are not kept any more
}

const (
	// queueMost bounds what waits, in bytes: then runs wait, because nothing is lost.
	queueMost = 64 << 20
	// batchMost bounds one transaction, in bytes of values.
	batchMost = 16 << 20
	// linger is how long events gather: most runs are one transaction.
	linger = 25 * time.Millisecond
	// pace is how long it takes from one transaction to the next that begins only because
	// of an event with Sync. Each makes it less likely that somebody has to look things up
	// after a crash, and costs as much as a small run.
	pace = 3 * time.Millisecond
	// eventBytes is what an event takes beside its value.
	eventBytes = 512
)

func newWriter(s *Store) *writer {
	w := &writer{store: s, wake: make(chan struct{}, 1), soon: make(chan struct{}, 1), hurry: make(chan struct{}, 1), done: make(chan struct{})}
	w.room = sync.NewCond(&w.mu)
	return w
}

// append hands an event over; see Store.Journal.
func (w *writer) append(v *view, e execution.Event) error {
	q := queued{event: e, view: v, bytes: eventBytes + weight(e)}
	var kept chan error
	if w.waits(e) {
		kept = make(chan error, 1)
		q.kept = kept
	}
	if err := w.put(q); err != nil {
		return w.answer(err)
	}
	if kept == nil {
		return nil
	}
	return w.answer(<-kept)
}

// waits tells whether a run goes on only when the event is in the database.
//
// A run that has to be durable waits for whatever others may have seen: its calls and
// its end. Its own steps are evaluated again when they are lost, and they are lost only
// together with all that came after them. Otherwise a note in the lease is enough for
// what must survive the process; losing a run's end harms nobody.
func (w *writer) waits(e execution.Event) bool {
	if w.store.opts.Durable {
		return e.Record == nil || e.Record.NodeType == config.MCPNode
	}
	return e.Sync && e.Kind == execution.CallStarted && !w.note(e)
}

// answer is what a run is told of an error: nothing, unless runs have to be durable.
func (w *writer) answer(err error) error {
	if err == nil || !w.store.opts.Durable {
		return nil
	}
	return fmt.Errorf("--durable: the run cannot be kept: %w", err)
}

// note writes an event into the lease of this process, if there is one already.
func (w *writer) note(e execution.Event) bool {
	w.store.mu.Lock()
	l := w.store.lease
	w.store.mu.Unlock()
	return l != nil && l.note(e)
}

// weight is what the value of an event takes, in bytes of JSON.
func weight(e execution.Event) int {
	if e.Record != nil {
		return e.Record.Bytes // 0 for what shares the value of another event
	}
	if e.Start != nil {
		return sizeOf(e.Start.Args)
	}
	return 0
}

// put queues an event, and waits while the queue is full.
func (w *writer) put(q queued) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.bytes > queueMost && w.off == nil && !w.closing {
		w.room.Wait()
	}
	switch {
	case w.off != nil:
		return w.off
	case w.closing:
		return errClosed
	}
	w.queue.put(q)
	w.bytes += q.bytes
	if !w.begun {
		w.begun = true
		go w.run()
	}
	if q.event.Sync {
		signal(w.soon)
	}
	signal(w.wake)
	if q.kept != nil || w.bytes > queueMost/2 {
		signal(w.hurry)
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// flush waits until everything that was handed over before is in the database, so that
// a process sees its own runs.
func (w *writer) flush() {
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	if !begun {
		return
	}
	kept := make(chan error, 1)
	if w.put(queued{kept: kept}) == nil {
		<-kept //nolint:errcheck // it has been told already
	}
}

// run writes until the writer is closed and the queue is empty.
func (w *writer) run() {
	defer close(w.done)
	c, err := newCommitter(w.store)
	if err != nil {
		w.stop(err)
		return
	}
	defer c.close()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	var written time.Time // when a transaction last ended
	for {
		batch, more := w.take()
		if len(batch) > 0 {
			err := c.commit(batch)
			release(batch, err)
			written = time.Now()
			w.mu.Lock()
			w.queue.reuse(batch)
			w.mu.Unlock()
			if err != nil {
				w.stop(err)
				return
			}
			continue
		}
		if !more {
			return
		}
		c.upkeep()
		w.gather(timer, written)
	}
}

// gather waits for events, and then for more of them: less long when one has Sync.
func (w *writer) gather(timer *time.Timer, written time.Time) {
	select {
	case <-w.hurry:
		return
	case <-w.wake:
	}
	timer.Reset(linger)
	for {
		select {
		case <-w.hurry:
			return
		case <-w.soon:
			timer.Reset(pace - time.Since(written)) // at once when that is over
		case <-timer.C:
			return
		}
	}
}

// take takes events for one transaction; more is false at the end.
func (w *writer) take() (batch []block, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch, bytes := w.queue.take(batchMost)
	w.bytes -= bytes
	w.room.Broadcast()
	return batch, len(batch) > 0 || !w.closing
}

// stop ends the keeping of runs: what is wrong with the store would be wrong with each
// of them, and no run is to wait for it again.
func (w *writer) stop(err error) {
	w.mu.Lock()
	w.off = err
	rest := w.queue.blocks
	w.queue, w.bytes = queue{}, 0
	w.room.Broadcast()
	w.mu.Unlock()
	release(rest, err)
	if !w.store.opts.Durable { // then the run that ends tells
		w.store.opts.Logger.Warn("runs are not kept any more, until the next start; they go on", "error", err)
	}
}

func release(batch []block, err error) {
	for _, events := range batch {
		for i := range events {
			if kept := events[i].kept; kept != nil {
				kept <- err
			}
		}
	}
}

// close writes what is left and waits for the goroutine. The error is why not all was
// kept.
func (w *writer) close() error {
	w.mu.Lock()
	w.closing = true
	begun := w.begun
	w.room.Broadcast()
	w.mu.Unlock()
	if !begun {
		return nil
	}
	signal(w.hurry)
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.off, errClosed) {
		return nil
	}
	return w.off
}
