package journal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"toolgraph/execution"
)

// userVersion returns the version of the database of a store.
func userVersion(t *testing.T, s *Store) (version int) {
	t.Helper()
	raw, err := Raw(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// A store of each version that had frames as they are now is read and brought to this one, once,
// with the column that a version could have or not.
func TestStoreOfEarlierVersion(t *testing.T) {
	for _, version := range []int{4, 5} {
		for _, facts := range []bool{false, true} {
			s := inStore(t, flown("PLAIN"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			newest := userVersion(t, s)
			raw, err := Raw(s.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer raw.Close()
			older := `INSERT INTO chunks SELECT seq, 0, 0, body, sums FROM runs; ALTER TABLE runs DROP COLUMN body; ALTER TABLE runs DROP COLUMN sums; DROP TABLE processes; DROP TABLE mail; DROP TABLE payloads; DROP TABLE packs; ALTER TABLE upkeep DROP COLUMN policy; ALTER TABLE upkeep DROP COLUMN old;`
			if !facts {
				older += `ALTER TABLE runs DROP COLUMN facts;`
			}
			if _, err := raw.Exec(older + fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				s, err = Open(filepath.Dir(s.Path()), Options{})
				if err != nil {
					t.Fatal(err)
				}
				if r, err := s.Run(t.Context(), "PLAIN"); err != nil || s.Verify(t.Context(), r) != nil || r.Status != Finished {
					t.Errorf("%+v %v", r, err)
				}
				if got := userVersion(t, s); got != newest {
					t.Errorf("the version is %d", got)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// What earlier programs ignore is added to a store without a change of its version, so that they still use it.
func TestStoreIsExpanded(t *testing.T) {
	s := inStore(t, flown("PLAIN"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	version := userVersion(t, s)
	raw, err := Raw(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(`DROP INDEX in_doubt; ALTER TABLE runs DROP COLUMN facts`); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(filepath.Dir(s.Path()), Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Run(t.Context(), "PLAIN"); err != nil || s.Verify(t.Context(), r) != nil || userVersion(t, s) != version {
		t.Errorf("%+v %v, version %d, was %d", r, err, userVersion(t, s), version)
	}
	var made int
	err = raw.QueryRow(`SELECT (SELECT count(*) FROM sqlite_master WHERE name = 'in_doubt') + (SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'facts')`).Scan(&made)
	if err != nil || made != 2 {
		t.Errorf("%d of 2 additions, %v", made, err)
	}
}

// An answer that a call follows is in the database when Append returns. That a store cannot be
// written ends no run because of it: the user would be asked again.
func TestAnswersAreAwaited(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events := asking("ASKING")[:7]
	j := s.Journal(nil, About{})
	for _, e := range events {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := Raw(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var n int
	if err := raw.QueryRow("SELECT events FROM runs").Scan(&n); err != nil || n != len(events) {
		t.Errorf("%d events are in the database, %v", n, err)
	}

	attempts := Paced(s)
	if _, err := raw.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		again := asking("OTHER")
		for _, e := range again[:4] {
			if err := j.Append(context.Background(), e); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for waits := true; waits; {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			waits = false
		case <-attempts.Failed:
			select {
			case attempts.Again <- time.Time{}:
			case err := <-done:
				done <- err
			}
		}
	}
	if notes, _, err := Notes(s); err != nil || notes > 0 {
		t.Errorf("%d answers are noted as if they were calls, %v", notes, err)
	}
	if _, err := raw.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// A released run can be resumed by another process at once, and that it was suspended is no crash.
func TestRelease(t *testing.T) {
	events := asking("ASKING")
	s := inStore(t, events[:3])
	kill(t, s)
	a, err := Open(filepath.Dir(s.Path()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx := t.Context()
	for range 3 {
		if err := a.Claim(ctx, "ASKING"); err != nil {
			t.Fatal(err)
		}
		if err := a.Journal(nil, About{}).Append(ctx, events[2]); err != nil { // it is asked again
			t.Fatal(err)
		}
		if err := a.Release(ctx, "ASKING"); err != nil {
			t.Fatal(err)
		}
		if r, err := a.Run(ctx, "ASKING"); err != nil || r.Status != Interrupted || r.Resumed != 0 || r.Question == nil {
			t.Fatalf("%+v %v", r, err)
		}
	}
	b, err := Open(filepath.Dir(s.Path()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Claim(ctx, "ASKING"); err != nil {
		t.Fatal(err)
	}
	if err := a.Release(ctx, "ASKING"); err != nil { // of another process: nothing happens
		t.Fatal(err)
	}
	if r, err := b.Run(ctx, "ASKING"); err != nil || r.Status != Waiting {
		t.Errorf("%+v %v", r, err)
	}
	j := b.Journal(nil, About{})
	for _, e := range events[3:] {
		if err := j.Append(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.Load(ctx, "ASKING")
	if err != nil || len(got) != len(events)+3 || execution.CheckEvents(got) != nil {
		t.Errorf("%d events, %v, %v", len(got), err, execution.CheckEvents(got))
	}
}

// A released run can be claimed again by the same process, whose writer reads its row afresh.
func TestReleasedRunIsReadAgain(t *testing.T) {
	events := asking("ASKING")
	s := inStore(t, events[:3])
	kill(t, s)
	a, _ := Open(filepath.Dir(s.Path()), Options{})
	b, _ := Open(filepath.Dir(s.Path()), Options{})
	for i, store := range []*Store{a, b, a} {
		if err := store.Claim(t.Context(), "ASKING"); err != nil {
			t.Fatal(i, err)
		}
		if err := store.Journal(nil, About{}).Append(t.Context(), events[2]); err != nil {
			t.Fatal(err)
		}
		if err := store.Release(t.Context(), "ASKING"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.Load(t.Context(), "ASKING")
	if err != nil || len(got) != 6 {
		t.Errorf("%d events, %v", len(got), err)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}
