package journal

import (
	"os"
	"sync"
	"testing"

	"toolgraph/execution"
)

// A lease that other processes look at while it is created exists in the end: none of them takes
// it for an abandoned one.
func TestLeaseIsNotTaken(t *testing.T) {
	dir := t.TempDir()
	var looking sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				leases, _ := os.ReadDir(leaseDir(dir)) // there are none at first
				for _, l := range leases {
					if left, ok := abandonedLease(dir, l.Name()); ok {
						left.drop()
					}
				}
			}
		})
	}
	for range 300 {
		l, err := newLease(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !l.note("RUN", noteName{}, []byte(`{"event":{"run":"RUN","step":{}}}`)) {
			t.Error("not noted")
		}
		if _, err := os.Lstat(l.file.Name()); err != nil {
			t.Error(err)
		}
		l.release()
	}
	close(done)
	looking.Wait()
}

// An outcome erases the notes of what it ends, and no others: the next attempt may be noted before
// the failure of the one before it is in the database.
func TestOutcomesSettleTheirNotes(t *testing.T) {
	l, err := newLease(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.release()
	visit := func(at execution.Address, attempt int) *execution.Visit {
		v := &execution.Visit{Attempt: attempt}
		v.Frame, v.Index, v.Part = at.Split()
		return v
	}
	for _, v := range []*execution.Visit{visit("1.0", 0), visit("1.0", 2), visit("1.1/3", 0), visit("1.1/3.b", 0), visit("1.10", 0), visit("1.2/0", 0), visit("2", 0)} {
		if !l.note("RUN", nameOfNote(v), []byte("{}")) || !l.note("OTHER", nameOfNote(v), []byte("{}")) {
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
		c.event.Run = "RUN"
		l.settle(&c.event)
		if got := len(l.slots["RUN"]); got != c.left {
			t.Errorf("%d notes are left, want %d, after %+v", got, c.left, c.event)
		}
	}
	if got := len(l.slots["OTHER"]); got != 7 {
		t.Errorf("%d notes of another run are left", got)
	}
}
