package execution

import (
	"context"
	"errors"
)

// emit gives an event to the journal first, then to the observers.
func (h *hooks) emit(ctx context.Context, e Event) error {
	if err := h.keep(ctx, e); err != nil {
		return err
	}
	return h.tell(e)
}

// keep gives an event to the journal, also when the run has just been cancelled.
func (h *hooks) keep(ctx context.Context, e Event) (err error) {
	defer recovered(&err)
	if h.journal == nil {
		return nil
	}
	return h.journal.Append(context.WithoutCancel(ctx), e)
}

// tell gives an event to all observers. The error is the panic of the first that did.
func (h *hooks) tell(e Event) error {
	var first error
	for _, o := range h.observers {
		if err := observe(o, e); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func observe(o Observer, e Event) (err error) {
	defer recovered(&err)
	o.Observe(e)
	return nil
}

// keptFailure is an error of drive in the form that is kept.
func keptFailure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Code: CodeInternal, Message: err.Error(), err: err}
}
