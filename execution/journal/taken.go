package journal

import (
	"errors"
	"fmt"
)

// ErrTaken is the error of recording an event of a run that this process has lost: another process
// took this one for dead, so the run continues there, or was deleted. No call is made after it.
var ErrTaken = errors.New("another process has taken over the run")

func takenError(run string) error {
	return fmt.Errorf("run %s is not recorded any more: %w, because it took this process for dead", run, ErrTaken)
}

// taken marks a run that another process has taken.
func (w *writer) taken(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runsTaken[run] = true
}

// isTaken reports whether another process has taken a run.
func (w *writer) isTaken(run string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runsTaken[run]
}
