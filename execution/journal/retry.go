package journal

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"toolgraph/execution"
)

// A store that is locked by another process, or whose disk is full, can be written again
// later: the writer tries again until then. Meanwhile events wait in the queue, and runs wait
// for room in it. When that takes too long, what does not fit is lost, and the next recorded
// event of the run says how many were.

const (
	// retryEvery is the pause between two attempts to write, and lockedRetry that after a lock of
	// others, for which the attempt itself has waited, see Store.busy.
	retryEvery  = time.Second
	lockedRetry = 10 * time.Millisecond
	// patientAttempts is how often a lock may be found before a full queue loses events: runs wait
	// for 30 s at most. Most locks are shorter. A full disk is not waited for.
	patientAttempts = 15
	// durableAttempts is how often writing is tried before a run that has to be durable fails:
	// 36 s, less than the minute after which most clients give up.
	durableAttempts = 18
	// closingAttempts is how often writing is tried once the store is closed.
	closingAttempts = 2
)

// pause is the pause after an attempt to write.
func pause(err error) <-chan time.Time {
	if isLocked(err) {
		return time.After(lockedRetry)
	}
	return time.After(retryEvery)
}

// isLocked reports whether another process holds the lock that writing needs.
func isLocked(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return true
	}
	return false
}

// passes reports whether an error of the store may be over later: a lock, a full disk, a
// disk that fails. A damaged store, or one that must not be used, stays so.
func passes(err error) bool {
	code := codeOf(err)
	return isLocked(err) || code == sqlite3.SQLITE_FULL || code == sqlite3.SQLITE_IOERR
}

// codeOf is the primary result code of SQLite; 0 when the error has none.
func codeOf(err error) int {
	var coded *sqlite.Error
	if !errors.As(err, &coded) {
		return 0
	}
	return coded.Code() & 0xff
}

// persist repeats what it is given until that succeeds. The error is one that stays, or
// that of the last attempt before the end. Who waits for the batch, or for what is queued, is
// released as soon as waiting has taken too long.
func (w *writer) persist(batch []block, try func() error) error {
	for left := closingAttempts; ; {
		err := try()
		if err == nil {
			w.recovered()
			return nil
		}
		if !passes(err) {
			return err
		}
		w.failed(batch, err)
		select {
		case <-w.pause(err):
		case <-w.closed:
		}
		select {
		case <-w.closed:
			if left--; left == 0 {
				return err
			}
		default:
		}
	}
}

// failed notes that an attempt to write has failed.
func (w *writer) failed(batch []block, err error) {
	w.mu.Lock()
	first := w.failing == nil
	w.failing = err
	w.attempts++
	w.lossy = !isLocked(err) || w.attempts >= patientAttempts
	if !w.store.opts.Durable || !isLocked(err) || w.attempts >= durableAttempts {
		release(batch, err)
		w.queue.awaited -= release(w.queue.blocks, err)
	}
	w.room.Broadcast()
	w.mu.Unlock()
	if first {
		w.store.opts.Logger.Warn("run history cannot be written now; it is tried again, and runs go on", "error", err)
	}
}

// recovered notes that writing has succeeded.
func (w *writer) recovered() {
	w.mu.Lock()
	was, lost := w.failing != nil, w.lost
	w.failing, w.attempts, w.lossy = nil, 0, false
	w.lost.gaps, w.lost.unrecorded = 0, 0
	w.mu.Unlock()
	if was {
		w.store.opts.Logger.Warn("run history is written again", "runs with gaps", lost.gaps, "runs not recorded", lost.unrecorded)
	}
}

// losses are the events that found no room in the queue.
type losses struct {
	runs             map[string]int // of runs that go on: events since the last recorded one; or unrecorded
	gaps, unrecorded int            // runs, since writing last succeeded
}

// unrecorded is a run whose beginning was lost: nothing of it is recorded.
const unrecorded = -1

// errLost is an event of a run whose beginning found no room.
var errLost = errors.New("the beginning of the run could not be recorded")

// admit lets an event into the queue, unless the queue is full or gone; the error is then
// why. A run whose beginning was lost stays out. The end of any other run is always let in:
// a run has one, so that they are no more than the runs that have begun. The caller holds mu.
func (w *writer) admit(q *queued) error {
	if q.view == nil { // no event, see flush
		return w.gone()
	}
	e := &q.event
	lost := w.lost.runs[e.Run]
	full := w.queue.bytes > queueMost
	why := w.gone()
	if why == nil && (lost == unrecorded || full && e.End == nil) {
		why = cmp.Or(w.failing, errLost)
	}
	if why != nil {
		w.lose(e, lost)
		return why
	}
	delete(w.lost.runs, e.Run)
	e.Lost += lost
	if full && e.End.Failure == nil {
		e.End = &execution.End{Value: (&Gap{Reason: Unwritten}).value()}
		q.size, q.bytes = 0, eventBytes
	}
	return nil
}

// gone is why nothing is recorded any more; nil: it is. The caller holds mu.
func (w *writer) gone() error {
	if w.off == nil && w.closing {
		return errClosed
	}
	return w.off
}

// lose counts an event as lost.
func (w *writer) lose(e *execution.Event, before int) {
	switch {
	case e.End != nil:
		delete(w.lost.runs, e.Run)
	case e.Start != nil:
		w.lost.runs[e.Run] = unrecorded
		w.lost.unrecorded++
	case before != unrecorded:
		if before == 0 {
			w.lost.gaps++
		}
		w.lost.runs[e.Run]++
	}
}

// answer is the error that a run gets when its event is not in the database.
//
// A run that does not have to be durable gets none, except before a call that is not safe
// to repeat: such a call is made only when its run could be resumed with the knowledge of
// it, or not at all.
func (w *writer) answer(e execution.Event, err error, waited bool) error {
	switch {
	case err == nil:
		return nil
	case w.store.opts.Durable:
		return fmt.Errorf("--durable: the run cannot be kept: %w", err)
	case waited && !w.note(e, shortNote):
		return fmt.Errorf("the call is not safe to repeat, so it is recorded before it is made, which is not possible now; "+
			"make room for the history, or run with --no-history: %w", err)
	}
	return nil
}
