package execution

import (
	"errors"
	"fmt"
	"strings"

	"toolgraph/internal/base/wording"
)

// CheckEvents returns an error for the first invalid event of a run, or one that is not valid at
// its place: the events of a damaged journal or of a file may be anything. Events are counted
// from 1.
func CheckEvents(events []Event) error {
	if len(events) == 0 {
		return fmt.Errorf("the run has no events, expected %s first", RunStarted)
	}
	c := orderCheck{run: events[0].Run, frames: map[Address]int{}, open: map[Address]*openStep{}}
	for i := range events {
		if err := c.event(&events[i], i == 0); err != nil {
			return fmt.Errorf("event %d of %d: %w", i+1, len(events), err)
		}
	}
	return nil
}

// orderCheck is what the events of a run so far allow for the next one.
type orderCheck struct {
	run    string
	over   bool
	lost   int                   // events that were not recorded, less the steps that were found missing
	lossy  bool                  // there were such events
	frames map[Address]int       // records of each frame; it is also the index of its open step
	open   map[Address]*openStep // open steps with parts or attempts
}

// openStep is a step that has begun and has no record yet.
type openStep struct {
	parts    *Parts             // nil: they have not started
	done     map[string]bool    // parts with a record
	attempts map[string]attempt // of each part, "" for a step without
	asked    map[string]string  // the digest of the open question of each part; "" for the whole step
}

// attempt are the latest attempts of a call, counted from 1.
type attempt struct{ started, failed int }

func (c *orderCheck) event(e *Event, first bool) error {
	if err := e.Check(); err != nil {
		return err
	}
	c.lost += e.Lost
	c.lossy = c.lossy || e.Lost > 0
	switch {
	case first != (e.Kind == RunStarted):
		return fmt.Errorf("it is %s; a run begins with %s and has it once", e.Kind, RunStarted)
	case e.Lost < 0:
		return fmt.Errorf("its lost is %d, expected 0 or more", e.Lost)
	case e.Start != nil && e.Start.Tool == "":
		return errors.New("its start has no tool")
	case e.Start != nil && e.Start.Args == nil:
		return errors.New("its start has no args")
	case e.Run != c.run:
		return fmt.Errorf("it is of run %q, but the first event is of run %q", e.Run, c.run)
	case c.over:
		return fmt.Errorf("it is %s after the run's end", e.Kind)
	case e.Record != nil:
		return c.record(e.Record)
	case e.Step != nil:
		return c.step(e)
	case e.End != nil:
		c.over = !isUnknown(e.End) // a run continues after its in-doubt call is resolved
	}
	return nil
}

// record checks the place of a record, and ends its step or part.
func (c *orderCheck) record(r *Record) error {
	if err := c.around(r.Frame, true); err != nil {
		return err
	}
	if expected := c.frames[r.Frame]; !c.reach(r.Frame, r.Index) {
		return fmt.Errorf("its executionIndex is %d, expected %d, the number of steps before it%s", r.Index, expected, inFrame(r.Frame))
	}
	at := r.At()
	if r.Part != "" {
		if err := c.part(r, at.Outer()); err != nil {
			return err
		}
	}
	if done := c.open[at].countDone(); r.Parts > 0 && r.Parts != done && !c.lossy {
		return fmt.Errorf("its output is made of %s, but %d of step %s are before it", wording.Count(r.Parts, "part"), done, at)
	}
	if r.Part == "" {
		c.frames[r.Frame] = r.Index + 1
	}
	delete(c.open, at)
	delete(c.frames, at)
	return nil
}

// part checks the record of a part.
func (c *orderCheck) part(r *Record, whole Address) error {
	step, name := c.opened(whole), r.At().Name()
	if r.Edited {
		if !step.done[name] && !c.lossy {
			return fmt.Errorf("it is an edit of step %s, which has not ended", r.At())
		}
		return nil
	}
	isTurn := strings.HasSuffix(r.Part, "@"+name) // how many there will be is not known before
	switch {
	case isTurn && !step.done[name]:
	case step.parts == nil && !c.lossy:
		return fmt.Errorf("it is part %s of step %s, but %s is not before it", r.Part, whole, PartsStarted)
	case step.parts != nil && !isTurn && !step.parts.has(name):
		return fmt.Errorf("it is part %s of step %s, which has no such part", r.Part, whole)
	case step.done[name]:
		return fmt.Errorf("it is part %s of step %s, which has ended before", r.Part, whole)
	}
	step.done[name] = true
	return nil
}

// step checks the place of what happens before a step, or a part of it, ends. Calls may be ahead:
// they survive a process that dies, and the records before them may be lost then.
func (c *orderCheck) step(e *Event) error {
	v := e.Step
	if err := c.around(v.Frame, false); err != nil {
		return err
	}
	if before := c.frames[v.Frame]; v.Index < before {
		return fmt.Errorf("its executionIndex is %d, but %d steps are before it%s", v.Index, before, inFrame(v.Frame))
	}
	whole, name := v.At().Outer(), v.At().Name()
	step := c.opened(whole)
	if step.done[name] {
		return fmt.Errorf("it is of part %s of step %s, which has ended before", v.Part, whole)
	}
	if e.Parts != nil {
		whole := v.At()
		step := c.opened(whole)
		if step.parts != nil && (step.parts.Count != e.Parts.Count || step.parts.Digest != e.Parts.Digest) {
			return fmt.Errorf("it starts the parts of step %s, which have started before with others", whole)
		}
		step.parts = e.Parts
		return nil
	}
	if e.Question != nil { // a resumed run asks again
		step.asked[name] = e.Question.Digest
		return nil
	}
	if e.Answer != nil {
		return c.answer(step, v, e.Answer)
	}
	seen, number := step.attempts[name], max(1, v.Attempt)
	switch {
	case number <= seen.failed:
		return fmt.Errorf("it is attempt %d of step %s, but attempt %d has failed before", number, v.At(), seen.failed)
	case e.Retry == nil:
		seen.started = number
	case number != seen.started && !c.lossy:
		return fmt.Errorf("it is attempt %d of step %s, which has not started", number, v.At())
	default:
		seen.failed = number
	}
	step.attempts[name] = seen
	return nil
}

// answer checks that an answer is to the open question, and closes it.
func (c *orderCheck) answer(step *openStep, v *Visit, a *Answer) error {
	name := v.At().Name()
	digest, isOpen := step.asked[name]
	delete(step.asked, name)
	switch {
	case !isOpen && !c.lossy:
		return fmt.Errorf("it answers step %s, which has no open question", v.At())
	case isOpen && digest != a.Digest && !c.lossy:
		return fmt.Errorf("it answers the question %.100q of step %s, which has asked %.100q", a.Digest, v.At(), digest)
	}
	return nil
}

// around checks that every step and part around a frame is open. exact: none of them is ahead of
// the records before it.
func (c *orderCheck) around(frame Address, exact bool) error {
	for inner := frame; inner != ""; {
		outer, index, _ := inner.Split()
		switch {
		case index < c.frames[outer] || c.ended(inner):
			return fmt.Errorf("it is in frame %s, but step %s has ended before", frame, inner)
		case exact && !c.reach(outer, index):
			return fmt.Errorf("it is in frame %s, but there are %d steps before it%s", frame, c.frames[outer], inFrame(outer))
		}
		inner = outer
	}
	return nil
}

// ended reports whether a part, or one that it is a part of, has ended.
func (c *orderCheck) ended(at Address) bool {
	for outer := at.Outer(); outer != at; at, outer = outer, outer.Outer() {
		if step := c.open[outer]; step != nil && step.done[at.Name()] {
			return true
		}
	}
	return false
}

// reach reports whether the next step of a frame can have the index: it has, or steps are missing,
// and no more than events were lost.
func (c *orderCheck) reach(frame Address, index int) bool {
	missing := index - c.frames[frame]
	if missing < 0 || missing > c.lost {
		return missing == 0
	}
	c.lost -= missing
	c.frames[frame] = index
	return true
}

func (c *orderCheck) opened(whole Address) *openStep {
	step := c.open[whole]
	if step == nil {
		step = &openStep{done: map[string]bool{}, attempts: map[string]attempt{}, asked: map[string]string{}}
		c.open[whole] = step
	}
	return step
}

// countDone returns how many parts have a record.
func (s *openStep) countDone() int {
	if s == nil {
		return 0
	}
	return len(s.done)
}

// inFrame names a frame at the end of a message.
func inFrame(frame Address) string {
	if frame == "" {
		return ""
	}
	return fmt.Sprintf(" in frame %s", frame)
}
