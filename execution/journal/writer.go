package journal

import (
	"errors"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// writer takes events from runs and writes them in batches, on one goroutine of its own
// that begins with the first event and ends with the store.
type writer struct {
	store *Store
	pause func(err error) <-chan time.Time // between two attempts to write

	wake   chan struct{} // what urge reports may have become more
	closed chan struct{} // closed by close
	done   chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex // guards what follows
	room  *sync.Cond // some of the queue was taken, or putting does not wait any more
	queue queue
	// unwritten are the run-started of runs that have no row yet, by run.
	unwritten map[string]queued
	lost      losses
	begun     bool
	closing   bool
	failing   error // of the last attempt to write; nil: it succeeded
	attempts  int   // that failed one after the other
	lossy     bool  // so many that a full queue holds no run up any more
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
	w := &writer{
		store: s, pause: pause,
		unwritten: map[string]queued{}, lost: losses{runs: map[string]int{}},
		wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{}),
	}
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
	err := w.put(q)
	if err == nil && kept != nil {
		err = <-kept
	}
	return w.answer(e, err, kept != nil)
}

// waits reports whether a run goes on only when the event is in the database.
//
// A run that has to be durable waits for whatever others may have seen: its calls and
// its end. Its own steps are evaluated again when they are lost, and they are lost only
// together with all that came after them. Otherwise a note in the lease is enough for
// what must survive the process; losing a run's end harms nobody.
func (w *writer) waits(e execution.Event) bool {
	if w.store.opts.Durable {
		return e.Record == nil || e.Record.NodeType == config.MCPNode
	}
	return e.Sync && e.Kind == execution.CallStarted && !w.note(e, wholeNote)
}

// put queues an event, and waits while the queue is full, unless writing has failed for too long.
func (w *writer) put(q queued) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queue.bytes > queueMost && w.off == nil && !w.lossy && !w.closing {
		w.room.Wait()
	}
	if err := w.admit(&q); err != nil {
		return err
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
// a process sees its own runs; not for a database that cannot be written.
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
	var c *committer
	err := w.persist(nil, func() (err error) {
		c, err = newCommitter(w.store)
		return err
	})
	if err != nil {
		w.stop(nil, err)
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
		if err := c.commit(batch); err != nil {
			w.stop(batch, err)
			return
		}
		release(batch, nil)
		written = time.Now()
		w.mu.Lock()
		w.queue.reuse(batch)
		idle := w.queue.empty()
		w.mu.Unlock()
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
func (w *writer) stop(batch []block, err error) {
	w.mu.Lock()
	w.off = err
	rest := w.queue.blocks
	for run := range w.unwritten { // they have no row, and never will
		w.lost.runs[run] = unrecorded
	}
	w.queue, w.unwritten = queue{}, nil
	w.room.Broadcast()
	w.mu.Unlock()
	release(batch, err)
	release(rest, err)
	if !w.store.opts.Durable { // then the run that ends tells
		w.store.opts.Logger.Warn("runs are not kept any more, until the next start; they go on", "error", err)
	}
}

// release gives those who wait for events the outcome, once, and returns how many there were.
func release(batch []block, err error) (n int) {
	for _, events := range batch {
		for i := range events {
			if kept := events[i].kept; kept != nil {
				kept <- err
				events[i].kept = nil
				n++
			}
		}
	}
	return n
}

// close writes what is left and waits for the goroutine. The error is why not all was
// kept.
func (w *writer) close() error {
	w.mu.Lock()
	if !w.closing {
		close(w.closed)
	}
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
