package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// begin adds a call to the ledger and checks that it may be made.
func (w *world) begin(p *process, c *execution.Call) *entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, attempt := c.At(), attemptOf(c.Attempt)
	spec := w.s.specs[c.Name()]
	made := &entry{call: *c, process: p}
	switch {
	case spec == nil:
		w.violate("call %s is of %q, which is no call of the file", at, c.Name())
		return made
	case p.cancelled:
		w.violate("call %s begins after the cancellation", at)
	case attempt <= w.kept[at]:
		w.violate("call %s attempt %d is made again, and its outcome was in the journal", at, attempt)
	case c.Timeout != spec.timeout:
		w.violate("call %s has the timeout %v, want %v", at, c.Timeout, spec.timeout)
	case w.s.maxTime > 0 && time.Since(p.started)-w.stood > w.s.maxTime:
		w.violate("call %s begins after %v of %v", at, time.Since(p.started)-w.stood, w.s.maxTime)
	}
	if spec.confirm {
		w.checkConfirmed(c)
	}
	w.checkAgain(made, spec)
	w.checkStarted(c)
	w.checkKey(c)
	w.checkSiblings(at)
	w.ledger[at] = append(w.ledger[at], made)
	w.checkUsage()
	return made
}

// checkAgain checks that an attempt is made once, unless it was in doubt and may be repeated.
func (w *world) checkAgain(made *entry, spec *spec) {
	at, attempt := made.call.At(), attemptOf(made.call.Attempt)
	for _, before := range w.ledger[at] {
		switch {
		case attemptOf(before.call.Attempt) < attempt:
			if !before.answered && !w.wasClosed(at, attemptOf(before.call.Attempt)) {
				w.violate("call %s attempt %d begins, and attempt %d has no outcome", at, attempt, before.call.Attempt)
			}
			continue
		case before.process == made.process:
			w.violate("call %s attempt %d is made twice by one process", at, attempt)
		case !spec.safe && !w.repeatable[at]:
			w.violate("call %s attempt %d is not safe to repeat, and is repeated without a resolution", at, attempt)
		}
		if text(before.call.Args) != text(made.call.Args) {
			w.violate("call %s has other arguments: %s, before %s", at, text(made.call.Args), text(before.call.Args))
		}
	}
	delete(w.repeatable, at)
}

// wasClosed reports whether the journal has the failure of an attempt.
func (w *world) wasClosed(at execution.Address, attempt int) bool {
	return slices.ContainsFunc(w.events, func(e execution.Event) bool {
		return e.Kind == execution.AttemptFailed && e.At() == at && attemptOf(e.Step.Attempt) == attempt
	})
}

// checkStarted checks that the journal has the start of the call, last of its address.
func (w *world) checkStarted(c *execution.Call) {
	for i := range slices.Backward(w.events) {
		e := &w.events[i]
		if e.At() != c.At() || e.Step == nil && e.Record == nil {
			continue
		}
		if e.Kind != execution.CallStarted || attemptOf(e.Step.Attempt) != attemptOf(c.Attempt) {
			w.violate("call %s attempt %d begins after %s", c.At(), attemptOf(c.Attempt), describe(e))
		}
		return
	}
	w.violate("call %s begins and is not in the journal", c.At())
}

// checkKey checks the idempotency key.
func (w *world) checkKey(c *execution.Call) {
	base := runID + "/" + string(c.At())
	want := []string{base}
	for _, e := range w.events {
		if e.Kind != execution.AttemptFailed || e.At() != c.At() || attemptOf(e.Step.Attempt) >= attemptOf(c.Attempt) {
			continue
		}
		next := fmt.Sprintf("%s#%d", base, attemptOf(e.Step.Attempt)+1)
		switch config.FailureCode(e.Retry.Error.Detail) {
		case config.FailTimeout, config.FailTransport, config.FailServerExited:
		case config.FailServerStart: // nothing was sent: either key will do
			want = append(want, next)
		default:
			want = []string{next}
		}
	}
	if key, _ := c.Meta["toolgraph/idempotencyKey"].(string); !slices.Contains(want, key) {
		w.violate("call %s attempt %d has the key %q, want %s", c.At(), attemptOf(c.Attempt), key, strings.Join(want, " or "))
	}
}

// checkSiblings checks that nothing begins below a failure: in the frame of a step that failed, or
// beside a part that did.
func (w *world) checkSiblings(at execution.Address) {
	for i := range w.events {
		r := w.events[i].Record
		if r == nil || r.Error == nil {
			continue
		}
		if r.At().Around().Contains(at) {
			w.violate("call %s begins after %s has failed", at, r.At())
		}
	}
}

// checkWrite checks an event that was just added to the journal.
func (w *world) checkWrite(e *execution.Event) {
	w.checkUsage()
	w.checkOrder(e)
	r := e.Record
	if r == nil {
		return
	}
	for i := range w.events[:len(w.events)-1] {
		if w.events[i].Record != nil && w.events[i].At() == r.At() {
			w.violate("%s is recorded twice", r.At())
		}
	}
	if r.Error != nil && r.Error.Code == execution.CodeCancelled && !w.cancelled {
		w.violate("record %s was cancelled, and the run was not", r.At())
	}
}

// resumedFrom keeps which outcomes the journal has from which a process is resumed.
func (w *world) resumedFrom() {
	clear(w.kept)
	for i := range w.events {
		switch e := &w.events[i]; e.Kind {
		case execution.AttemptFailed:
			w.kept[e.At()] = attemptOf(e.Step.Attempt)
		case execution.StepFinished:
			w.kept[e.At()] = 1 << 30
		}
	}
}

// records returns the records of a journal by address.
func records(events []execution.Event) map[execution.Address]*execution.Record {
	all := map[execution.Address]*execution.Record{}
	for i := range events {
		if r := events[i].Record; r != nil {
			all[r.At()] = r
		}
	}
	return all
}

// checkHistory checks that a result has all records of the journal, in the order of addresses.
func (w *world) checkHistory(result *execution.Result) {
	kept, history := records(w.events), result.History()
	for i := range history {
		r := &history[i]
		if i > 0 && result.Compare(history[i-1].At(), r.At()) >= 0 {
			w.violated("the history has %s before %s", history[i-1].At(), r.At())
		}
		if k := kept[r.At()]; k == nil {
			w.violated("the history has %s, the journal has not", r.At())
		} else if describeRecord(k) != describeRecord(r) {
			w.violated("the history has %s: %s, the journal %s", r.At(), describeRecord(r), describeRecord(k))
		}
	}
	if len(history) != len(kept) {
		w.violated("the history has %d records, the journal %d", len(history), len(kept))
	}
}

// raced reports whether a part failed without an onError that took it: then other parts may have
// ended or not.
func raced(all map[execution.Address]*execution.Record) bool {
	for _, r := range all {
		if r.Part != "" && r.Error != nil {
			return true
		}
	}
	return false
}

// checkEqual checks the records against those of the reference: all of them when the run has a
// value, else those that both have and that did not fail.
func (w *world) checkEqual(reference map[execution.Address]*execution.Record, whole bool) {
	here := records(w.events)
	if raced(here) || raced(reference) {
		return
	}
	for at, r := range here {
		other := reference[at]
		switch {
		case other == nil && whole:
			w.violated("record %s is not in the reference", at)
		case other == nil || !whole && (r.Error != nil || other.Error != nil):
		case describeRecord(r) != describeRecord(other):
			w.violated("record %s is %s, in the reference %s", at, describeRecord(r), describeRecord(other))
		}
	}
	if whole && len(here) != len(reference) {
		for at := range reference {
			if here[at] == nil {
				w.violated("record %s of the reference is missing", at)
			}
		}
	}
}
