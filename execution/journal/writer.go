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

	packs  bool          // there may be packed runs; it belongs to the goroutine, as the next
	loaded time.Time     // when the last transaction of many runs ended
	wake   chan struct{} // the urgency of the queue may have grown
	closed chan struct{} // closed by close
	done   chan struct{} // closed when the goroutine has ended

	mu    sync.Mutex // guards the fields below
	room  *sync.Cond // the queue has room, or put no longer waits
	queue queue
	// writing are the events that are being encoded, or written.
	writing []queued
	added   added
	// unwritten are the run-started of runs that have no row yet, by run.
	unwritten map[string]unwritten
	lost      losses
	runsTaken map[string]bool // runs of this process that another one has taken
	gaps      map[string]bool // runs of this process that are not recorded as they were
	working   map[string]bool // runs on which this process works, see work
	begun     bool
	since     time.Time // of which time no event was written, although one waits, encoded or not; zero: none waits
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
	queueMost = 2 << 20
	// batchMost bounds one transaction, in bytes of the same.
	batchMost = queueMost / 2
	// hurryFrom is the size of the queue from which it is written at once.
	hurryFrom = batchMost
	// manyEvents is how many events are encoded at once: so they take a tenth of the memory until the transaction, and what
	// the garbage collector and the caches of the processor have to do with them is over.
	manyEvents = 128
	// linger is how long events gather: most runs are one transaction.
	linger = 25 * time.Millisecond
	// pace is the time between transactions that begin only because of a call that is not
	// safe to repeat. Each makes in-doubt calls less likely after a crash, and costs as much
	// as a small run.
	pace = 3 * time.Millisecond
	// idleAfter is how long after the last transaction of many runs the packed ones get their rows: the load is over then, and no burst follows.
	idleAfter = 5 * time.Second
)

// unwritten is the run-started of a run that has no row yet.
type unwritten struct {
	view  *view
	at    time.Time
	start *execution.Start
	size  int        // of the arguments as JSON
	noted *beginning // in its notes; nil: it has none
}

func newWriter(s *Store) *writer {
	w := &writer{
		store: s, pause: s.pauseAfter,
		unwritten: map[string]unwritten{}, lost: losses{runs: map[string]int{}}, runsTaken: map[string]bool{}, gaps: map[string]bool{}, working: map[string]bool{},
		added: added{runs: map[string]bool{}},
		wake:  make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{}),
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
	packer, _ := w.store.data.(Packer)
	w.loaded = time.Now() // perhaps another process has packed runs
	timer := time.NewTimer(linger)
	defer timer.Stop()
	var safe time.Time // since when all that hurries survives the process
	for {
		urge := w.gather(timer, safe)
		if urge == idle {
			more, err := packer.Unpack(background)
			w.packs = more && err == nil // else who reads does it, or the writer after its next transaction
			continue
		}
		batch := w.take()
		if len(batch) == 0 && len(c.dirty) == 0 {
			return // it is closed
		}
		added := c.addKnown(batch)
		if added == len(batch) && (urge == filled && c.size < batchMost || urge == soon && c.keep()) {
			if urge == soon {
				safe = time.Now()
			}
			w.hasAdded(batch, c, urge == soon)
		} else {
			if err := c.commit(batch[added:]); err != nil {
				w.stop(batch, err)
				return
			}
			safe = time.Now()
			w.wrote(safe, c.dirty)
			release(batch, nil)
			w.store.pruneBeside(c.bytes)
			if w.packs = packer != nil; c.load {
				w.loaded = safe
			}
		}
		w.recycle(batch)
	}
}

// added is what is known of the events that are encoded and not written.
type added struct {
	events  int
	oldest  time.Time
	hurries bool            // a call that is not safe to repeat is among them, and not kept ahead
	runs    map[string]bool // those of them that have a row
}

func (a *added) add(events int, oldest time.Time) {
	if a.events += events; a.oldest.IsZero() {
		a.oldest = oldest
	}
}

// hasAdded notes that a batch is encoded. safe says that what hurries is kept ahead.
func (w *writer) hasAdded(batch []queued, c *committer, safe bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(batch) > 0 {
		w.added.add(len(batch), batch[0].event.Time)
	}
	for i := range batch {
		w.added.hurries = w.added.hurries || batch[i].hurries()
	}
	if safe {
		w.added.hurries = false
	}
	for _, t := range c.reopened {
		w.added.runs[t.ID] = true
	}
	c.reopened = c.reopened[:0]
	w.writing = nil
}

// wrote notes that all is in the database but the runs that are left, before those that wait for it go on: for them nothing of it waits.
func (w *writer) wrote(at time.Time, left []*track) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = nil
	clear(w.added.runs)
	w.added = added{runs: w.added.runs}
	for _, t := range left {
		w.added.add(t.Events, timeOf(t.Started))
	}
	if w.since = at; len(w.queue.events) == 0 && len(left) == 0 {
		w.since = time.Time{}
	}
}

func (w *writer) recycle(batch []queued) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue.recycle(batch)
}

// take returns the events that are to be encoded.
func (w *writer) take() []queued {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = w.queue.take()
	w.room.Signal() // a run that finds room wakes the next
	return w.writing
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
	w.queue, w.unwritten, w.writing, w.added = queue{}, nil, nil, added{}
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
