package execution

import (
	"context"
	"errors"
)

// emit gives an event to the journal first, then to the observers.
func (h *hooks) emit(ctx context.Context, e Event) error {
	if err := h.record(ctx, e); err != nil {
		return err
	}
	return h.notify(e)
}

// record gives an event to the journal, also when the run has just been cancelled.
func (h *hooks) record(ctx context.Context, e Event) (err error) {
	defer recovered(&err)
	if h.journal == nil {
		return nil
	}
	return h.journal.Append(context.WithoutCancel(ctx), e)
}

// notify gives an event to every observer. The error is the first panic of one.
func (h *hooks) notify(e Event) error {
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

// failureToRecord returns an error of drive as a Failure.
func failureToRecord(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Code: CodeInternal, Message: err.Error(), err: err}
}
