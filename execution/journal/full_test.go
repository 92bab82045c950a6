package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/execution"
)

// full is a database on a disk that is full for some attempts to write.
type full struct {
	Database
	Noter
	attempts int
}

var errFull = errors.New("the disk is full")

func (f *full) Write(ctx context.Context, batch []*Pending) error {
	if f.attempts--; f.attempts >= 0 {
		return errFull
	}
	return f.Database.Write(ctx, batch)
}

func (f *full) Trouble(err error) Trouble {
	if errors.Is(err, errFull) {
		return Passing
	}
	return f.Database.Trouble(err)
}

// A disk that is full is tried again until it has room: each run is written once, as a whole.
func TestV17FullDisk(t *testing.T) {
	data, err := NewSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := New(&full{Database: data, Noter: data.(Noter), attempts: 3}, Options{})
	defer s.Close()
	c, err := newCommitter(s)
	if err != nil {
		t.Fatal(err)
	}
	pauses := 0
	s.writer.pause = func(error) <-chan time.Time {
		pauses++
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
