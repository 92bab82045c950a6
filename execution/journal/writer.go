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

	wake chan struct{} // what urge tells may have become more
	done chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex // guards what follows
	room  *sync.Cond // some of the queue was taken, or runs are not kept any more
	queue queue
	// unwritten are the run-started of runs that have no row yet, by run.
	unwritten map[string]queued
	begun     bool
	closing   bool
	off       error // why runs are not kept any more
}

const (
	// queueMost bounds the memory of what waits, in bytes: then runs wait, because nothing
	// is lost. The process grows by about three times as much, with SQLite, the batch that is
	// being written and the garbage.
	queueMost = 6 << 20
	// batchMost bounds one transaction, in bytes of the same.
	batchMost = queueMost / 2
	// hurryFrom is from when on it is written without waiting for more.
	hurryFrom = batchMost
	// linger is how long events gather: most runs are one transaction.
	linger = 25 * time.Millisecond
	// pace is how long it takes from one transaction to the next that begins only because
	// of a call that may not be made twice. Each makes it less likely that somebody has to
	// look things up after a crash, and costs as much as a small run.
	pace = 3 * time.Millisecond
)

func newWriter(s *Store) *writer {
	w := &writer{store: s, unwritten: map[string]queued{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	w.room = sync.NewCond(&w.mu)
	return w
}

// append hands an event over; see Store.Journal.
func (w *writer) append(v *view, e execution.Event) error {
	q := newQueued(v, e)
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

// put queues an event, and waits while the queue is full.
func (w *writer) put(q queued) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queue.bytes > queueMost && w.off == nil && !w.closing {
		w.room.Wait()
	}
	switch {
	case w.off != nil:
		return w.off
	case w.closing:
		return errClosed
	}
	before := w.urge()
	w.queue.put(q)
	if q.event.Start != nil && !w.store.opts.Durable { // then nothing is noted
		w.unwritten[q.event.Run] = q
	}
	if !w.begun {
		w.begun = true
		go w.run()
	}
	if w.urge() > before {
		w.signal()
	}
	if w.queue.bytes <= queueMost {
		w.room.Signal()
	}
	return nil
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
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
		w.gather(timer, written)
		batch, more := w.take()
		if !more {
			return
		}
		err := c.commit(batch)
		release(batch, err)
		written = time.Now()
		w.mu.Lock()
		w.queue.reuse(batch)
		idle := w.queue.empty()
		w.mu.Unlock()
		if err != nil {
			w.stop(err)
			return
		}
		if idle {
			c.upkeep()
		}
	}
}

// urgency is how soon a transaction has to begin.
type urgency int

const (
	never urgency = iota // nothing is waiting
	later                // when linger is over
	soon                 // when pace is: of a call that may not be made twice
	now                  // somebody waits for it, or more would be too much
)

// urge is how urgent what is waiting is. The caller holds mu.
func (w *writer) urge() urgency {
	switch q := &w.queue; {
	case w.closing, q.awaited > 0, q.bytes >= hurryFrom, len(q.blocks) >= batchBlocks:
		return now
	case q.hurried > 0:
		return soon
	case !q.empty():
		return later
	}
	return never
}

// gather waits until it is time for a transaction: what comes meanwhile is part of it.
func (w *writer) gather(timer *time.Timer, written time.Time) {
	timer.Stop()
	for was := never; ; {
		w.mu.Lock()
		urge := w.urge()
		w.mu.Unlock()
		switch urge {
		case now:
			return
		case was:
		case soon:
			timer.Reset(pace - time.Since(written)) // at once when that is over
		case later:
			timer.Reset(linger)
		}
		was = urge
		select {
		case <-w.wake:
		case <-timer.C:
			return
		}
	}
}

// take takes events for one transaction; more is false at the end.
func (w *writer) take() (batch []block, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch = w.queue.take()
	w.room.Signal() // who finds room passes it on
	return batch, len(batch) > 0
}

// stop ends the keeping of runs: what is wrong with the store would be wrong with each
// of them, and no run is to wait for it again.
func (w *writer) stop(err error) {
	w.mu.Lock()
	w.off = err
	rest := w.queue.blocks
	w.queue, w.unwritten = queue{}, nil
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
	w.signal()
	<-w.done
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.off, errClosed) {
		return nil
	}
	return w.off
}
