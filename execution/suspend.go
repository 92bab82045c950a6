package execution

import (
	"context"
	"errors"
)

// ErrSuspended is the error of a run that stops and can be resumed later: its current step and
// its end are not recorded, as if the process had died. WithStop suspends a run between two
// nodes; a context that ends with this cause suspends it at once, also during a call.
var ErrSuspended = errors.New("the process is ending, and the run is suspended")

// WithStop suspends a run before its next node once stop is closed. A call in flight ends
// first and is recorded, so that its outcome is known when the run is resumed.
func WithStop(stop <-chan struct{}) Option { return func(h *hooks) { h.stop = stop } }

// stopped returns the error of a run that is to be suspended before a node; or nil.
func (h *hooks) stopped() error {
	select {
	case <-h.stop:
		return &Failure{Code: CodeCancelled, Message: ErrSuspended.Error(), err: ErrSuspended}
	default:
		return nil
	}
}

// suspended reports whether a failure only comes of the suspension of the run.
func suspended(ctx context.Context, f *Failure) bool {
	return f != nil && f.Code == CodeCancelled && (errors.Is(f, ErrSuspended) || errors.Is(context.Cause(ctx), ErrSuspended))
}
