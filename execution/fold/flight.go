package fold

import (
	"slices"
	"time"

	"toolgraph/execution"
)

// flight is what has begun and not ended, how long users were asked, and how long the run was held.
type flight struct {
	begun  map[execution.Address]Flying
	asked  map[execution.Address]time.Time // of open questions
	waited map[execution.Address]time.Duration
	held   map[execution.Address]time.Duration
}

// Flying is a step or part that has begun and not ended.
type Flying struct {
	Visit *execution.Visit
	Since time.Time // of a call: when its attempt left the process
}

func newFlight() flight {
	return flight{begun: map[execution.Address]Flying{}, asked: map[execution.Address]time.Time{}, waited: map[execution.Address]time.Duration{}, held: map[execution.Address]time.Duration{}}
}

// begin takes an event of a step that has not ended.
func (f *flight) begin(l logged) {
	at := l.begun.At()
	switch l.kind {
	case execution.StepReady, execution.CallStarted, execution.PartsStarted:
		f.begun[at] = Flying{Visit: l.begun, Since: l.at}
	case execution.QuestionAsked:
		f.begun[at], f.asked[at] = Flying{Visit: l.begun, Since: l.at}, l.at
	case execution.Answered:
		if since, open := f.asked[at]; open {
			f.waited[at] += l.at.Sub(since)
			delete(f.asked, at)
		}
	case execution.RunStarted, execution.AttemptFailed, execution.StepFinished, execution.ContextEdited, execution.RunFinished:
	}
}

// end removes what ends with a record: its own step or part, and what is below.
func (f *flight) end(r *execution.Record) {
	if r.Edited || len(f.begun) == 0 {
		return
	}
	at := r.At()
	for other := range f.begun {
		if other == at || at.Contains(other) {
			delete(f.begun, other)
			delete(f.asked, other)
		}
	}
}

// InFlight returns the steps and parts at an address and below it that have begun and not ended, in
// the order of their addresses; for the empty address those of the whole run.
func (h *History) InFlight(at execution.Address) (all []Flying) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for other, flying := range h.flight.begun {
		if at == "" || at == other || at.Contains(other) {
			all = append(all, flying)
		}
	}
	slices.SortFunc(all, func(a, b Flying) int { return a.Visit.At().Compare(b.Visit.At()) })
	return all
}

// Waited returns how long a step or part waited for answers of its user.
func (h *History) Waited(at execution.Address) time.Duration {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.flight.waited[at]
}

// Hold adds how long the run was held before a step or part. No event has it, so it is not known of
// recorded runs.
func (h *History) Hold(before *execution.Visit, took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold(logged{record: -1, begun: before, held: max(took, 1)})
}

// hold is Hold. h.mu is held.
func (h *History) hold(l logged) {
	h.log = append(h.log, l)
	h.flight.held[l.begun.At()] += l.held
}

// Held returns how long the run was held before a step or part.
func (h *History) Held(at execution.Address) time.Duration {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.flight.held[at]
}
