package execution

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"toolgraph/expressions/value"
)

// past is what is recorded of a run that is resumed; nil for a new run.
type past struct {
	frames    map[Address][]Record // of each frame, in order; without parts
	ended     map[Address]*Record  // of parts
	fans      map[Address]*Parts   // by the address of the whole execution
	failed    map[Address]*Record  // by the same: the part that failed first
	attempts  map[Address][]Retry  // failed ones that another followed
	answers   map[Address]Answer   // of the user, to the latest question there
	asked     map[Address][]string // the calls of a plan that it was about
	covered   map[string]Answer    // to the calls of a plan
	failing   map[Address]bool     // in which a frame, or a part of a part, has ended with a failure
	called    map[string]int       // calls by server and tool
	tally     *tally
	below     []*Record             // records of parts and of other frames than the run's own
	lastAt    map[Address]time.Time // of the last failed attempt
	cancelled []*Visit              // calls without an outcome, below executions that have ended
	now       func() time.Time
	parked    bool // see WithRest

	mu         sync.Mutex              // guards what follows
	doubts     []*doubt                // in the order of their addresses
	first      Address                 // of the first of them when the run was resumed
	endedAt    Address                 // of the in-doubt call before which the run ended last; empty for none
	resolution Resolution              // of one of them
	results    map[Address]value.Value // of calls that are resolved; nil is nothing
	tasks      map[Address]*resumed    // of calls whose tasks are taken up
}

// pastOf reads the events of a run.
func pastOf(events []Event, h *hooks) *past {
	p := &past{
		frames: map[Address][]Record{}, failing: map[Address]bool{}, ended: map[Address]*Record{}, fans: map[Address]*Parts{}, failed: map[Address]*Record{},
		attempts: map[Address][]Retry{}, answers: map[Address]Answer{}, asked: map[Address][]string{}, covered: map[string]Answer{}, called: map[string]int{}, tally: &tally{}, lastAt: map[Address]time.Time{}, now: h.now, parked: h.rest != nil,
		resolution: h.resolution, results: map[Address]value.Value{}, tasks: map[Address]*resumed{},
	}
	doubts := map[Address]*Visit{}
	copied := 0 // the beginning of a fork, and what it has copied
	if len(events) > 0 && events[0].Start != nil && events[0].Start.Copied > 0 {
		copied = 1 + events[0].Start.Copied
	}
	p.count(events[min(copied, len(events)):])
	for _, e := range events {
		at := e.At()
		switch {
		case e.Kind == CallStarted && e.Step.Task != "":
			doubts[at] = e.Step
		case e.Kind == CallStarted:
			p.called[e.Step.Server+"."+e.Step.Tool]++
			doubts[at] = e.Step
		case e.Kind == AttemptFailed:
			p.attempts[at] = append(p.attempts[at], *e.Retry)
			p.lastAt[at] = e.Time
			delete(doubts, at)
		case e.Kind == PartsStarted:
			p.fans[at] = e.Parts
		case e.Kind == QuestionAsked:
			delete(p.answers, at)
			p.asked[at] = e.Question.Covers
		case e.Kind == Answered:
			p.addAnswer(at, e)
		case e.Record != nil:
			p.add(*e.Record, at)
			delete(doubts, at)
			p.end(at, doubts)
		case e.End != nil && isUnknown(e.End):
			p.endedAt = e.End.Failure.At
			if p.endedAt == "" { // see Failure.askAt
				p.endedAt = AddressOf("", len(p.frames[""]), "")
			}
		}
	}
	for at := range p.failed { // its other parts are not continued
		p.end(at, doubts)
	}
	for _, at := range slices.SortedFunc(maps.Keys(doubts), Address.Compare) {
		p.doubts = append(p.doubts, &doubt{Visit: doubts[at], at: at})
	}
	if len(p.doubts) > 0 {
		p.first = p.doubts[0].at
	}
	return p
}

// count counts the calls of events, and what they were answered.
func (p *past) count(events []Event) {
	servers := map[Address]string{}
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind == CallStarted && e.Step.Task == "":
			p.tally.called(e.Step)
			servers[e.At()] = e.Step.Server
		case e.Kind == AttemptFailed:
			p.tally.answered(e.Step.Server, e.Retry.Error.answered())
		case e.Record != nil:
			rec := *e.Record
			rec.Bytes = sizeOf(&rec)
			p.tally.answered(servers[e.At()], rec.answered())
		}
	}
}

// end removes the calls below an execution that has ended: what has ended it has cancelled them.
func (p *past) end(at Address, doubts map[Address]*Visit) {
	maps.DeleteFunc(doubts, func(d Address, call *Visit) bool {
		if at.Contains(d) {
			p.cancelled = append(p.cancelled, call)
		}
		return at.Contains(d)
	})
}

// addAnswer adds what the user has answered. A question that the user has not answered is asked again.
func (p *past) addAnswer(at Address, e Event) {
	switch e.Answer.Action {
	case Accept, Decline, Dismiss:
		a := *e.Answer
		a.Time = e.Time
		p.answers[at] = a
		for _, key := range p.asked[at] {
			p.covered[key] = a
		}
	case TimedOut, NoUser:
	}
}

// add adds a record.
func (p *past) add(rec Record, at Address) {
	rec.Bytes = sizeOf(&rec)
	if rec.Part == "" {
		p.frames[rec.Frame] = append(p.frames[rec.Frame], rec)
	} else {
		p.ended[at] = &rec
		whole := at.Outer()
		if rec.Error != nil && p.failed[whole] == nil {
			p.failed[whole] = &rec
		}
	}
	if rec.Error != nil {
		for around := at.Around(); around != "" && !p.failing[around]; around = around.Around() {
			p.failing[around] = true
		}
	}
	if rec.Part != "" || rec.Frame != "" {
		p.below = append(p.below, &rec)
	}
}

// part returns the record of a part, or nil.
func (p *past) part(at Address) *Record {
	if p == nil {
		return nil
	}
	return p.ended[at]
}

// parts returns the parts of an execution that have begun before; nil for none.
func (p *past) parts(at Address) *Parts {
	if p == nil {
		return nil
	}
	return p.fans[at]
}

// isFailing reports whether a frame or a part below the address has ended with a failure.
func (p *past) isFailing(at Address) bool { return p.failing[at] }

// failedPart returns the failure of the part of an execution that failed first, or nil.
func (p *past) failedPart(at Address) *Failure {
	if p == nil || p.failed[at] == nil {
		return nil
	}
	return p.failed[at].Error
}

// hasFailedPart reports whether a part of an execution has failed.
func (p *past) hasFailedPart(at Address) bool { return p.failedPart(at) != nil }

// attempted returns the failed attempts of a call, and what is left of the wait after them.
func (p *past) attempted(at Address) (done []Attempt, wait time.Duration) {
	if p == nil || len(p.attempts[at]) == 0 {
		return nil, 0
	}
	before := p.attempts[at]
	for _, r := range before {
		done = append(done, r.Attempt)
	}
	whole := time.Duration(before[len(before)-1].WaitMs) * time.Millisecond
	return done, min(whole, whole-p.now().Sub(p.lastAt[at]))
}

// restore gives a frame its records.
func (p *past) restore(f *frame) error {
	if p == nil {
		return nil
	}
	for _, rec := range p.frames[f.address] {
		err := f.fits(&rec)
		if err == nil {
			err = f.state.apply(&rec)
		}
		if err != nil {
			return fmt.Errorf("run %s cannot be rebuilt: %w", f.live.id, err)
		}
	}
	return nil
}

// charge counts what the frame at an address has used before in its budget. An empty address is
// the run.
func (p *past) charge(b *budget, address Address) {
	if p == nil {
		return
	}
	count := func(rec *Record) {
		if !rec.Edited {
			b.add(executions, 1)
		}
		b.add(outputBytes, rec.Bytes)
	}
	if address == "" {
		for i := range p.frames[""] {
			count(&p.frames[""][i])
		}
		for tool, n := range p.called {
			b.add(callsMade, n)
			b.addCall(tool, n)
		}
	}
	for _, rec := range p.below {
		if at := rec.At(); address == "" || address.Contains(at) {
			count(rec)
		}
	}
}
