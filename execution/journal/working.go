package journal

// The runs on which this process works: from the first event, or the claim, until the end is committed,
// or the run is given back or taken.

// work begins the work on a run that is claimed. The function ends it again when that fails.
func (w *writer) work(run string) (done func(err *error)) {
	w.mu.Lock()
	before := w.working[run]
	w.working[run] = true
	w.mu.Unlock()
	return func(err *error) {
		if *err != nil && !before {
			w.leave(run)
		}
	}
}

// leave ends the work on a run.
func (w *writer) leave(run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.working, run)
	delete(w.gaps, run)
}

// works reports whether this process works on a run.
func (w *writer) works(run string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.working[run]
}
