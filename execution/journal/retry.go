package journal

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
)

// A store that is locked by another process, or whose disk is full, can be written again later:
// the writer retries until then. Meanwhile events wait in the queue, and runs wait for room in
// it. When that takes too long, events are lost, and the next recorded event of the run has their
// number.

const (
	// retryEvery is the pause between two attempts to write, and lockedRetry that after a lock of
	// another process, for which the attempt itself has waited, see sqlite.busy.
	retryEvery  = time.Second
	lockedRetry = 10 * time.Millisecond
	// patientAttempts is how many attempts a lock may fail before a full queue loses events: runs
	// wait for 30 s at most. Most locks are shorter. Runs do not wait for a full disk.
	patientAttempts = 15
	// durableAttempts is how many attempts fail before a durable run fails: 36 s, less than the
	// minute after which most clients give up.
	durableAttempts = 18
	// retryFirst is the first pause where calls cannot be noted, which doubles; unreachableAttempts is
	// how many attempts fail before runs do not wait any more: 8 s and what the attempts take.
	retryFirst          = 25 * time.Millisecond
	unreachableAttempts = 12
	// closingAttempts is how many attempts there are once the store is closed.
	closingAttempts = 2
)

// pauseAfter returns the pause after an attempt to write. A connection that was lost is there again soon.
func (s *Store) pauseAfter(err error) <-chan time.Time {
	if s.data.Trouble(err) == Locked {
		return time.After(lockedRetry)
	}
	if s.noter == nil {
		s.writer.mu.Lock()
		defer s.writer.mu.Unlock()
		return time.After(min(retryEvery, retryFirst<<min(s.writer.attempts, 10)))
	}
	return time.After(retryEvery)
}

// isPatient reports whether runs wait on although an attempt has failed: for the commit, and for room in
// the queue. The caller holds mu.
//
// Where calls can be noted, only a durable run waits for more than room, and a full disk is not waited
// for. Elsewhere each wait is for what must not be lost, and a server that cannot be reached is
// mostly there again soon.
func (w *writer) isPatient(err error) (forCommit, forRoom bool) {
	locked := w.store.data.Trouble(err) == Locked
	if w.store.noter == nil {
		patient := w.attempts < unreachableAttempts
		return patient, patient
	}
	return w.store.opts.Durable && locked && w.attempts < durableAttempts, locked && w.attempts < patientAttempts
}

// isTemporary reports whether an error of the store may be over later.
func (s *Store) isTemporary(err error) bool { return s.data.Trouble(err) >= Passing }

// persist calls try until it succeeds. The error is a permanent one, or that of the last attempt
// before the store is closed. Runs that wait for the batch, or for queued events, are released
// when that takes too long.
func (w *writer) persist(batch []queued, try func() error) error {
	for left := closingAttempts; ; {
		err := try()
		if err == nil {
			w.recovered()
			return nil
		}
		if w.store.isTrouble(err) {
			w.store.tally.writes.Add(1)
		}
		if !w.store.isTemporary(err) {
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

// failed handles a failed attempt to write.
func (w *writer) failed(batch []queued, err error) {
	w.mu.Lock()
	first := w.failing == nil
	w.failing = err
	w.attempts++
	forCommit, forRoom := w.isPatient(err)
	w.lossy = !forRoom
	if !forCommit {
		release(batch, err)
		w.queue.awaited -= release(w.queue.events, err)
	}
	w.room.Broadcast()
	w.mu.Unlock()
	if first {
		w.store.opts.Logger.Warn("run history cannot be written now; retrying; "+w.unrecorded(), "error", err)
	}
}

// unrecorded says which runs are refused while nothing can be recorded, and which go on: see errorOf.
func (w *writer) unrecorded() string {
	if w.store.opts.Durable {
		return "runs are refused, because of --durable"
	}
	return "calls with a key, and calls that are not safe to repeat, are refused when they cannot be recorded before they begin; other runs go on without a record"
}

// recovered handles an attempt to write that has succeeded.
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

// losses counts the events that found no room in the queue.
type losses struct {
	runs             map[string]int // of runs in progress: events since the last recorded one; or unrecorded
	gaps, unrecorded int            // runs, since writing last succeeded
}

// unrecorded marks a run whose beginning was lost: no event of it is recorded.
const unrecorded = -1

// errLost is the error of an event of a run whose beginning was lost.
var errLost = errors.New("the beginning of the run could not be recorded")

// admit returns the error of an event that the queue does not take, because it is full or closed,
// or because the beginning of the run was lost. It takes the end of every other run: a run has
// one end, so there are no more of them than runs that have begun. The caller holds mu.
func (w *writer) admit(q *queued) error {
	if q.view == nil { // a flush
		return w.gone()
	}
	e := &q.event
	if w.runsTaken[e.Run] {
		if e.End != nil {
			delete(w.runsTaken, e.Run)
		}
		return takenError(e.Run)
	}
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
		e.End = &execution.End{Value: (&Gap{Reason: Unwritten}).value(), Spilled: e.End.Spilled, Used: e.End.Used}
		q.size, q.bytes = 0, eventBytes
	}
	return nil
}

// gone returns why events are no longer recorded, or nil. The caller holds mu.
func (w *writer) gone() error {
	if w.off == nil && w.closing {
		return ErrClosed
	}
	return w.off
}

// disabled is gone for who does not hold mu.
func (w *writer) disabled() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone()
}

// lose counts an event as lost.
func (w *writer) lose(e *execution.Event, before int) {
	w.store.tally.unrecorded.Add(1)
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

// errorOf returns the error of Append for an event that is not in the database.
//
// A run that is not durable gets an error only at its beginning and end, if it happens once, and before a
// call that is not safe to repeat: such a call is made only when the resumed run would have a record of
// it. An end that was awaited in vain stays in the queue: it may be recorded later.
func (w *writer) errorOf(e execution.Event, err error, waited bool) error {
	switch {
	case err == nil || errors.Is(err, ErrTaken):
		return err
	case waited && e.Sync && e.Kind == execution.RunStarted:
		return fmt.Errorf("%w: %w", ErrNotBegun, err)
	case waited && e.Sync && e.Kind == execution.RunFinished:
		return fmt.Errorf("%w: %w", ErrNotEnded, err)
	case w.store.opts.Durable:
		return fmt.Errorf("--durable: the run cannot be recorded: %w", err)
	case waited && e.Kind == execution.CallStarted && e.Step.Task == "" && !w.note(e, shortNote):
		return fmt.Errorf("the call is not safe to repeat and cannot be recorded before it is made; "+
			"make the history writable, or run with --no-history: %w", err)
	}
	return nil
}
