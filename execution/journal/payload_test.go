package journal_test

import (
	"errors"
	"testing"

	"toolgraph/execution/journal"
)

// A value of a run is there for every process until the run is deleted, and the newest counts.
func TestAttached(t *testing.T) {
	both(t, func(t *testing.T, open func(journal.Options) *journal.Store) {
		here, there := open(journal.Options{}), open(journal.Options{})
		if _, err := here.Attached(t.Context(), "run", "answer"); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("before the first one: %v", err)
		}
		runs := here.Journal(nil, journal.About{})
		for _, id := range []string{"run", "other"} {
			if err := runs.Append(t.Context(), started(id, true)); err != nil {
				t.Fatal(err)
			}
			for _, body := range []string{"first", "second " + id} {
				if err := there.Attach(t.Context(), id, "answer", []byte(body)); err != nil {
					t.Fatal(err)
				}
			}
			if err := runs.Append(t.Context(), finished(id)); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := there.Delete(t.Context(), "run"); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		if _, err := here.Attached(t.Context(), "run", "answer"); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("after the run was deleted: %v", err)
		}
		if body, err := here.Attached(t.Context(), "other", "answer"); err != nil || string(body) != "second other" {
			t.Errorf("got %q, %v", body, err)
		}
		if _, err := here.Attached(t.Context(), "other", "question"); !errors.Is(err, journal.ErrNotFound) {
			t.Errorf("another name: %v", err)
		}
	})
}
