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
	if err := c.commit(batchOf(written)); err != nil {
		t.Fatal(err)
	}
	batch := batchOf(ahead)
	return c, c.addKnown(batch) == len(batch) && c.keep()
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
				if err := committer.commit(rest); err != nil {
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

func (c *countedWrites) Stay(batch []Pending) bool { return c.Database.(Ahead).Stay(batch) }

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

// Under load, runs in progress stay ahead of the transaction, which packs those that have ended; when no more come, they get their rows, and so
// do the packed ones. What stays is in no file any more when it has a row.
func TestLoadIsPacked(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		data, err := NewSQLite(dir)
		if err != nil {
			t.Fatal(err)
		}
		s := New(data, Options{})
		j := s.Journal(nil, About{File: "/x/graph.yaml"})
		if err := j.Append(t.Context(), flown("FIRST")[0]); err != nil {
			t.Fatal(err)
		}
		// What is kept needs a database that was written.
		s.writer.flush()
		for id, age := range map[string]time.Duration{"OLD": youngest + linger, "LATER": -time.Hour} { // the clock was set back
			e := flown(id)[0]
			e.Time = time.Now().Add(-age)
			if err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Append(t.Context(), flown("FIRST")[1]); err != nil {
			t.Fatal(err)
		}
		const ended, begun = 40, 20
		for i := range ended + begun {
			f := newFlow(fmt.Sprint("RUN", i), value.NewObject(nil, nil))
			f.call("0", 0)
			f.record("0", "call", config.MCPNode, 1.0)
			events := f.events
			if i < ended {
				events = f.end(1.0)
			}
			for _, e := range events {
				e.Time = time.Now()
				e.Sync = e.Step != nil || e.Record != nil
				if err := j.Append(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
		}
		synctest.Wait()
		if len(s.writer.queue.events) >= manyEvents || s.CanPark("FIRST") {
			t.Errorf("%d events are not encoded, or a run can be parked before all of it is written", len(s.writer.queue.events))
		}
		time.Sleep(linger + time.Millisecond)
		if n := rowsOf(t, s, "runs WHERE id = 'FIRST' AND events = 2"); n != 1 || !s.CanPark("FIRST") {
			t.Errorf("%d: a run with a row stays ahead", n)
		}
		if packs, rows, files := rowsOf(t, s, "packs"), rowsOf(t, s, "runs"), kept(t, s); packs != 1 || rows != 3 || len(files) != 2 {
			t.Errorf("%d packs, %d rows, %v", packs, rows, files)
		}
		if s.CanPark(fmt.Sprint("RUN", ended)) {
			t.Error("a run without a row can be parked")
		}
		if h := s.Health(); h.Queued != 3*begun {
			t.Errorf("%d events wait, want %d", h.Queued, 3*begun)
		}
		time.Sleep(linger)
		if rows := rowsOf(t, s, "runs"); rows != 3+begun {
			t.Errorf("%d rows when no more runs came, want %d", rows, 3+begun)
		}
		if h := s.Health(); h.Queued != 0 {
			t.Errorf("%d events wait", h.Queued)
		}
		time.Sleep(idleAfter + time.Millisecond)
		if packs, rows := rowsOf(t, s, "packs"), rowsOf(t, s, "runs"); packs != 0 || rows != 3+ended+begun {
			t.Errorf("%d packs and %d rows when nothing was written for a while", packs, rows)
		}
		for _, file := range kept(t, s) {
			if info, err := os.Stat(file); err != nil || info.Size() != 0 {
				t.Errorf("%s: %v, %v", file, info.Size(), err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// fullBeside is a database whose files beside it cannot be written.
type fullBeside struct{ Database }

func (fullBeside) Ahead([]Pending) bool { return false }
func (fullBeside) Stay([]Pending) bool  { return false }

// Where what stays cannot be kept, a transaction has all, under load too.
func TestLoadOnFullDisk(t *testing.T) {
	data, err := NewSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := New(fullBeside{data}, Options{})
	defer s.Close()
	c, err := newCommitter(s)
	if err != nil {
		t.Fatal(err)
	}
	v := &view{store: s}
	var batch []queued
	for i := range 20 {
		for _, e := range append(flown(fmt.Sprint("ENDED", i)), flown(fmt.Sprint("BEGUN", i))[0]) {
			e.Time = time.Now()
			batch = append(batch, newQueued(v, e))
		}
	}
	if err := c.commit(batch); err != nil || len(c.dirty) != 0 {
		t.Fatalf("%d runs are left, %v", len(c.dirty), err)
	}
	if rows := rowsOf(t, s, "runs"); rows != 20 {
		t.Errorf("%d rows, want those of 20 runs in progress", rows)
	}
}

// A process that is killed under load leaves all that was kept of runs in progress, and of those that ended what their packs have: nothing is
// lost, and nothing is there twice.
func TestLoadSurvives(t *testing.T) {
	synctest.Test(t, loadSurvives) // in which no run grows old
}

func loadSurvives(t *testing.T) {
	t.Helper()
	s, other := sharedStores(t)
	c, err := newCommitter(s)
	if err != nil {
		t.Fatal(err)
	}
	v := &view{store: s, about: About{File: "/x/graph.yaml", Server: "demo"}}
	put := func(events []execution.Event) (batch []queued) {
		for _, e := range events {
			e.Sync = true
			batch = append(batch, newQueued(v, e))
		}
		return batch
	}
	want := map[string][]execution.Event{}
	now := time.Now().UTC().Round(0)
	of := func(id string, from, to int) []execution.Event {
		events := flown(id)
		events[0].Time = now
		want[id] = events[:to]
		return events[from:to]
	}
	var first, second []queued
	const runs = 24
	if err := c.commit(put(of("FIRST", 0, 3))); err != nil { // what is kept needs a database that was written
		t.Fatal(err)
	}
	for i := range runs {
		first = append(first, put(of(fmt.Sprint("ENDED", i), 0, len(flown(""))))...)
		first = append(first, put(of(fmt.Sprint("BEGUN", i), 0, 5))...)
	}
	if err := c.commit(first); err != nil || len(c.dirty) != runs {
		t.Fatalf("%d runs are left, %v", len(c.dirty), err)
	}
	for i := range runs { // some of those that were left go on, some end, and others begin
		switch i % 3 {
		case 0:
			second = append(second, put(of(fmt.Sprint("BEGUN", i), 5, 12))...)
		case 1:
			second = append(second, put(of(fmt.Sprint("BEGUN", i), 5, len(flown(""))))...)
		}
		second = append(second, put(of(fmt.Sprint("LATER", i), 0, len(flown(""))))...)
	}
	if err := c.commit(second); err != nil || len(c.dirty) != runs-runs/3 {
		t.Fatalf("%d runs are left, %v", len(c.dirty), err)
	}
	if added := c.addKnown(put(of("BEGUN2", 5, 9))); added != 4 || !c.keep() {
		t.Fatal("it is not kept")
	}
	Die(s)
	for id, events := range want {
		got, err := other.Load(t.Context(), id)
		if err != nil || !reflect.DeepEqual(got, events) {
			t.Errorf("%s: %d events of %d: %v", id, len(got), len(events), err)
		}
	}
	if all, err := other.List(t.Context(), Filter{Limit: -1}); err != nil || len(all) != len(want) {
		t.Errorf("%d runs, want %d, %v", len(all), len(want), err)
	}
	if left := kept(t, s); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
