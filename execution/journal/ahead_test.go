package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// sharedStores returns the stores of two processes.
func sharedStores(t *testing.T) (s, other *Store) {
	t.Helper()
	s = inStore(t, nil)
	other, err := Open(filepath.Dir(s.Path()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	return s, other
}

// kept returns the files with what is kept ahead.
func kept(t *testing.T, s *Store) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(s.Path()), "ahead", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// aheadOf lets a process write the first events of runs and keep the next ones ahead; it returns what keeps them.
func aheadOf(t *testing.T, s *Store, written, ahead [][]execution.Event) (c *committer, is bool) {
	t.Helper()
	c, err := newCommitter(s)
	if err != nil {
		t.Fatal(err)
	}
	v := &view{store: s, about: About{File: "/x/graph.yaml", Server: "demo"}}
	batchOf := func(runs [][]execution.Event) (batch []queued) {
		for _, events := range runs {
			for i, e := range events {
				e.Sync = i == len(events)-1
				batch = append(batch, newQueued(v, e))
			}
		}
		return batch
	}
	if err := c.commit(batchOf(written), 0); err != nil {
		t.Fatal(err)
	}
	batch := batchOf(ahead)
	return c, c.addKnown(batch) == len(batch) && c.keep(s.data.(Ahead))
}

// Whatever of a run a process had written, and whatever it kept ahead of its next transaction, is what others find when it is killed.
func TestAheadSurvives(t *testing.T) {
	events := flown("RUN")
	events = events[:len(events)-1] // an end does not hurry
	for from := 0; from < len(events); from += 7 {
		for to := from + 1; to <= len(events); to += 11 {
			t.Run(fmt.Sprintf("%d to %d", from, to), func(t *testing.T) {
				s, other := sharedStores(t)
				if _, is := aheadOf(t, s, [][]execution.Event{flown("FIRST"), events[:from]}, [][]execution.Event{events[from:to]}); !is {
					t.Fatal("it is not kept")
				}
				Die(s)
				got, err := other.Load(t.Context(), "RUN")
				if err != nil || !reflect.DeepEqual(got, events[:to]) {
					t.Fatalf("%d events of %d: %v", len(got), to, err)
				}
				if run, err := other.Exact(t.Context(), "RUN"); err != nil || run.Status != Interrupted {
					t.Errorf("%+v, %v", run, err)
				}
				if left := kept(t, s); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

// What a process kept ahead is older than what it wrote since: when it is killed before it could drop that, it changes nothing. A part that was not
// written whole is none.
func TestAheadIsOld(t *testing.T) {
	events := flown("RUN")
	torn := func(text []byte) []byte { return text[:len(text)-1] }
	flipped := func(text []byte) []byte { text[len(text)-100] ^= 1; return text }
	for name, c := range map[string]struct {
		written int // events before those that are kept
		since   int // those that are written afterwards end here; 0: none are, and the last part is damaged by damage
		damage  func(text []byte) []byte
		want    int
	}{
		"a run that has ended since":            {0, len(events), nil, len(events)},
		"a run with a row that has ended since": {7, len(events), nil, len(events)},
		"a run that has gone on since":          {0, 20, nil, 20},
		"a run with a row that has gone on":     {7, 20, nil, 20},
		"a torn part of a run without a row":    {0, 0, torn, 0},
		"a damaged part":                        {7, 0, flipped, 7},
		"a torn part of a run that has its row": {7, 0, torn, 7},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := sharedStores(t)
			committer, is := aheadOf(t, s, [][]execution.Event{flown("FIRST"), events[:c.written]}, [][]execution.Event{events[c.written:12]})
			files := kept(t, s)
			if !is || len(files) != 1 {
				t.Fatalf("kept: %t, %v", is, files)
			}
			text, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if c.since == 0 {
				text = c.damage(text)
			} else {
				v := &view{store: s}
				var rest []queued
				for _, e := range events[12:c.since] {
					rest = append(rest, newQueued(v, e))
				}
				for i := range 16 { // so that runs are packed
					for _, e := range flown(fmt.Sprint("BESIDE", i)) {
						rest = append(rest, newQueued(v, e))
					}
				}
				if err := committer.commit(rest, 0); err != nil {
					t.Fatal(err)
				}
				if now, err := os.ReadFile(files[0]); err != nil || len(now) > 0 {
					t.Errorf("%d bytes are left, %v", len(now), err)
				}
			}
			if err := os.WriteFile(files[0], text, 0o600); err != nil {
				t.Fatal(err)
			}
			Die(s)
			got, err := other.Load(t.Context(), "RUN")
			if (err != nil) != (c.want == 0) || c.want > 0 && !reflect.DeepEqual(got, events[:c.want]) {
				t.Fatalf("%d events, expected %d: %v", len(got), c.want, err)
			}
		})
	}
}

// countedWrites counts what a writer asks of its database.
type countedWrites struct {
	Database
	written, ahead int
}

func (c *countedWrites) Write(ctx context.Context, batch []*Pending) error {
	c.written++
	return c.Database.Write(ctx, batch)
}

func (c *countedWrites) Ahead(batch []Pending) bool {
	c.ahead++
	return c.Database.(Ahead).Ahead(batch)
}

func (c *countedWrites) Note(run string, name NoteName, text []byte) bool {
	return c.Database.(Noter).Note(run, name, text)
}

func (c *countedWrites) Erase(run string, erased func(NoteName) bool) {
	c.Database.(Noter).Erase(run, erased)
}

// Calls that are not safe to repeat do not begin transactions of their own: of a hundred in a tenth of a second there are as many transactions
// as without them.
func TestAheadIsNoTransaction(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		data, err := NewSQLite(dir)
		if err != nil {
			t.Fatal(err)
		}
		c := &countedWrites{Database: data}
		s := New(c, Options{})
		j := s.Journal(nil, About{})
		for i := range 100 {
			f := newFlow(fmt.Sprint("RUN", i), value.NewObject(nil, nil))
			f.call("0", 0)
			f.record("0", "call", config.MCPNode, 1.0)
			for _, e := range f.end(1.0) {
				e.Sync = e.Step != nil || e.Record != nil
				if err := j.Append(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Millisecond)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if most := int(100*time.Millisecond/linger) + 2; c.written > most || c.ahead < 20 {
			t.Errorf("%d transactions, expected %d at most; %d times ahead", c.written, most, c.ahead)
		}
	})
}
