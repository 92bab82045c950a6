package execution

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"runtime/debug"
)

// PanicError is a panic of a caller, a journal, a gate, an observer, or of the engine itself.
// Its text has only an id: the text of the panic may have values of the run.
type PanicError struct {
	ID    string
	Value any
	Stack []byte
}

// Error is "internal error, id ID; …".
func (e *PanicError) Error() string {
	return "internal error, id " + e.ID + "; the log has the details"
}

// WithPanicReport sets the function that gets each panic of a run, for the log.
func WithPanicReport(report func(run string, p *PanicError)) Option {
	return func(h *hooks) { h.panicked = report }
}

// recovered turns a panic into an error, when it is deferred.
func recovered(err *error) {
	p := recover()
	if p == nil {
		return
	}
	var raw [6]byte
	_, _ = rand.Read(raw[:]) // never fails, see crypto/rand
	*err = &PanicError{ID: hex.EncodeToString(raw[:]), Value: p, Stack: debug.Stack()}
}

// report reports a panic, if the error is one.
func (h *hooks) report(run string, err error) {
	var p *PanicError
	if h.panicked != nil && errors.As(err, &p) {
		h.panicked(run, p)
	}
}
