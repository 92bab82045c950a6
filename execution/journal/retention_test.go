package journal

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/execution"
)

// turns is a database that counts the steps of deleting, also those during which a batch waits, and stops before one until
// the test goes on or the store is closed.
type turns struct {
	Database
	n, at       atomic.Int64
	during      atomic.Int64 // the most steps that began between the beginning and the end of one batch
	stopped, on chan struct{}
	life        context.Context //nolint:containedctx // of the store
}

// stopAt makes a store stop before a step.
func stopAt(s *Store, at int64) *turns {
	s.writer.flush() // it does not read what is changed here meanwhile
	d := &turns{Database: s.data, stopped: make(chan struct{}), on: make(chan struct{}), life: s.pruner.life}
	d.at.Store(at)
	s.data = d
	return d
}

// Turn begins a step, or another turn of retention.
func (d *turns) Turn() func() {
	if d.n.Add(1) == d.at.Load() {
		close(d.stopped)
		select {
		case <-d.on:
		case <-d.life.Done():
		}
	}
	return (&Store{data: d.Database}).turn()
}

// Write writes a batch.
func (d *turns) Write(ctx context.Context, batch []*Pending) error {
	before := d.n.Load()
	err := d.Database.Write(ctx, batch)
	d.during.Store(max(d.during.Load(), d.n.Load()-before))
	return err
}

// Now is that of the database.
func (d *turns) Now() string { return (&Store{data: d.Database}).clock() }

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
	passes := make(chan struct{}, 1)
	s.pruner.every, s.pruner.slow = time.Millisecond, time.Hour
	s.pruner.passed = func() {
		select {
		case passes <- struct{}{}:
		default:
		}
	}
	passesOf.Store(s, passes)
	return s
}

// passesOf has for each store of reopen the channel that gets something after each of its passes.
var passesOf sync.Map

// waitForPruning waits until what was recorded is written, and a pass that began after that has ended.
func waitForPruning(t *testing.T, s *Store) {
	t.Helper()
	s.writer.flush()
	found, _ := passesOf.Load(s)
	passes, _ := found.(chan struct{})
	for range 3 { // one that had ended, one that was in progress, one
		s.pruneBeside(0)
		select {
		case <-passes:
		case <-time.After(time.Minute):
			t.Fatal("no pass ends")
		}
	}
}

// No call waits for a delete: while old runs are being deleted, calls with and without a key are recorded
// between two steps, each of which is short. The steps are as many as there is to delete.
func TestX25NoCallWaits(t *testing.T) {
	const old, stay = 2000, 100
	dir, size := grown(t, old)
	s := reopen(t, dir, Options{Keep: Retention{MaxBytes: stay * size}})
	d := stopAt(s, 2)
	addRuns(t, s, "FIRST", 1) // a pass is due with its batch
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
	waitForPruning(t, s)
	left := idsOfAll(t, s)
	if len(left) < stay-stay/8 || len(left) > stay || left[0] != "PLAIN" || slices.Contains(left, "OLD000000") {
		t.Errorf("%d runs are left, the newest is %s", len(left), left[0])
	}
	if most := int64(old/stepRuns + 10); d.n.Load() > most {
		t.Errorf("%d steps to delete %d runs, at most %d were expected", d.n.Load(), old, most)
	}
}

// While runs end and old ones are deleted, the bytes of the store stay under its bound, and no batch waits for more than one
// step.
func TestX25BytesStayUnderTheBound(t *testing.T) {
	const stay, each, batches = 1600, 50, 50
	dir, size := grown(t, 10)
	s := reopen(t, dir, Options{})
	bound := stay * size
	if err := s.SetPolicy(t.Context(), Policy{Retention: Retention{MaxBytes: bound}}); err != nil {
		t.Fatal(err)
	}
	s.pruner.begin.Do(func() {}) // the test makes the passes, one for each of some runs
	d := stopAt(s, 0)
	for i := range batches {
		addRuns(t, s, fmt.Sprintf("BATCH%02d", i), each)
		s.writer.flush()
		if got := amountOf(t, s); got.bytes > bound {
			t.Fatalf("%d bytes after %d batches, the bound is %d", got.bytes, i, bound)
		}
		if _, err := s.pruneDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := amountOf(t, s); got.runs < stay*15/16 || d.n.Load() == 0 {
		t.Errorf("%d runs are left after %d steps, expected nearly %d", got.runs, d.n.Load(), stay)
	}
	s.follow()
	beside := reopen(t, dir, Options{}) // now beside the writer
	d = stopAt(beside, 0)
	for i := range batches {
		addRuns(t, beside, fmt.Sprintf("MORE%02d", i), each)
	}
	waitForPruning(t, beside)
	if got := amountOf(t, beside); got.bytes > bound || d.n.Load() == 0 {
		t.Errorf("%d bytes after %d steps, the bound is %d", got.bytes, d.n.Load(), bound)
	}
	// Those of SQLite wait for a step, at most for one each: that of the rows, and that which unpacks others.
	if _, waits := d.Database.(turner); waits && d.during.Load() > 2 {
		t.Errorf("%d steps began while one batch was written", d.during.Load())
	}
}

// amountOf returns what the counters of a store have.
func amountOf(t *testing.T, s *Store) (all amount) {
	t.Helper()
	db, err := s.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	groups, err := groupsOf(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		all.add(g.amount)
	}
	return all
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

// The work is linear in what is deleted, and that of runs that stay, or can continue, is none: each run that is deleted
// is read once, by the index.
func TestX25LinearWork(t *testing.T) {
	if testing.Short() {
		t.Skip("rows are counted, on one goroutine, which the race detector's runs, which are short, only make slow")
	}
	const stay, canContinue = 1500, 300
	for _, old := range []int{1500, 3000} {
		dir, _ := grown(t, canContinue+old+stay)
		s := reopen(t, dir, Options{})
		var steps int
		counted := &statements{}
		n, err := s.deleting(t.Context(), func(db executor, step stepper) (int, error) {
			if err := step(func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), `UPDATE runs SET status = 'interrupted' WHERE seq <= $1`, canContinue)
				return err
			}); err != nil {
				return 0, err
			}
			counted.executor = db
			p := pruning{
				ctx: t.Context(), db: counted, keep: Policy{Retention: Retention{MaxRuns: stay}},
				step: func(do func(*sql.Tx) error) error { steps++; return step(do) },
			}
			err := p.pass()
			return int(p.done.runs), err
		})
		if n != old || err != nil {
			t.Fatalf("%d runs deleted, %v", n, err)
		}
		if most := old/stepRuns + 3; counted.queries > most {
			t.Errorf("%d statements to select %d runs, at most %d were expected", counted.queries, old, most)
		}
		if most := old/stepRuns + 4; steps > most {
			t.Errorf("%d steps for %d runs, at most %d were expected", steps, old, most)
		}
	}
}

// What a pass reads, it reads by the index of the runs that retention may delete.
func TestRetentionUsesTheIndex(t *testing.T) {
	dir, _ := grown(t, 10)
	s := reopen(t, dir, Options{})
	db, err := s.reader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{groupsQuery, pageQuery} {
		args := []any{"demo", "tool", Finished, 1, 1, 10}
		if query == groupsQuery {
			args = nil
		}
		plan := planOf(t, db, query, args...)
		if !strings.Contains(plan, "SEARCH runs USING INDEX ended (server=? AND tool=? AND status=?") || strings.Contains(plan, "TEMP B-TREE FOR ORDER BY") {
			t.Errorf("the plan of %s:\n%s", query, plan)
		}
	}
}

// A process that stops leaves the rest to the next, at once.
func TestX25Stops(t *testing.T) {
	const old, stay = 5000, 100
	dir, size := grown(t, old)
	opts := Options{Keep: Retention{MaxBytes: stay * size}}
	s := reopen(t, dir, opts)
	d := stopAt(s, 2)
	addRuns(t, s, "FIRST", 1)
	<-d.stopped
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := d.n.Load(); n > 3 {
		t.Errorf("%d steps, although the store is closed before the second", n)
	}
	next := reopen(t, dir, opts)
	if n := len(idsOfAll(t, next)); n < old/2 {
		t.Errorf("%d runs are left, expected most", n)
	}
	addRuns(t, next, "NEXT", 1)
	waitForPruning(t, next)
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
