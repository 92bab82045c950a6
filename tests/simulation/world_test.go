package simulation

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// run is the id of every simulated run.
const runID = "run"

// world is what outlives a process: the journal, the upstream servers and what they know.
type world struct {
	s   *scenario
	rng *rand.Rand // of the scheduler's goroutine alone

	mu         sync.Mutex // guards what follows
	events     []execution.Event
	ledger     map[execution.Address][]*entry
	repeatable map[execution.Address]bool // asked about, and to be repeated
	kept       map[execution.Address]int  // attempts with an outcome in the journal that a process was resumed from
	cancelled  bool                       // by the client
	stood      time.Duration              // for answers, in the present process
	lostCalls  int                        // whose start was lost with the end of a journal
	trace      []string
	violations []string
}

func newWorld(s *scenario, seed uint64) *world {
	return &world{
		s: s, rng: rand.New(rand.NewPCG(seed, 1)),
		ledger: map[execution.Address][]*entry{}, repeatable: map[execution.Address]bool{}, kept: map[execution.Address]int{},
	}
}

// entry is a call that an upstream server got, or that was on its way there.
type entry struct {
	call      execution.Call
	process   *process
	answered  bool // the answer was given to the process
	cancelled bool // by the engine
	lost      bool // it never reached the server
	known     bool // lost has been decided
}

// note adds a line to the trace.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

// violated adds a violation of an invariant.
func (w *world) violated(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.violate(format, args...)
}

func (w *world) violate(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.trace = append(w.trace, "VIOLATION "+text)
	w.violations = append(w.violations, text)
}

// stored returns an event in the form that a disk gives back.
func stored(e *execution.Event) (back execution.Event, err error) {
	src, err := json.Marshal(e)
	if err == nil {
		err = json.Unmarshal(src, &back)
	}
	back.Sync = e.Sync
	return back, err
}

// write adds an event to the journal.
func (w *world) write(e *execution.Event) {
	back, err := stored(e)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.violate("%s is not recorded: %v", describe(e), err)
		return
	}
	if e.Answer != nil {
		w.stood += e.Answer.Stood
	}
	w.events = append(w.events, back)
	w.checkWrite(e)
}

// forget loses the end of the journal, as a process that dies loses what waits to be written: not
// what was to be safe, and not the start of an in-doubt call.
func (w *world) forget() {
	safe := 1
	for i, e := range w.events {
		if e.Sync && e.Kind != execution.CallStarted {
			safe = i + 1
		}
	}
	if safe >= len(w.events) {
		return
	}
	safe += w.rng.IntN(len(w.events) - safe + 1)
	lost := 0
	w.events = slices.DeleteFunc(w.events, func(e execution.Event) bool {
		if safe--; safe >= 0 || e.Kind == execution.CallStarted && e.Sync {
			return false
		}
		if lost++; e.Kind == execution.CallStarted {
			w.lostCalls++
		}
		return true
	})
	if lost > 0 {
		w.note("%d events are lost", lost)
	}
}

// answerTo is what an upstream server answers.
func (w *world) answerTo(c *execution.Call) answer {
	if w.s.answer != nil {
		v, err := w.s.answer(c)
		return answer{value: v, err: err}
	}
	v, err := answerOf(w.s.trouble, c.Tool, c.Args, attemptOf(c.Attempt))
	return answer{value: v, err: err}
}

// outcome is what became of an in-doubt call: it was made and has an answer, or it was not made.
func (w *world) outcome(at execution.Address, attempt int) (made bool, a answer) {
	for _, e := range slices.Backward(w.ledger[at]) {
		if attemptOf(e.call.Attempt) != attempt {
			continue
		}
		if !e.known {
			e.known, e.lost = true, !e.answered && w.rng.IntN(2) == 0
		}
		if !e.lost {
			return true, w.answerTo(&e.call)
		}
	}
	return false, answer{}
}

// doubt is a call that has a start in the journal, and no outcome.
type doubt struct {
	visit   *execution.Visit
	attempt int
}

// doubts returns the in-doubt calls of a journal, in the order of their addresses.
func doubts(events []execution.Event) []doubt {
	open := map[execution.Address]doubt{}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case execution.CallStarted:
			open[e.At()] = doubt{e.Step, attemptOf(e.Step.Attempt)}
		case execution.AttemptFailed:
			delete(open, e.At())
		case execution.StepFinished:
			for at := range open {
				if at == e.At() || e.At().Contains(at) {
					delete(open, at)
				}
			}
		}
	}
	all := make([]doubt, 0, len(open))
	for _, d := range open {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b doubt) int { return a.visit.At().Compare(b.visit.At()) })
	return all
}

// unsafeDoubts are those that a resumed run has to ask about.
func (w *world) unsafeDoubts() []doubt {
	return slices.DeleteFunc(doubts(w.events), func(d doubt) bool { return w.s.specs[d.visit.Name()].safe })
}

// describe is an event in a line: what, where, and what came of it, without times.
func describe(e *execution.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", e.Kind)
	if at := e.At(); at != "" {
		fmt.Fprintf(&b, " %s", at)
	}
	if e.Step != nil {
		fmt.Fprintf(&b, " %s", e.Step.Name())
		if e.Step.Attempt > 1 {
			fmt.Fprintf(&b, " attempt %d", e.Step.Attempt)
		}
	}
	if e.Retry != nil {
		fmt.Fprintf(&b, " %s", e.Retry.Error.Detail)
	}
	if e.Parts != nil {
		fmt.Fprintf(&b, " %d parts", e.Parts.Count)
	}
	if e.Record != nil {
		b.WriteString(" " + describeRecord(e.Record))
	}
	if e.End != nil {
		b.WriteString(" " + text(e.End.Value))
		if f := e.End.Failure; f != nil {
			fmt.Fprintf(&b, " %s %s %s", f.Code, f.Detail, f.Node)
		}
	}
	return b.String()
}

// describeRecord is what has to be equal of two records at an address.
func describeRecord(r *execution.Record) string {
	out := fmt.Sprintf("%s %s %s", r.Name(), r.NodeType, text(r.Output))
	if r.Error != nil {
		out += fmt.Sprintf(" error %s %s", r.Error.Code, r.Error.Detail)
	}
	if r.Handled != nil {
		out += fmt.Sprintf(" handled %s %s", r.Handled.Code, r.Handled.Detail)
	}
	for _, a := range r.Attempts {
		out += fmt.Sprintf(" after %s %s", a.Error.Code, a.Error.Detail)
	}
	if r.Parts > 0 {
		out += fmt.Sprintf(" of %d parts", r.Parts)
	}
	return out
}

// text is a value as JSON; empty for nothing.
func text(v value.Value) string {
	if v == nil {
		return ""
	}
	src, err := value.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(src)
}
