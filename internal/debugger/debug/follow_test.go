package debug_test

import (
	"testing"

	"toolgraph/execution"
	"toolgraph/internal/debugger/debug"
)

// follow calls see with every record from an index on, in order, and returns the last state.
func follow(s *debug.Session, from int, see func(execution.Record)) debug.State {
	for {
		state, changed := s.StateAndChange()
		for _, r := range s.Records(from) {
			see(r)
			from++
		}
		if state.Status.Ended() {
			return state
		}
		<-changed
	}
}

// A follower sees every record once, in order, and the last state; the run does not wait for it.
func TestFollow(t *testing.T) {
	s := start(t, inc, debug.StartOptions{RunTo: "more"})
	at(t, s, "more", debug.AtRunTo)
	_, early := s.StateAndChange()
	do(t, s.Resume(""))
	seen := 0
	see := func(r execution.Record) {
		if r.Index != seen {
			t.Fatalf("record %d, want %d", r.Index, seen)
		}
		seen++
	}
	if last := follow(s, 0, see); seen != 11 || last.Status != debug.Finished || last.Records != seen {
		t.Errorf("%d records, then %+v", seen, last)
	}
	<-early // a change that a follower has missed is announced as well
}

// A follower that comes late, or again, goes on from any record.
func TestFollowAgain(t *testing.T) {
	s := start(t, inc, debug.StartOptions{})
	<-s.Done()
	var seen []int
	follow(s, 9, func(r execution.Record) { seen = append(seen, r.Index) })
	if len(seen) != 2 || seen[0] != 9 || seen[1] != 10 {
		t.Errorf("saw %v", seen)
	}
}

// A state that reports a number of records never reports more than there are.
func TestStateAndRecordsAgree(t *testing.T) {
	s := start(t, inc, debug.StartOptions{})
	for {
		state, changed := s.StateAndChange()
		if got := len(s.Records(0)); got < state.Records {
			t.Fatalf("a state of %d records, and there are %d", state.Records, got)
		}
		if state.Status.Ended() {
			return
		}
		<-changed
	}
}

// A follower that leaves in the middle disturbs nothing.
func TestUnfollow(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	_, _ = s.StateAndChange()
	do(t, s.Resume(""))
	ended(t, s, debug.Finished, counted)
}
