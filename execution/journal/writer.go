package journal

import (
	"errors"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// writer gets events from runs and writes them in batches, on one goroutine of its own that
// begins with the first event and ends with the store.
type writer struct {
	store *Store
	pause func(err error) <-chan time.Time // between two attempts to write

	wake   chan struct{} // the urgency of the queue may have grown
	closed chan struct{} // closed by close
	done   chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex // guards the fields below
	room  *sync.Cond // the queue has room, or put no longer waits
	queue queue
	// writing are the events of the batch that is being written.
	writing []queued
	// unwritten are the run-started of runs that have no row yet, by run.
	unwritten map[string]unwritten
	lost      losses
	runsTaken map[string]bool // runs of this process that another one has taken
	gaps      map[string]bool // runs of this process that are not recorded as they were
	working   map[string]bool // runs on which this process works, see work
	begun     bool
	since     time.Time // of which time no event was written, although one waits; zero: none waits
	closing   bool
	failing   error // of the last attempt to write; nil: it succeeded
	attempts  int   // that failed one after the other
	lossy     bool  // so many that runs no longer wait for a full queue
	off       error // why runs are no longer recorded
}

const (
	// queueMost is the backpressure limit, in bytes of memory: runs wait while the queue has
	// more. The process grows by about three times as much, with SQLite, the batch that is
	// being written and the garbage.
	queueMost = 4 << 20
	// batchMost bounds one transaction, in bytes of the same.
	batchMost = queueMost / 2
	// hurryFrom is the size of the queue from which it is written at once.
	hurryFrom = batchMost
	// manyEvents is how many events are likewise written at once: a larger batch costs no less
	// for each, and more memory.
	manyEvents = 2048
	// linger is how long events gather: most runs are one transaction.
	linger = 25 * time.Millisecond
	// pace is the time between transactions that begin only because of a call that is not
	// safe to repeat. Each makes in-doubt calls less likely after a crash, and costs as much
	// as a small run.
	pace = 3 * time.Millisecond
)

// unwritten is the run-started of a run that has no row yet.
type unwritten struct {
	view  *view
	at    time.Time
	start *execution.Start
	size  int // of the arguments as JSON
}

func newWriter(s *Store) *writer {
	w := &writer{
		store: s, pause: s.pauseAfter,
		unwritten: map[string]unwritten{}, lost: losses{runs: map[string]int{}}, runsTaken: map[string]bool{}, gaps: map[string]bool{}, working: map[string]bool{},
		wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{}),
	}
	w.room = sync.NewCond(&w.mu)
	return w
}

// append queues an event; see Store.Journal.
func (w *writer) append(v *view, e execution.Event) error {
	q := newQueued(v, e)
	var done chan error
	if w.waits(e) {
		done = make(chan error, 1)
		q.done = done
	}
	err := w.put(&q)
	if err == nil && done != nil {
		err = <-done
	}
	if e.Start != nil && errors.Is(err, ErrTaken) {
		w.clearTaken(e.Run)
	}
	err = w.errorOf(e, err, done != nil)
	if e.Start != nil && err != nil {
		w.leave(e.Run) // it does not begin, but it may be recorded that it does
	}
	return err
}

// waits reports whether a run waits until the event is in the database.
//
// A durable run waits for everything that others may have seen: its calls and its end. Its own
// steps run again when they are lost, and they are lost only together with everything after
// them. For other runs a note in the lease is enough for what must survive the process; the loss
// of a run's end does no harm. An answer that a call follows is awaited, because its user would be
// asked again; when the store cannot be written, that is all that its loss does. A run that happens once
// begins when no other process can begin it, and has ended when every process sees that.
func (w *writer) waits(e execution.Event) bool {
	if w.store.opts.Durable {
		return e.Record == nil || e.Record.NodeType == config.MCPNode
	}
	if e.Kind == execution.Answered || e.Kind == execution.RunStarted || e.Kind == execution.RunFinished {
		return e.Sync
	}
	if e.Kind == execution.CallStarted && e.Step.Task != "" { // the note of the call has not the task
		return e.Sync
	}
	return e.Sync && e.Kind == execution.CallStarted && !w.note(e, wholeNote)
}

// put queues an event, and waits while the queue is full, unless writing has failed for too long.
func (w *writer) put(q *queued) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.queue.bytes > queueMost && w.off == nil && !w.lossy && !w.closing {
		w.room.Wait()
	}
	if err := w.admit(q); err != nil {
		return err
	}
	before := w.urge()
	w.queue.put(q)
	if q.event.Start != nil {
		w.working[q.event.Run] = true
	}
	if q.event.Start != nil && !w.store.opts.Durable { // a durable run writes no notes
		w.unwritten[q.event.Run] = unwritten{view: q.view, at: q.event.Time, start: q.event.Start, size: q.size}
	}
	if !w.begun {
		w.begun = true
		go w.run()
	}
	if w.since.IsZero() {
		w.since = time.Now()
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

// flush waits until every queued event is in the database, so that a process sees its own runs;
// it does not wait for a database that cannot be written.
func (w *writer) flush() {
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	if !begun {
		return
	}
	done := make(chan error, 1)
	if w.put(&queued{done: done}) == nil {
		<-done //nolint:errcheck // the writer has reported it
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
	timer := time.NewTimer(linger)
	defer timer.Stop()
	var written time.Time // when a transaction last ended, or something was kept ahead of one
	for {
		if w.gather(timer, written) == soon && w.keepAhead(c) {
			written = time.Now()
			continue
		}
		batch, added, more := w.take()
		if !more {
			return
		}
		if err := c.commit(batch, added); err != nil {
			w.stop(batch, err)
			return
		}
		written = time.Now()
		w.wrote(written)
		release(batch, nil)
		w.recycle(batch)
		w.store.pruneBeside(c.bytes)
	}
}

// wrote notes that the batch is in the database, before those that wait for it go on: for them nothing of it waits.
func (w *writer) wrote(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = nil
	if w.since = at; len(w.queue.events) == 0 {
		w.since = time.Time{}
	}
}

func (w *writer) recycle(batch []queued) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue.recycle(batch)
}

// urgency says how soon a transaction begins.
type urgency int

const (
	never urgency = iota // the queue is empty
	later                // after linger
	soon                 // after pace: for a call that is not safe to repeat
	now                  // a run waits, or the queue is large
)

// urge returns the urgency of the queue. The caller holds mu.
func (w *writer) urge() urgency {
	switch q := &w.queue; {
	case w.closing, q.awaited > 0, q.bytes >= hurryFrom, len(q.events) >= manyEvents:
		return now
	case q.hurried > 0:
		return soon
	case len(q.events) > 0:
		return later
	}
	return never
}

// gather waits until it is time to write, and returns how urgent that is; events that come meanwhile are part of it.
func (w *writer) gather(timer *time.Timer, written time.Time) urgency {
	for {
		w.mu.Lock()
		urge, first := w.urge(), w.since
		w.mu.Unlock()
		timer.Stop()
		at := first.Add(linger)
		switch urge {
		case now:
			return now
		case later:
		case soon:
			if before := written.Add(pace); before.Before(at) {
				at = before
			} else {
				urge = later // a transaction is due
			}
		case never:
			<-w.wake
			continue
		}
		left := time.Until(at)
		if left <= 0 {
			return urge
		}
		timer.Reset(left)
		select {
		case <-w.wake:
		case <-timer.C:
			return urge
		}
	}
}

// take returns events for one transaction, and how many of them are kept ahead already; more is false at the end.
func (w *writer) take() (batch []queued, ahead int, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	batch, ahead = w.queue.take()
	w.writing = batch
	w.room.Signal() // a run that finds room wakes the next
	return batch, ahead, len(batch) > 0
}

// stop ends the recording of runs: the store would fail for each of them, and no run is to wait
// for it again.
func (w *writer) stop(batch []queued, err error) {
	w.mu.Lock()
	w.off = err
	rest := w.queue.events
	for run := range w.unwritten { // they have no row, and get none
		w.lost.runs[run] = unrecorded
	}
	w.queue, w.unwritten, w.writing = queue{}, nil, nil
	w.room.Broadcast()
	w.mu.Unlock()
	release(batch, err)
	release(rest, err)
	if !w.store.opts.Durable { // a durable run fails with the error
		w.store.opts.Logger.Warn("run history is disabled until restart; "+w.unrecorded(), "error", err)
	}
}

// close writes the rest of the queue and waits for the goroutine. The error is why not every
// event was recorded.
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
	if errors.Is(w.off, ErrClosed) {
		return nil
	}
	return w.off
}
