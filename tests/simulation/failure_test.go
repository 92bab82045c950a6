package simulation

import (
	"errors"
	"strings"

	"toolgraph/execution"
)

// checkFailure checks that the failure of a run is that of its last record, and that each
// failure from there inward is the first one that the journal has.
func (w *world) checkFailure(err error) {
	var reported *execution.Failure
	if !errors.As(err, &reported) {
		w.violated("the run failed with %T: %v", err, err)
		return
	}
	failed := w.firstFailed("")
	if failed == nil {
		return // a limit, a cancellation or a check before a step: no record
	}
	if !same(reported, failed.Error) {
		w.violated("the run failed with %s %q, and record %s with %s %q", reported.Code, reported.Message, failed.At(), failed.Error.Code, failed.Error.Message)
	}
	w.checkInward(failed)
}

// firstFailed returns the first failed record that is directly in an execution: in its frame, or of its parts.
func (w *world) firstFailed(in execution.Address) *execution.Record {
	for i := range w.events {
		if r := w.events[i].Record; r != nil && r.Error != nil && r.At().Around() == in {
			return r
		}
	}
	return nil
}

// checkInward compares the failure of a record with the first failure inside it.
func (w *world) checkInward(r *execution.Record) {
	inner := w.firstFailed(r.At())
	if inner == nil {
		return
	}
	// The value of an onError may fail itself.
	if !same(r.Error, inner.Error) && r.Error.Code != execution.CodeLimit && r.Error.Code != execution.CodeExpression {
		w.violated("record %s failed with %s %q, and the first failure in it is %s with %s %q",
			r.At(), r.Error.Code, r.Error.Message, inner.At(), inner.Error.Code, inner.Error.Message)
	}
	w.checkInward(inner)
}

// same reports whether two failures are one; an outer one may say more.
func same(a, b *execution.Failure) bool {
	return a.Code == b.Code && a.Detail == b.Detail &&
		(strings.HasPrefix(a.Message, b.Message) || strings.HasPrefix(b.Message, a.Message))
}
