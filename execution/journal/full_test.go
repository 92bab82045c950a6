package journal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
)

// A disk that is full is tried again until it has room: what was written in part is written
// once, as a whole.
func TestV17FullDisk(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := newCommitter(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.data.(*sqlite).beginWriting(t.Context()); err != nil {
		t.Fatal(err)
	}
	pages := func(limit int) {
		t.Helper()
		if _, err := s.data.(*sqlite).conn.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", limit)); err != nil {
			t.Fatal(err)
		}
	}
	pages(50)
	pauses := 0
	s.writer.pause = func(error) <-chan time.Time {
		if pauses++; pauses == 3 {
			pages(10_000)
		}
		over := make(chan time.Time)
		close(over)
		return over
	}
	v := &view{store: s}
	batch := []queued{}
	for n := range 200 { // rows of some are written before the disk is full
		id := fmt.Sprintf("RUN%d", n)
		batch = append(batch,
			newQueued(v, execution.Event{Kind: execution.RunStarted, Run: id, Time: time.Now(), Start: &execution.Start{Args: strings.Repeat("x", 3000)}}),
			newQueued(v, execution.Event{Kind: execution.RunFinished, Run: id, Time: time.Now(), End: &execution.End{Value: "out"}}))
	}
	kept := make(chan error, 1)
	batch[7].done = kept
	if err := c.commit(batch); err != nil || pauses != 3 {
		t.Fatalf("%d pauses, %v", pauses, err)
	}
	if err := <-kept; err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("a run that waited: %v", err)
	}
	runs, err := s.List(t.Context(), Filter{Limit: -1})
	if err != nil || len(runs) != 200 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if all, err := s.Load(t.Context(), r.ID); err != nil || len(all) != 2 || r.Status != Finished || r.Bytes > 3500 {
			t.Fatalf("%+v: %d events, %v", r, len(all), err)
		}
	}
}
