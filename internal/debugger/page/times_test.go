package page

import (
	"testing"
	"time"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
)

// A run took the time from the event with which it began to the one with which it ended, as `toolgraph runs`
// says: not until the page heard of it.
func TestTimeOfARun(t *testing.T) {
	store, err := sqlite.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := open(t, store)
	id := c.start(`{"tool": "count", "args": {"n": 3}}`)
	run := c.until(id, "finished")
	if _, err := store.State(t.Context()); err != nil { // writes what is queued
		t.Fatal(err)
	}
	kept, err := store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if !run.Live || run.MS != kept.Duration || run.Ended.UnixMicro() != kept.Ended.UnixMicro() {
		t.Errorf("the page has %v ms, ended %s; the store has %v ms, ended %s", run.MS, run.Ended.Format(time.RFC3339Nano), kept.Duration, kept.Ended.Format(time.RFC3339Nano))
	}
}
