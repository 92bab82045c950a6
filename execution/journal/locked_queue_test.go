package journal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// beginLocked locks the store and begins the run LONG. It returns during the pause after an attempt
// to write, after so many others.
func beginLocked(t *testing.T, s *journal.Store, j execution.Journal, attempts journal.Attempts, before int) (unlock func()) {
	t.Helper()
	unlock = lock(t, s)
	appendAll(t, j, events("LONG", decode(t, `{}`), "out")[:1])
	for range before {
		fails(t, attempts)
		again(t, attempts)
	}
	fails(t, attempts)
	return unlock
}

func TestV17QueueWaits(t *testing.T) {
	s, attempts := paced(t, journal.Options{})
	j := s.Journal(nil, journal.About{})
	unlock := beginLocked(t, s, j, attempts, journal.PatientAttempts-2)
	appended := make(chan struct{})
	go func() {
		defer close(appended)
		for n := range steps {
			if err := j.Append(context.Background(), step(n, large)); err != nil {
				t.Error(err)
			}
		}
	}()
	eventually(t, func() bool { return journal.Queued(s) > journal.QueueMost })
	unlock()
	again(t, attempts)
	<-appended
	if r, err := s.Run(t.Context(), "LONG"); err != nil || r.Lost != 0 || r.Steps != steps {
		t.Errorf("%+v, %v", r, err)
	}
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came to this")
		}
	}
}

func TestV17QueueIsFull(t *testing.T) {
	var log bytes.Buffer
	s, attempts := paced(t, journal.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	j := s.Journal(nil, journal.About{})
	ends := events("ENDS", decode(t, `{}`), "out")
	appendAll(t, j, ends[:2])
	unlock := beginLocked(t, s, j, attempts, journal.PatientAttempts-1)
	for n := range steps { // twice as much as there is room for
		appendAll(t, j, []execution.Event{step(n, large)})
	}
	write(t, j, "NEVER", decode(t, `{}`), "out")
	appendAll(t, j, ends[2:])
	unlock()
	again(t, attempts)
	if _, err := s.Run(t.Context(), "BEFORE"); err != nil { // once what has waited is written
		t.Fatal(err)
	}
	write(t, j, "AFTER", decode(t, `{}`), "out")
	if _, err := s.Run(t.Context(), "AFTER"); err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, []execution.Event{step(steps, "last")})

	r, err := s.Run(t.Context(), "LONG")
	if err != nil || r.Status != journal.Running || r.Lost < steps/4 || r.Lost > 3*steps/4 || r.Steps != steps+1 {
		t.Errorf("%d steps, %d in the run, %+v, %v", steps, r.Lost, r, err)
	}
	kept, err := s.Steps(t.Context(), "LONG", steps-r.Lost-1, 0, 10)
	if err != nil || len(kept) != 2 || kept[0].Record.Index != steps-r.Lost-1 || kept[1].Record.Index != steps {
		t.Errorf("%d lost of %d: %+v, %v", r.Lost, steps, kept, err)
	}
	if kept, err := s.Steps(t.Context(), "LONG", steps-1, 0, 10); err != nil || len(kept) != 1 || kept[0].Record.Index != steps {
		t.Errorf("from a lost step: %+v, %v", kept, err)
	}
	var gap *journal.GapError
	if _, err := j.Load(t.Context(), "LONG"); !errors.As(err, &gap) || gap.Gap.Reason != journal.Unwritten ||
		!strings.Contains(err.Error(), fmt.Sprintf("%d events before step %d", r.Lost, steps)) {
		t.Error(err)
	}
	if r, err := s.Run(t.Context(), "ENDS"); err != nil || r.Status != journal.Finished || r.Lost != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := s.Run(t.Context(), "NEVER"); !errors.Is(err, journal.ErrNotFound) {
		t.Errorf("a run without its beginning: %v", err)
	}
	if !strings.Contains(log.String(), `"runs with gaps"=2 "runs not recorded"=1`) {
		t.Error(log.String())
	}
}
