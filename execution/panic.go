package execution

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"runtime/debug"
)

// PanicError is a panic of what a run is plugged into, or of the engine itself. Its text
// names an id only: what the panic says may hold values of the run.
type PanicError struct {
	ID    string
	Value any
	Stack []byte
}

// Error is "internal error, id ID; …".
func (e *PanicError) Error() string {
	return "internal error, id " + e.ID + "; the log has the details"
}

// WithPanicReport has each panic of a run reported, with what the client does not see.
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

// report hands a panic on.
func (h *hooks) report(run string, err error) {
	var p *PanicError
	if h.panicked != nil && errors.As(err, &p) {
		h.panicked(run, p)
	}
}
