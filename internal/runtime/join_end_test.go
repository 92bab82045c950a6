package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/serving/server"
)

// deaf is a database of which one reading fails.
type deaf struct {
	journal.Database
	left atomic.Int64 // readings until then; below 0: none fails
}

var errDeaf = errors.New("the server does not answer")

func (d *deaf) Sweep(ctx context.Context) error {
	if d.left.Add(-1) == 0 {
		return errDeaf
	}
	return d.Database.Sweep(ctx)
}

func (d *deaf) Trouble(err error) journal.Trouble {
	if errors.Is(err, errDeaf) {
		return journal.Passing
	}
	return d.Database.Trouble(err)
}

func openDeaf(t *testing.T, dir string) (*journal.Store, *deaf) {
	t.Helper()
	d := &deaf{}
	var err error
	if d.Database, err = sqlite.New(dir, false); err != nil {
		t.Fatal(err)
	}
	store := journal.New(d, journal.Options{})
	t.Cleanup(func() { _ = store.Close() })
	return store, d
}

// A call that joins a run is made again whatever of the run cannot be read, and gets the end of the run when all can.
func TestJoinUnread(t *testing.T) {
	for _, status := range []journal.Status{journal.Interrupted, journal.Finished} {
		dir := t.TempDir()
		l := joiner(t, sweepingGraph(t), dir)
		if status == journal.Finished {
			if _, err := l.join(t.Context(), &joining{id: "RUN"}); err != nil {
				t.Fatal(err)
			}
		}
		var d *deaf
		l.History, d = openDeaf(t, dir)
		for n := int64(1); ; n++ {
			d.left.Store(n)
			result, err := l.join(t.Context(), &joining{id: "RUN"})
			if err == nil {
				if n < 3 || result.Value != 1.0 {
					t.Errorf("%s: %+v after %d readings", status, result, n-1)
				}
				break
			}
			if again := new(server.AgainError); !errors.As(err, &again) || d.left.Load() > 0 {
				t.Fatalf("%s: reading %d has failed: %v", status, n, err)
			}
		}
	}
}

// A run that cannot be read is looked for at the next sweep.
func TestSweepsUnread(t *testing.T) {
	dir := t.TempDir()
	l := joiner(t, sweepingGraph(t), dir)
	var d *deaf
	l.History, d = openDeaf(t, dir)
	run, err := l.History.Exact(t.Context(), "RUN")
	if err != nil {
		t.Fatal(err)
	}
	r := newResumer(l, 0)
	for _, fails := range []int64{1, 0} {
		d.left.Store(fails)
		if wanted := r.wanted(t.Context(), run); wanted != (fails == 0) {
			t.Errorf("%d reading fails, and the run is wanted: %t", fails, wanted)
		}
	}
}
