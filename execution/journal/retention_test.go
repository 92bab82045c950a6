package journal

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sqlitedriver "modernc.org/sqlite"

	"toolgraph/execution"
)

// turns is a database that counts the steps of deleting, and stops before one until the test goes on or
// the store is closed.
type turns struct {
	Database
	n, at       atomic.Int64
	stopped, on chan struct{}
	life        context.Context //nolint:containedctx // of the store
}

// stopAt makes a store stop before a step.
func stopAt(s *Store, at int64) *turns {
	d := &turns{Database: s.data, stopped: make(chan struct{}), on: make(chan struct{}), life: s.pruner.life}
	d.at.Store(at)
	s.data = d
	return d
}

func (d *turns) turn() func() {
	if d.n.Add(1) == d.at.Load() {
		close(d.stopped)
		select {
		case <-d.on:
		case <-d.life.Done():
		}
	}
	if has, is := d.Database.(turner); is {
		return has.turn()
	}
	return func() {}
}

// made is a run without steps.
func made(id string, at time.Time, sync bool) []execution.Event {
	return []execution.Event{
		{Kind: execution.RunStarted, Run: id, Time: at, Start: &execution.Start{Tool: "tool", Graph: "hash", Args: "args"}, Sync: sync},
		{Kind: execution.RunFinished, Run: id, Time: at, End: &execution.End{Value: "end"}, Sync: sync},
	}
}

func add(t *testing.T, s *Store, all ...execution.Event) {
	t.Helper()
	j := s.Journal(nil, About{File: "/x.yaml", Server: "demo"})
	for _, e := range all {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// addRuns records runs, the oldest first.
func addRuns(t *testing.T, s *Store, prefix string, n int) {
	t.Helper()
	for i := range n {
		add(t, s, made(fmt.Sprintf("%s%06d", prefix, i), time.Now(), false)...)
	}
}

func idsOfAll(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	runs, err := s.List(t.Context(), Filter{Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

// grown records runs in a new store and returns it, closed, with the bytes of each run.
func grown(t *testing.T, runs int) (dir string, size int64) {
	t.Helper()
	dir = t.TempDir()
	s, err := openPlace(t, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	addRuns(t, s, "OLD", runs)
	r, err := s.Run(t.Context(), "last")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, r.Bytes
}

func reopen(t *testing.T, dir string, opts Options) *Store {
	t.Helper()
	s, err := openPlace(t, dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// waitForPruning waits until what was recorded is written, and what is pruned because of that.
func waitForPruning(s *Store) {
	for range 2 { // pruning begins after the batch was written
		s.writer.flush()
	}
	s.pruner.running.Wait()
}

// No call waits for a delete: while old runs are being deleted, calls with and without a key are recorded
// between two steps, each of which is short. The steps are as many as there is to delete.
func TestX25NoCallWaits(t *testing.T) {
	const old, stay = 2000, 100
	dir, size := grown(t, old)
	s := reopen(t, dir, Options{Keep: Retention{MaxBytes: stay * size}})
	d := stopAt(s, 5)
	addRuns(t, s, "FIRST", 1) // the hour is due with its batch
	<-d.stopped
	before := d.n.Load()
	add(t, s, made("KEYED", time.Now(), true)...) // returns when its end is recorded
	add(t, s, made("PLAIN", time.Now(), false)...)
	s.writer.flush()
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if r, err := s.Run(t.Context(), "PLAIN"); err != nil || r.Status != Finished {
		t.Errorf("%+v, %v", r, err)
	}
	if n := d.n.Load() - before; n != 0 {
		t.Errorf("%d steps between the first and the last write of calls", n)
	}
	close(d.on)
	waitForPruning(s)
	left := idsOfAll(t, s)
	if len(left) < stay || len(left) > stay+3 || left[0] != "PLAIN" || slices.Contains(left, "OLD000000") {
		t.Errorf("%d runs are left, the newest is %s", len(left), left[0])
	}
	if most := int64(old/stepRuns + 10); d.n.Load() > most {
		t.Errorf("%d steps to delete %d runs, at most %d were expected", d.n.Load(), old, most)
	}
}

// statements counts the queries of a database outside of steps, and the rows that they sum.
type statements struct {
	executor
	queries int
}

func (c *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.queries++
	return c.executor.QueryContext(ctx, query, args...)
}

// The work is linear in what is deleted: the runs that stay are summed once, and each run that is deleted is
// read once.
func TestX25LinearWork(t *testing.T) {
	const stay = 50
	for _, old := range []int{1000, 2000} {
		dir, size := grown(t, old)
		s := reopen(t, dir, Options{})
		var read, steps int
		n, err := s.deleting(t.Context(), func(db executor, step stepper) (int, error) {
			counted := &statements{executor: db}
			n, err := pruneRuns(t.Context(), counted, func(do func(*sql.Tx) error) error { steps++; return step(do) }, Retention{MaxBytes: stay * size})
			read = counted.queries
			return n, err
		})
		if n != old-stay || err != nil {
			t.Fatalf("%d runs deleted, %v", n, err)
		}
		if read > 30 {
			t.Errorf("%d statements sum the %d runs that stay", read, stay)
		}
		if most := old/stepRuns + 4; steps > most {
			t.Errorf("%d steps for %d runs, at most %d were expected", steps, old, most)
		}
	}
}

// looked counts the rows that SQLite looks at.
var looked atomic.Int64

func init() {
	sqlitedriver.MustRegisterScalarFunction("looked", 1, func(*sqlitedriver.FunctionContext, []driver.Value) (driver.Value, error) {
		looked.Add(1)
		return int64(1), nil
	})
}

// SQLite looks at each row twice, to select and to delete it, once at those that can continue, and at
// none that stays.
func TestX25RowsRead(t *testing.T) {
	const old, stay, canContinue = 3000, 1500, 300
	dir, size := grown(t, old)
	s := reopen(t, dir, Options{})
	n, err := s.deleting(t.Context(), func(db executor, step stepper) (int, error) {
		if err := step(func(tx *sql.Tx) error {
			_, err := tx.ExecContext(t.Context(), `UPDATE runs SET status = 'interrupted' WHERE seq <= $1`, canContinue)
			return err
		}); err != nil {
			return 0, err
		}
		at, err := findBounds(t.Context(), db, Retention{MaxBytes: stay * size})
		if err != nil {
			return 0, err
		}
		which := at.selection()
		which.where = "looked(seq) AND " + which.where
		looked.Store(0)
		return deleteRuns(t.Context(), step, which)
	})
	const want = old - stay - canContinue
	if n != want || err != nil {
		t.Fatalf("%d runs deleted, %v", n, err)
	}
	if got := looked.Load(); got < want || got > 2*want+canContinue+stepRuns {
		t.Errorf("%d rows are read to delete %d", got, n)
	}
}

// A process that stops leaves the rest to the next, at once.
func TestX25Stops(t *testing.T) {
	const old, stay = 1000, 100
	dir, size := grown(t, old)
	opts := Options{Keep: Retention{MaxBytes: stay * size}}
	s := reopen(t, dir, opts)
	d := stopAt(s, 4)
	addRuns(t, s, "FIRST", 1)
	<-d.stopped
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := d.n.Load(); n > 5 {
		t.Errorf("%d steps, although the store is closed before the fourth", n)
	}
	next := reopen(t, dir, opts)
	if n := len(idsOfAll(t, next)); n < old/2 {
		t.Errorf("%d runs are left, expected most", n)
	}
	addRuns(t, next, "NEXT", 1)
	waitForPruning(next)
	if n := len(idsOfAll(t, next)); n > stay+2 {
		t.Errorf("%d runs are left, expected %d", n, stay)
	}
}

// stuck is a database that does not finish writing.
type stuck struct {
	Database
	writes, on chan struct{}
}

func (d *stuck) Write(ctx context.Context, batch []*Pending) error {
	d.writes <- struct{}{}
	<-d.on
	return d.Database.Write(ctx, batch)
}

// A process whose writer stands still is not ready; it is again when the batch is written.
func TestX25WriterStandsStill(t *testing.T) {
	s := reopen(t, t.TempDir(), Options{})
	d := &stuck{Database: s.data, writes: make(chan struct{}, 1), on: make(chan struct{})}
	s.data = d
	add(t, s, made("RUN", time.Now(), false)...)
	<-d.writes
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("a batch is being written: %v", err)
	}
	s.writer.mu.Lock()
	s.writer.since = s.writer.since.Add(-2 * stalledAfter)
	s.writer.mu.Unlock()
	if err := s.Ready(t.Context()); err == nil || !regexp.MustCompile(`has written nothing for \d+ s, although events wait`).MatchString(err.Error()) {
		t.Errorf("nothing is written: %v", err)
	}
	close(d.on)
	s.writer.flush()
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}
