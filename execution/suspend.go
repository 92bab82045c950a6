package execution

import (
	"context"
	"errors"
)

// ErrSuspended is a run that stops here and can be resumed later: what it was doing and its
// end are not recorded, as if the process had died. With WithStop a run is suspended between
// two nodes; as the cause with which its context is ended, at once, also during a call.
var ErrSuspended = errors.New("the process is ending, and the run is suspended")

// WithStop suspends a run before its next node once stop is closed. A call in flight ends
// first and is recorded, so that its outcome is known when the run is resumed.
func WithStop(stop <-chan struct{}) Option { return func(h *hooks) { h.stop = stop } }

// stopped is the error of a run that is to be suspended before a node; or nil.
func (h *hooks) stopped() error {
	select {
	case <-h.stop:
		return &Failure{Code: CodeCancelled, Message: ErrSuspended.Error(), err: ErrSuspended}
	default:
		return nil
	}
}

// suspended reports whether a failure only comes of that.
func suspended(ctx context.Context, f *Failure) bool {
	return f != nil && f.Code == CodeCancelled && (errors.Is(f, ErrSuspended) || errors.Is(context.Cause(ctx), ErrSuspended))
}
