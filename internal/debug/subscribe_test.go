package debug_test

import (
	"testing"

	"toolgraph/internal/debug"
)

// A subscriber is told of every record once, in order, and of the last state.
func TestSubscribe(t *testing.T) {
	s := start(t, inc, debug.StartOptions{RunTo: "more"})
	at(t, s, "more", debug.AtRunTo)
	events, cancel := s.Subscribe(0)
	defer cancel()
	do(t, s.Resume())
	<-s.Done() // nobody has listened so far: the run did not wait for us
	seen, last := 0, debug.State{}
	for e := range events {
		switch e.Kind {
		case debug.KindRecord:
			if e.Record.Index != seen || e.Seq != seen+1 {
				t.Fatalf("record %d with seq %d, want %d", e.Record.Index, e.Seq, seen)
			}
			seen++
		case debug.KindState:
			last = *e.State
			if last.Records > seen {
				t.Fatalf("a state of %d records was told after %d", last.Records, seen)
			}
		}
	}
	if seen != 11 || last.Status != debug.Finished {
		t.Errorf("%d records, then %s", seen, last.Status)
	}
}

// A subscriber that was gone goes on after what it has seen.
func TestSubscribeAgain(t *testing.T) {
	s := start(t, inc, debug.StartOptions{})
	<-s.Done()
	events, cancel := s.Subscribe(9)
	defer cancel()
	var seqs []int
	for e := range events {
		seqs = append(seqs, e.Seq)
	}
	if len(seqs) != 3 || seqs[0] != 10 || seqs[2] != 11 {
		t.Errorf("told %v", seqs)
	}
}

// Leaving ends the channel, at any time and any number of times.
func TestUnsubscribe(t *testing.T) {
	s := start(t, inc, debug.StartOptions{Pause: true})
	at(t, s, "entry", debug.AtStart)
	events, cancel := s.Subscribe(0)
	<-events
	cancel()
	cancel()
	for range events {
	}
	do(t, s.Resume())
	ended(t, s, debug.Finished, counted)
}
