package simulation

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// kind is an invariant of a fleet.
type kind string

const (
	fenceKind   kind = "fence"   // no event of a process after another one has claimed its run
	orderKind   kind = "order"   // the events of a run are a sequence that one process could have written
	finishKind  kind = "finish"  // a run ends once
	sentKind    kind = "sent"    // a call that is not safe to repeat is sent once, unless an operator permits more
	endKind     kind = "end"     // each run has an end, and each client an answer, when the faults stop
	outcomeKind kind = "outcome" // all clients of a key get the same: what the undisturbed run has
	answerKind  kind = "answer"  // an answer counts once, for the question that it is to
	leaseKind   kind = "lease"   // a process whose heart beats does not lose its runs
	engineKind  kind = "engine"  // what a process reads, the engine can go on with
)

type violation struct {
	kind kind
	text string
}

// note adds a line to the trace.
func (f *fleet) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trace = append(f.trace, fmt.Sprintf("%9.3fs ", time.Since(f.began).Seconds())+fmt.Sprintf(format, args...))
}

// violated adds a violation of an invariant.
func (f *fleet) violated(k kind, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.violate(k, format, args...)
}

func (f *fleet) violate(k kind, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	f.trace = append(f.trace, fmt.Sprintf("VIOLATION of %s: %s", k, text))
	f.violations = append(f.violations, violation{k, text})
}

// check checks the runs of a fleet in which nothing happens any more.
func (f *fleet) check() {
	for _, id := range slices.Sorted(maps.Keys(f.db.runs)) {
		row := f.db.runs[id]
		f.checkTerms(id, row)
		events := row.load()
		if err := execution.CheckEvents(events); err != nil {
			f.violated(orderKind, "%s: %v", id, err)
		}
		f.checkEnds(id, row.status, events)
		f.checkAnswers(id, events)
	}
}

// checkTerms checks that each event is of the process that had the run, and that the events of a
// process are the first ones that its run had there.
func (f *fleet) checkTerms(id string, row *runRow) {
	written := map[*tenure]int{}
	for i, e := range row.events {
		at := len(row.terms) - 1
		for row.terms[at].first > i {
			at--
		}
		if owner := row.terms[at].owner; owner != e.owner {
			f.violated(fenceKind, "%s: event %d, %s, is of %s, and %s has claimed the run", id, i, describe(&e.event), e.owner, owner)
		}
		n, got := written[e.by], describe(&e.event)
		if n >= len(e.by.appended) || e.by.appended[n] != got || n > 0 && row.events[i-1].by != e.by {
			f.violated(orderKind, "%s: event %d is %s, which is not event %d of the run in %s, or not the next one", id, i, got, n, e.owner)
		}
		written[e.by]++
		resolved := slices.ContainsFunc(row.terms, func(t term) bool { return t.first == i && t.operator })
		if i > 0 && row.events[i-1].event.End != nil && !resolved {
			f.violated(finishKind, "%s: event %d is after the end, and no operator has resolved a call", id, i)
		}
	}
}

// checkEnds checks the end of a run, and what its clients have got.
func (f *fleet) checkEnds(id string, status journal.Status, events []execution.Event) {
	var ends []*execution.End
	final := 0
	for i := range events {
		if end := events[i].End; end != nil {
			ends = append(ends, end)
			if end.Failure == nil || end.Failure.Code != execution.CodeOutcomeUnknown {
				final++
			}
		}
	}
	if final > 1 {
		f.violated(finishKind, "%s has %d ends", id, final)
	}
	if len(ends) == 0 {
		return // it is reported that the schedule has no end
	}
	for _, c := range f.clients {
		if c.run == id && c.done && !c.gone && c.outcome != outcomeOf(ends[0]) {
			f.violated(outcomeKind, "client %d has got %s of %s, which has %s", c.number, c.outcome, id, outcomeOf(ends[0]))
		}
	}
	if final == 0 {
		return
	}
	if status == journal.Cancelled && !f.cancelled[id] {
		f.violated(outcomeKind, "%s is cancelled, and no client has cancelled it", id)
	}
	w, st := newWorld(f.world.s, 0), &story{}
	w.events, w.cancelled = events, f.cancelled[id]
	if last := ends[len(ends)-1]; last.Failure != nil {
		st.err = last.Failure
	} else {
		st.value = text(last.Value)
	}
	w.compare(f.reference, f.undisturbed, st)
	for _, v := range st.violations {
		f.violated(outcomeKind, "%s: %s", id, v)
	}
}

// checkAnswers checks that each question has one answer, which is the user's.
func (f *fleet) checkAnswers(id string, events []execution.Event) {
	seen := map[string]bool{}
	for i := range events {
		a := events[i].Answer
		if a == nil || a.Action == execution.TimedOut || a.Action == execution.NoUser {
			continue
		}
		name := questionOf(events[i].At(), a.Digest)
		if seen[name] {
			f.violated(answerKind, "%s: question %s has two answers", id, name)
		}
		seen[name] = true
		q := &execution.Question{Node: events[i].Step.Name(), Digest: a.Digest}
		if a.Content != nil {
			q.Form = &config.Data{}
		}
		if want := answerOfUser(q); a.Action != want.Action || a.Content != nil && text(a.Content) != text(want.Content) {
			f.violated(answerKind, "%s: question %s is answered with %s %s, and the user has said %s %s",
				id, name, a.Action, text(a.Content), want.Action, text(want.Content))
		}
	}
}
