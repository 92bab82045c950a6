package execution

import (
	"testing"
	"time"
)

// A run that was interrupted in a step with parts has used the time in which its parts were in
// progress, each moment once, and not the time in which it was interrupted.
func TestUsedTime(t *testing.T) {
	at := func(seconds int) time.Time { return time.Date(2026, 1, 2, 3, 4, seconds, 0, time.UTC) }
	part := func(frame Address, index int, name string, from, to int) Event {
		return Event{Kind: StepFinished, Time: at(to), Record: &Record{Frame: frame, Index: index, Part: name, Start: at(from), End: at(to)}}
	}
	call := func(attempt, when int) Event {
		return Event{Kind: CallStarted, Time: at(when), Step: &Visit{Index: 1, Part: "2", Attempt: attempt}}
	}
	failed := func(attempt, from, to int) Event {
		return Event{
			Kind: AttemptFailed, Time: at(to), Step: &Visit{Index: 1, Part: "2", Attempt: attempt},
			Retry: &Retry{Attempt: Attempt{Start: at(from), End: at(to)}, WaitMs: 4000},
		}
	}
	started := Event{Kind: RunStarted, Time: at(0)}
	entry := part("", 0, "", 0, 1)
	for _, c := range []struct {
		name   string
		events []Event
		want   int
	}{
		{"steps", []Event{started, entry, part("", 1, "", 5, 8)}, 1 + 3},
		{"parts at once, and what is below them", []Event{started, entry, part("1.0", 0, "", 2, 4), part("", 1, "0", 2, 6), part("", 1, "1", 3, 7)}, 1 + 5},
		{"an hour later", []Event{started, entry, part("", 1, "0", 2, 6), part("", 1, "1", 3602, 3605)}, 1 + 4 + 3},
		{"a step that has ended counts, not its parts", []Event{started, entry, part("", 1, "0", 2, 6), part("", 1, "", 2, 8)}, 1 + 6},
		{"attempts, and the waits that are over", []Event{started, entry, call(0, 2), failed(0, 2, 3), call(2, 900), failed(2, 900, 901)}, 1 + 1 + 4 + 1},
	} {
		if got := usedTime(c.events); got != time.Duration(c.want)*time.Second {
			t.Errorf("%s: %v, want %d s", c.name, got, c.want)
		}
	}
}
