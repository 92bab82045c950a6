package execution

import "toolgraph/expressions/value"

// WithWorkStopped is WithStop for evaluations alone: a stop that comes while they are made.
func WithWorkStopped() Option {
	ended := make(chan struct{})
	close(ended)
	return func(h *hooks) { h.stopping = &value.Ending{From: ended, Cause: ErrSuspended} }
}
