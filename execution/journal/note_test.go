package journal

import (
	"maps"
	"testing"

	"toolgraph/execution"
)

// memory has the names of notes by run.
type memory map[string]map[NoteName]bool

func (m memory) Note(run string, name NoteName, _ []byte) bool {
	if m[run] == nil {
		m[run] = map[NoteName]bool{}
	}
	m[run][name] = true
	return true
}

func (m memory) Erase(run string, erased func(NoteName) bool) {
	maps.DeleteFunc(m[run], func(name NoteName, _ bool) bool { return erased(name) })
}

// An outcome erases the notes of what it ends, and no others: the next attempt may be noted before
// the failure of the one before it is in the database.
func TestOutcomesSettleTheirNotes(t *testing.T) {
	l := memory{}
	s := &Store{noter: l}
	visit := func(at execution.Address, attempt int) *execution.Visit {
		v := &execution.Visit{Attempt: attempt}
		v.Frame, v.Index, v.Part = at.Split()
		return v
	}
	for _, v := range []*execution.Visit{visit("1.0", 0), visit("1.0", 2), visit("1.1/3", 0), visit("1.1/3.b", 0), visit("1.10", 0), visit("1.2/0", 0), visit("2", 0)} {
		if !l.Note("RUN", nameOfNote(v), nil) || !l.Note("OTHER", nameOfNote(v), nil) {
			t.Fatal("not noted")
		}
	}
	record := func(at execution.Address) *execution.Record {
		r := &execution.Record{}
		r.Frame, r.Index, r.Part = at.Split()
		return r
	}
	for _, c := range []struct {
		event execution.Event
		left  int
	}{
		{execution.Event{Kind: execution.AttemptFailed, Step: visit("1.0", 0)}, 6},
		{execution.Event{Record: record("1.1")}, 4},
		{execution.Event{Record: record("1.0")}, 3},
		{execution.Event{Record: record("1")}, 1},
		{execution.Event{End: &execution.End{}}, 0},
	} {
		run := &track{noted: true}
		if run.ID, run.Status = "RUN", Running; c.event.End != nil {
			run.Status = Finished
		}
		run.settles(&c.event)
		s.settle(run)
		if got := len(l["RUN"]); got != c.left {
			t.Errorf("%d notes are left, want %d, after %+v", got, c.left, c.event)
		}
	}
	if got := len(l["OTHER"]); got != 7 {
		t.Errorf("%d notes of another run are left", got)
	}
}
