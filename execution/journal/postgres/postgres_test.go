package postgres_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/expressions/value"
	"toolgraph/tests/pgtest"
)

// query reads one value past the store.
func query[T any](t *testing.T, url, text string, args ...any) (v T) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), text, args...).Scan(&v); err != nil {
		t.Fatal(text, err)
	}
	return v
}

// change changes the database past the store.
func change(t *testing.T, url, text string, args ...any) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), text, args...); err != nil {
		t.Fatal(text, err)
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, url, journal.Options{}, postgres.Timing{})
	if state, err := s.State(t.Context()); err != nil || state.Exists {
		t.Fatalf("%+v, %v", state, err)
	}
	long := strings.Repeat("long ", 100_000) // a row of its own
	want := map[string][]any{}
	for i, output := range []value.Value{"out", long, value.FromPlain(map[string]any{"z": 1.0, "a": []any{nil, "\x00<"}})} {
		id := fmt.Sprintf("RUN%d", i)
		all := events(id, value.FromPlain(map[string]any{"n": 1.0}), output)
		record(t, s, all...)
		want[id] = []any{all[4].End.Value}
		loaded, err := s.Load(t.Context(), id)
		if err != nil || len(loaded) != 5 {
			t.Fatal(len(loaded), err)
		}
		a, _ := value.Encode(loaded[4].End.Value)
		b, _ := value.Encode(output)
		if string(a) != string(b) {
			t.Errorf("%s is %.100s, expected %.100s", id, a, b)
		}
	}
	runs, err := s.List(t.Context(), journal.Filter{})
	if got := ids(runs); err != nil || !slices.Equal(got, []string{"RUN2 finished", "RUN1 finished", "RUN0 finished"}) {
		t.Fatal(got, err)
	}
	if n, err := s.Delete(t.Context(), "RUN1"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if state, err := s.State(t.Context()); err != nil || !state.Exists || state.Runs != 2 || state.Bytes < 1000 {
		t.Fatalf("%+v, %v", state, err)
	}
}

// Processes that start at the same time create the tables once.
func TestMigrateOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	var all sync.WaitGroup
	for i := range 8 {
		s := open(t, url, journal.Options{}, postgres.Timing{})
		all.Go(func() { record(t, s, events(fmt.Sprintf("RUN%d", i), "in", "out")...) })
	}
	all.Wait()
	if n := query[int](t, url, `SELECT count(*) FROM runs`); n != 8 {
		t.Errorf("%d runs, expected 8", n)
	}
	if n := query[int](t, url, `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`); n != 0 {
		t.Errorf("%d tables in the user's schema, expected none", n)
	}
}

func TestNewerSchema(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	record(t, open(t, url, journal.Options{}, postgres.Timing{}), events("RUN", "in", "out")...)
	change(t, url, `UPDATE version SET n = 99`)
	s := open(t, url, journal.Options{}, postgres.Timing{})
	_, err := s.List(t.Context(), journal.Filter{})
	if err == nil || !strings.Contains(err.Error(), "newer toolgraph (version 99, this one has 3); update toolgraph, or name another place with --state") {
		t.Error(err)
	}
}

// Follow gets each run, in the order of the list, although many processes write at the same time.
func TestFollow(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	record(t, open(t, url, journal.Options{}, postgres.Timing{}), events("FIRST", "in", "out")...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []string
	followed := make(chan error, 1)
	begun := make(chan struct{})
	const writers, each = 4, 50
	follower := open(t, url, journal.Options{}, postgres.Timing{})
	go func() {
		followed <- follower.Follow(ctx, "", func(runs []journal.Run) error {
			for _, r := range runs {
				if r.ID == "BEGIN" {
					select {
					case <-begun: // a run that begins between two statements of a look comes twice
					default:
						close(begun)
					}
				} else if r.Status == journal.Finished {
					seen = append(seen, r.ID)
				}
			}
			if len(seen) == writers*each {
				cancel()
			}
			return nil
		})
	}()
	record(t, open(t, url, journal.Options{}, postgres.Timing{}), events("BEGIN", "in", "out")[:1]...)
	<-begun
	var writing sync.WaitGroup
	for w := range writers {
		s := open(t, url, journal.Options{}, postgres.Timing{})
		writing.Go(func() {
			for i := range each {
				record(t, s, events(fmt.Sprintf("RUN%d-%d", w, i), "in", "out")...)
			}
		})
	}
	err := <-followed
	writing.Wait()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	if n := len(slices.Compact(seen)); n != writers*each {
		t.Errorf("%d runs, expected %d", n, writers*each)
	}
}
