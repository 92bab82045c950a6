package simulation

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"toolgraph/execution"
)

// check loads the runs with a store of its own, and checks what is recorded.
func (f *stores) check(t testing.TB) {
	t.Helper()
	store, way := f.place.open(t, f, 0)
	way.calm()
	defer way.kill()
	defer store.Close()
	f.mu.Lock()
	runs := slices.Sorted(maps.Keys(f.outcomes))
	f.mu.Unlock()
	for _, run := range runs {
		events, err := store.Load(t.Context(), run)
		if err != nil {
			f.violated(orderKind, "%s cannot be loaded: %v", run, err)
			continue
		}
		if err := execution.CheckEvents(events); err != nil {
			f.violated(orderKind, "%s: %v", run, err)
		}
		f.checkStays(run, events)
		f.checkEnd(run, events)
	}
}

// checkStays checks that the events of a run are those of one process after the other, that of each
// process nothing is missing before an event that is recorded, and that what was acknowledged as
// recorded is. What a process has only noted follows what it has written: the last attempts of the calls that it leaves.
func (f *stores) checkStays(run string, events []execution.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var now *stay
	seen, known := map[*stay]bool{}, map[string]bool{}
	last, noted := map[*stay]int{}, map[*stay]int{}
	attempts := map[*stay]map[execution.Address]int{}
	for i := range events {
		name := identity(&events[i])
		known[name] = true
		by := f.writerOf(run, name)
		switch {
		case by == nil:
			f.violate(orderKind, "%s: event %d, %s, is of no process", run, i, name)
			continue
		case by != now && seen[by]:
			f.violate(fenceKind, "%s: event %d, %s, is of %s, and %s has taken over before", run, i, name, by.m.name, now.m.name)
		}
		if !seen[by] && i != by.from {
			f.violate(fenceKind, "%s: event %d, %s, is the first of %s, which claimed the run when it had %d", run, i, name, by.m.name, by.from)
		}
		now, seen[by] = by, true
		if e := &events[i]; e.Kind == execution.CallStarted && f.place.notes() {
			if attempts[by] == nil {
				attempts[by] = map[execution.Address]int{}
			}
			attempts[by][e.At()] = max(attempts[by][e.At()], e.Step.Attempt)
		}
		by.mu.Lock()
		noted[by] = max(noted[by], by.appended[name].began)
		if !by.appended[name].safe || !f.place.notes() {
			last[by] = noted[by]
		}
		by.mu.Unlock()
	}
	for _, s := range f.stays {
		if s.run != run {
			continue
		}
		s.mu.Lock()
		for name, a := range s.appended {
			switch {
			case known[name]:
			case a.safe && a.attempt < attempts[s][a.at]:
			case a.safe:
				f.violate(sentKind, "%s: %s of %s was acknowledged, and is not recorded", run, name, s.m.name)
			case a.ended > 0 && !a.failed && a.ended < last[s]:
				f.violate(orderKind, "%s: %s of %s is missing before an event that is recorded", run, name, s.m.name)
			}
		}
		s.mu.Unlock()
	}
}

func (f *stores) writerOf(run, name string) *stay {
	for _, s := range f.stays {
		if s.run == run {
			s.mu.Lock()
			_, has := s.appended[name]
			s.mu.Unlock()
			if has {
				return s
			}
		}
	}
	return nil
}

// checkEnd checks that a run has one end, that all its clients have got it, and that it is that of
// the run without faults.
func (f *stores) checkEnd(run string, events []execution.Event) {
	var ends []*execution.End
	for i := range events {
		if end := events[i].End; end != nil {
			ends = append(ends, end)
		}
	}
	if len(ends) != 1 {
		f.violated(finishKind, "%s has %d ends", run, len(ends))
		return
	}
	end := ends[0]
	for _, got := range f.outcomes[run] {
		if got != outcomeOf(end) {
			f.violated(outcomeKind, "a client has got %s of %s, which has %s", got, run, outcomeOf(end))
		}
	}
	if end.Failure != nil {
		switch end.Failure.Code {
		case execution.CodeOutcomeUnknown:
			return
		case execution.CodeInternal: // the store could not be written before a call
			f.mu.Lock()
			f.refused++
			f.mu.Unlock()
			return
		}
	}
	w, st := newWorld(f.s, 0), &story{}
	w.events = events
	if end.Failure != nil {
		st.err = end.Failure
	} else {
		st.value = text(end.Value)
	}
	w.compare(f.reference, f.undisturbed, st)
	for _, v := range st.violations {
		f.violated(outcomeKind, "%s: %s", run, v)
	}
}

var errDrained = errors.New("the process is stopping")

// outcomeOf is an end as a client sees it.
func outcomeOf(end *execution.End) string {
	if f := end.Failure; f != nil {
		return fmt.Sprintf("error %s %s", f.Code, f.Detail)
	}
	return text(end.Value)
}
