package postgres_test

import (
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/tests/pgtest"
)

// until waits until something is so, at most a minute.
func until(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !isSo(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not so after a minute: " + what)
		}
	}
}

func isInterrupted(t *testing.T, s *journal.Store, id string) func() bool {
	return func() bool {
		r, err := s.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return r.Status == journal.Interrupted
	}
}

func eventsOf(t *testing.T, s *journal.Store, id string) int {
	t.Helper()
	all, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// taken flushes and expects that this process has lost the run.
func taken(t *testing.T, s *journal.Store, id string) {
	t.Helper()
	flusher, _ := s.Journal(nil, about).(interface {
		Flush(ctx ctx, run string) error
	})
	if err := flusher.Flush(t.Context(), id); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("the run is flushed: %v, expected that it is taken", err)
	}
}

// A process that sleeps for longer than its lease loses its runs: another one claims them and goes on,
// and nothing that the first one writes or calls afterwards counts. Its next runs have a new name.
func TestSleeper(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	asleep := open(t, url, journal.Options{}, never)
	all := events("RUN", "in", "out")
	record(t, asleep, all[:2]...)
	before, err := asleep.Process(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, url, journal.Options{}, quick)
	until(t, "the run of the sleeper is interrupted", isInterrupted(t, other, "RUN"))
	if err := other.Claim(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	record(t, other, all[2])

	j := asleep.Journal(nil, about)
	if err := j.Append(t.Context(), call("RUN")); !errors.Is(err, journal.ErrTaken) {
		t.Errorf("the sleeper may call: %v", err)
	}
	taken(t, asleep, "RUN")
	if n := query[int](t, url, `SELECT steps FROM runs WHERE id = 'RUN'`); n != 2 {
		t.Errorf("the row has %d steps, expected the 2 that its owner has recorded", n)
	}
	record(t, other, all[3:]...)
	if n := eventsOf(t, other, "RUN"); n != 5 {
		t.Errorf("%d events, expected the 5 of the run", n)
	}
	if after, err := asleep.Process(t.Context()); err != nil || after.Name == before.Name {
		t.Errorf("the sleeper is %s again (%v)", after.Name, err)
	}
	record(t, asleep, events("NEXT", "in", "out")...)
	runs, err := other.List(t.Context(), journal.Filter{})
	if got := ids(runs); err != nil || !slices.Equal(got, []string{"NEXT finished", "RUN finished"}) {
		t.Error(got, err)
	}
}

// A process that has lost a run, and does not know how it goes on there, can claim it later.
func TestSleeperClaimsAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	asleep := open(t, url, journal.Options{}, never)
	all := events("RUN", "in", "out")
	record(t, asleep, all[:2]...)
	other := open(t, url, journal.Options{}, quick)
	until(t, "the run of the sleeper is interrupted", isInterrupted(t, other, "RUN"))
	if err := asleep.Journal(nil, about).Append(t.Context(), all[2]); err != nil {
		t.Fatal(err)
	}
	taken(t, asleep, "RUN")
	if err := asleep.Claim(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	record(t, asleep, all[2:]...)
	if n := eventsOf(t, other, "RUN"); n != len(all) {
		t.Errorf("%d events, expected all %d", n, len(all))
	}
}

// A run whose first events come after its process was taken for dead begins under the new name.
func TestFirstCommitOfASleeper(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	asleep := open(t, url, journal.Options{}, never)
	before, err := asleep.Process(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change(t, url, `DELETE FROM processes`) // as a sweep does
	record(t, asleep, events("RUN", "in", "out")[:2]...)
	if owner := query[string](t, url, `SELECT owner FROM runs WHERE id = 'RUN'`); owner == before.Name {
		t.Error("the run belongs to a process that is dead")
	}
}

// A run that was claimed under a name that was taken for dead meanwhile is interrupted, although no process
// with that name dies any more.
func TestClaimOfASleeper(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url, journal.Options{}, quick)
	record(t, s, events("RUN", "in", "out")[:2]...)
	change(t, url, `UPDATE runs SET owner = 'GONE.1.host'`)
	until(t, "the run is interrupted", isInterrupted(t, open(t, url, journal.Options{}, quick), "RUN"))
}

// Of two processes that both are the owner, by whatever mistake, the second writer of an event loses.
func TestSameEvent(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := open(t, url, journal.Options{}, never), open(t, url, journal.Options{}, postgres.Timing{})
	all := events("RUN", "in", "out")
	record(t, a, all[:2]...)
	owner := query[string](t, url, `SELECT owner FROM runs`)
	change(t, url, `UPDATE runs SET status = 'interrupted'`)
	if err := b.Claim(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	record(t, b, all[2])
	change(t, url, `UPDATE runs SET owner = $1`, owner)
	other := all[2]
	step := *other.Record
	step.Output = "other"
	other.Record = &step
	ofBoth := append(events("BOTH", "in", "out"), other)
	j := a.Journal(nil, about)
	for _, e := range ofBoth { // a run that is not lost is in the same batch
		if err := j.Append(t.Context(), e); err != nil && !errors.Is(err, journal.ErrTaken) {
			t.Fatal(err)
		}
	}
	taken(t, a, "RUN")
	if n := eventsOf(t, a, "BOTH"); n != 5 {
		t.Errorf("%d events of the other run, expected 5", n)
	}
	loaded, err := b.Load(t.Context(), "RUN")
	if err != nil || len(loaded) != 3 || loaded[2].Record.Output != "out" {
		t.Errorf("%d events (%v), expected the three of the first writer", len(loaded), err)
	}
}

// A run with an id that another process has is not recorded here.
func TestSameRun(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	a, b := open(t, url, journal.Options{}, postgres.Timing{}), open(t, url, journal.Options{}, postgres.Timing{})
	record(t, a, events("RUN", "in", "out")[:2]...)
	j := b.Journal(nil, about)
	for _, e := range events("RUN", "in", "other")[:2] {
		if err := j.Append(t.Context(), e); err != nil && !errors.Is(err, journal.ErrTaken) {
			t.Fatal(err)
		}
	}
	taken(t, b, "RUN")
	if n := eventsOf(t, a, "RUN"); n != 2 {
		t.Errorf("%d events, expected 2", n)
	}
}

// A process that ends leaves nothing behind but its runs.
func TestSignOff(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url, journal.Options{}, postgres.Timing{})
	record(t, s, events("RUN", "in", "out")[:2]...)
	if n := query[int](t, url, `SELECT count(*) FROM processes`); n != 1 {
		t.Errorf("%d processes, expected 1", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := query[int](t, url, `SELECT count(*) FROM processes`); n != 0 {
		t.Errorf("%d processes, expected none", n)
	}
	if status := query[string](t, url, `SELECT status FROM runs`); status != "interrupted" {
		t.Errorf("the run is %s, expected that it is interrupted", status)
	}
}

// After a restart of the server no process is dead before it has had the time to show that it lives.
func TestServerIsYoung(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	silent := open(t, url, journal.Options{}, never)
	record(t, silent, events("RUN", "in", "out")[:2]...)
	up := query[float64](t, url, `SELECT extract(epoch FROM clock_timestamp() - pg_postmaster_start_time())::float8`)
	change(t, url, `UPDATE processes SET beat = 0`)
	older, younger := time.Duration(up*float64(time.Second))+time.Hour, time.Duration(up/2*float64(time.Second))
	r, err := open(t, url, journal.Options{}, postgres.Timing{Dead: older}).Run(t.Context(), "RUN")
	if err != nil || r.Status != journal.Running {
		t.Errorf("a lease of %s on a server that is up for %.0f s: %s, %v", older, up, r.Status, err)
	}
	r, err = open(t, url, journal.Options{}, postgres.Timing{Dead: younger}).Run(t.Context(), "RUN")
	if err != nil || r.Status != journal.Interrupted {
		t.Errorf("a lease of %s on a server that is up for %.0f s: %s, %v", younger, up, r.Status, err)
	}
}

// A run that another process claims while it is being deleted stays, with all that it has.
func TestClaimBesideDeletion(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url, journal.Options{}, postgres.Timing{})
	record(t, s, events("RUN", "in", "out")[:2]...)
	if err := s.Release(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	owner := query[string](t, url, `SELECT owner FROM runs`)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	claim, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claim.ExecContext(t.Context(), `UPDATE runs SET status = 'running', owner = $1`, owner); err != nil {
		t.Fatal(err)
	}
	deleted := make(chan int, 1)
	go func() {
		n, err := s.Delete(t.Context(), "RUN")
		if err != nil {
			t.Error(err)
		}
		deleted <- n
	}()
	until(t, "the deletion waits for the claim", func() bool {
		return query[int](t, url, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	if err := claim.Commit(); err != nil {
		t.Fatal(err)
	}
	if n := <-deleted; n != 0 {
		t.Errorf("%d runs in progress were deleted", n)
	}
	if n := query[int](t, url, `SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM chunks)`); n != 2 {
		t.Errorf("%d rows are left, expected the run and its chunk", n)
	}
}
