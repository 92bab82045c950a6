package journal_test

import (
	"os"
	"testing"
	"time"

	"toolgraph/execution/journal"
)

// While a store is locked, what waits is counted, with each attempt that fails; afterwards nothing waits.
func TestLockedStoreIsCounted(t *testing.T) {
	s, attempts := paced(t, journal.Options{})
	if h := s.Health(); h.WriteErrors != 0 || h.ReadErrors != 0 || h.Queued != 0 || h.Waited != 0 || h.Connections != nil {
		t.Fatalf("before: %+v", h)
	}
	unlock := lock(t, s)
	all := events("RUN", decode(t, `{}`), "out")
	for i := range all {
		all[i].Time = time.Now().Add(-time.Hour)
	}
	j := s.Journal(nil, journal.About{})
	appendAll(t, j, all[:2])
	fails(t, attempts)
	appendAll(t, j, all[2:3])
	if h := s.Health(); h.WriteErrors != 1 || h.ReadErrors != 0 || h.Queued != 3 || h.Waited < time.Hour || h.QueuedBytes == 0 {
		t.Errorf("after one attempt: %+v", h)
	}
	again(t, attempts)
	fails(t, attempts)
	if h := s.Health(); h.WriteErrors != 2 {
		t.Errorf("after two attempts: %+v", h)
	}
	unlock()
	again(t, attempts)
	if _, err := s.Run(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	if h := s.Health(); h.WriteErrors != 2 || h.ReadErrors != 0 || h.Queued != 0 || h.Waited != 0 || h.Unrecorded != 0 {
		t.Errorf("afterwards: %+v", h)
	}
}

// A store that cannot be read is counted once for each request, and events of a store that is closed as lost.
func TestDamagedStoreIsCounted(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, journal.Options{})
	write(t, s.Journal(nil, journal.About{}), "RUN", decode(t, `{}`), "out")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_ = s.Journal(nil, journal.About{}).Append(t.Context(), events("LATE", decode(t, `{}`), "out")[0]) // a run goes on without it
	if h := s.Health(); h.Unrecorded != 1 || h.ReadErrors+h.WriteErrors != 0 {
		t.Errorf("closed: %+v", h)
	}
	if err := os.WriteFile(s.Path(), []byte("this is not a database of runs, and long enough to be looked at"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, dir, journal.Options{})
	for n := range int64(2) {
		if _, err := s.List(t.Context(), journal.Filter{}); err == nil {
			t.Fatal("a damaged store was read")
		}
		if h := s.Health(); h.ReadErrors != n+1 || h.WriteErrors != 0 {
			t.Errorf("after %d: %+v", n+1, h)
		}
	}
	if _, err := s.Census(t.Context()); err == nil || s.Health().ReadErrors != 3 {
		t.Errorf("%v, %+v", err, s.Health())
	}
	if err := s.Ready(t.Context()); err == nil || s.Health().WriteErrors != 1 {
		t.Errorf("%v, %+v", err, s.Health())
	}
}
