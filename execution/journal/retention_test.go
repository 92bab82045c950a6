package journal

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sqlitedriver "modernc.org/sqlite"

	"toolgraph/config"
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
	if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "has written nothing for 10 s, although events wait") {
		t.Errorf("nothing is written: %v", err)
	}
	close(d.on)
	s.writer.flush()
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// inDoubt is the end of a run because of a call whose outcome is unknown.
var inDoubt = &execution.End{Failure: &execution.Failure{Code: execution.CodeOutcomeUnknown, Message: "unknown"}}

// Runs that can continue are never deleted by age, bytes or number. They are listed as old, and continue.
func TestX26WhatCanContinueStays(t *testing.T) {
	dir := t.TempDir()
	s := reopen(t, dir, Options{})
	long := time.Now().Add(-1000 * time.Hour)
	visit := &execution.Visit{Index: 1, NodeID: "sure", NodeType: config.AskNode}
	asked := execution.Event{Kind: execution.QuestionAsked, Run: "ASKED", Time: long, Step: visit, Question: &execution.Question{At: "1", Digest: "d", Message: "Sure?"}}
	add(t, s, made("INTERRUPTED", long, false)[0], made("ASKED", long, false)[0], asked)
	doubt := made("DOUBT", long, false)
	doubt[1].End = inDoubt
	add(t, s, doubt...)
	if err := s.Close(); err != nil { // its runs are interrupted
		t.Fatal(err)
	}
	s = reopen(t, dir, Options{})
	add(t, s, made("FAILED", long, false)...)
	waits := asked
	waits.Run = "WAITS"
	add(t, s, made("WAITS", long, false)[0], waits)
	stay := []string{"WAITS", "DOUBT", "ASKED", "INTERRUPTED"}
	for _, keep := range []Retention{{MaxAge: time.Hour}, {MaxBytes: 1}, {MaxRuns: 1}} {
		add(t, s, made("FRESH", time.Now(), false)...)
		if _, err := s.Prune(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		if got := slices.DeleteFunc(idsOfAll(t, s), func(id string) bool { return id == "FRESH" }); !slices.Equal(got, stay) {
			t.Fatalf("%s: %v are left", keep, got)
		}
		if _, err := s.Delete(t.Context(), "FRESH"); err != nil {
			t.Fatal(err)
		}
	}
	add(t, s, made("FRESH", time.Now().Add(time.Hour), false)...)
	runs, err := s.List(t.Context(), Filter{Old: true})
	if err != nil || len(runs) != len(stay) {
		t.Errorf("old are %v, %v", runs, err)
	}
	for _, r := range runs {
		if !r.Old {
			t.Errorf("%s is not marked as old", r.ID)
		}
	}
	if r, err := s.Run(t.Context(), "FRESH"); err != nil || r.Old {
		t.Errorf("%+v, %v", r, err)
	}
	if state, err := s.State(t.Context()); err != nil || state.Old != len(stay) {
		t.Errorf("%+v, %v", state, err)
	}
	for _, id := range []string{"ASKED", "INTERRUPTED", "DOUBT"} {
		if err := s.ClaimInDoubt(t.Context(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	add(t, s, execution.Event{Kind: execution.Answered, Run: "ASKED", Time: time.Now(), Step: visit, Answer: &execution.Answer{Action: execution.Accept, Digest: "d"}})
	if r, err := s.Run(t.Context(), "ASKED"); err != nil || r.Question != nil || r.Status != Running {
		t.Errorf("the answer is not taken: %+v, %v", r, err)
	}
	if n, err := s.Delete(t.Context(), "DOUBT", "WAITS"); n != 0 || err != nil { // they are in progress
		t.Errorf("%d deleted, %v", n, err)
	}
}

// The policy of a store holds for all its processes: for one with other flags, and for one that only visits.
func TestX27PolicyOfTheStore(t *testing.T) {
	year, month := Retention{MaxAge: 365 * 24 * time.Hour}, Retention{MaxAge: 30 * 24 * time.Hour}
	const hours = 24 * time.Hour
	dir := t.TempDir()
	process := func(opts Options, run string) string {
		t.Helper()
		var log bytes.Buffer
		opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		s := reopen(t, dir, opts)
		add(t, s, made(run, time.Now().Add(-100*hours), false)...)
		s.writer.flush()
		waitForPruning(s)
		if db, err := s.reader(t.Context()); err != nil {
			t.Fatal(err)
		} else if _, err := db.ExecContext(t.Context(), `UPDATE upkeep SET pruned = 0`); err != nil { // the hour is over
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return log.String()
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if got := idsOfAll(t, reopen(t, dir, Options{})); !slices.Equal(got, want) {
			t.Errorf("%s: %v are left, expected %v", what, got, want)
		}
	}
	process(Options{}, "A")
	expect("without a policy, a visitor deletes nothing", "A")
	process(Options{Keep: year, SetsKeep: true}, "B")
	expect("the policy is a year", "B", "A")
	process(Options{Keep: Retention{MaxRuns: 1}, SetsKeep: true}, "C")
	if log := process(Options{Keep: month}, "D"); !strings.Contains(log, `policy="365 days" default="30 days"`) {
		t.Errorf("the process says: %s", log)
	}
	process(Options{}, "E")
	expect("others do not change it", "E", "D", "C", "B", "A")
	s := reopen(t, dir, Options{})
	if policy, ok, err := s.Policy(t.Context()); policy != year || !ok || err != nil {
		t.Errorf("%v, %t, %v", policy, ok, err)
	}
	if err := s.SetPolicy(t.Context(), Retention{MaxAge: 200 * hours, MaxRuns: 2}); err != nil {
		t.Fatal(err)
	}
	process(Options{}, "F")
	expect("a visitor deletes by the policy of the store", "F", "E")
}

// A store without a policy is pruned by the default of a process that serves.
func TestX27DefaultOfServe(t *testing.T) {
	s := reopen(t, t.TempDir(), Options{Keep: Retention{MaxRuns: 1}})
	addRuns(t, s, "RUN", 1)
	if policy, ok, err := s.Policy(t.Context()); ok || err != nil {
		t.Errorf("%v, %t, %v", policy, ok, err)
	}
	waitForPruning(s)
	var pruned int64
	db, err := s.reader(t.Context())
	if err == nil {
		err = db.QueryRowContext(t.Context(), `SELECT pruned FROM upkeep`).Scan(&pruned)
	}
	if err != nil || pruned == 0 {
		t.Errorf("the store was not pruned: %d, %v", pruned, err)
	}
}
