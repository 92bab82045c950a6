package journal

import (
	"errors"
	"fmt"

	"toolgraph/execution"
)

// ErrTaken is the error of recording an event of a run that this process does not have: another process
// took this one for dead, so the run continues there, or was deleted; or another one has started a
// run with this id before. No call is made after it.
var ErrTaken = execution.ErrTaken

// ErrNotBegun is the error of recording the beginning of a run that happens once, when the store cannot be
// written.
var ErrNotBegun = errors.New("the run happens once, and its beginning cannot be recorded")

// ErrNotEnded is the error of recording the end of a run that happens once, when the store cannot be written.
// No client has learned of the end: if this process dies before it is recorded, another one resumes the run,
// and the end may be a different one.
var ErrNotEnded = errors.New("the run happens once, and its end cannot be recorded")

func takenError(run string) error {
	return fmt.Errorf("run %s is not recorded any more: %w, because it took this process for dead", run, ErrTaken)
}

// taken marks a run that another process has taken, and counts it if this one had it.
func (w *writer) taken(run string, had bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if had && !w.runsTaken[run] {
		w.store.tally.lost.Add(1)
	}
	w.runsTaken[run] = true
	w.queue.drop(run) // it may be claimed again, and go on from what is written
	delete(w.working, run)
	delete(w.gaps, run)
}

// clearTaken forgets that another process has taken a run: this one has claimed it, or has never had it.
func (w *writer) clearTaken(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.runsTaken, run)
}

// isTaken reports whether another process has taken a run.
func (w *writer) isTaken(run string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runsTaken[run]
}
