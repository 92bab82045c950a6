package journal

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// passless is a store whose passes the test makes.
func passless(t *testing.T, keep Policy) *Store {
	t.Helper()
	s := reopen(t, t.TempDir(), Options{})
	s.pruner.begin.Do(func() {})
	if err := s.SetPolicy(t.Context(), keep); err != nil {
		t.Fatal(err)
	}
	return s
}

func pass(t *testing.T, s *Store) {
	t.Helper()
	s.writer.flush()
	if _, err := s.pruneDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A pass is due when a run is too old, also when no bound of bytes is reached; then it deletes this run alone.
func TestPassIsDueByAge(t *testing.T) {
	s := passless(t, Policy{Retention: Retention{MaxAge: time.Hour, MaxBytes: 1 << 30}})
	endedAs(t, s, "FRESH", "demo", "tool", Finished, time.Minute)
	pass(t, s)
	endedAs(t, s, "OLD", "demo", "tool", Finished, 2*time.Hour)
	pass(t, s)
	if got := idsOfAll(t, s); !slices.Equal(got, []string{"FRESH"}) {
		t.Errorf("%v are left", got)
	}
}

// Where nothing can be deleted, a run that can continue is still listed as old.
func TestOldWithoutAnythingToDelete(t *testing.T) {
	s := passless(t, Policy{Retention: Retention{MaxAge: time.Hour}})
	add(t, s, made("OPEN", time.Now().Add(-2*time.Hour), false)[0])
	pass(t, s)
	if r, err := s.Run(t.Context(), "OPEN"); err != nil || !r.Old {
		t.Errorf("%+v, %v", r, err)
	}
	o, err := s.Outlook(t.Context(), Retention{})
	if err != nil || o.Exempt.Running.Old != 1 || o.Leader == nil || o.Passed.IsZero() || o.Shares[0].Runs != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

// What rules delete counts for the bounds of all runs.
func TestRulesDeleteFirst(t *testing.T) {
	policy := Policy{Retention: Retention{MaxRuns: 4}}.With(Rule{Selector{Tool: "ping"}, Retention{MaxRuns: 1}})
	s := passless(t, policy)
	for i := range 3 {
		endedAs(t, s, fmt.Sprintf("P%d", i), "demo", "ping", Finished, time.Duration(10-i)*time.Hour)
		endedAs(t, s, fmt.Sprintf("R%d", i), "demo", "read", Finished, time.Duration(20-i)*time.Hour)
	}
	s.writer.flush()
	o, err := s.Outlook(t.Context(), Retention{})
	if err != nil || len(o.Shares) != 2 || o.Shares[0].Due != 2 || o.Shares[0].Runs != 3 || o.Shares[1].Runs != 3 || !o.HasOwn {
		t.Errorf("the outlook is %+v, %v", o, err)
	}
	pass(t, s)
	if got := idsOfAll(t, s); !slices.Equal(got, []string{"R2", "P2", "R1", "R0"}) {
		t.Errorf("%v are left", got)
	}
}

// long records a run with values of a number of bytes.
func long(t *testing.T, s *Store, id string, size int) {
	t.Helper()
	all := made(id, time.Now().Add(-2*time.Hour), false)
	step := func(i int) execution.Event {
		return execution.Event{Kind: execution.StepFinished, Run: id, Time: all[0].Time, Record: &execution.Record{
			Index: i, NodeID: "n", NodeType: config.TransformNode, Start: all[0].Time, End: all[0].Time, Output: fmt.Sprintf("%*d", 50_000, i),
		}}
	}
	add(t, s, all[0])
	for i := range size / 50_000 {
		add(t, s, step(i))
	}
	add(t, s, all[1])
}

// A step deletes runs of 1 MiB together, or a part of one that is longer. The space leaves the file when nothing is to be deleted any more.
func TestStepsOfLongRuns(t *testing.T) {
	s := passless(t, Policy{})
	for i := range 12 {
		long(t, s, fmt.Sprintf("LONG%02d", i), 400_000)
	}
	long(t, s, "LONGEST", 3_000_000)
	if err := s.SetPolicy(t.Context(), Policy{Retention: Retention{MaxAge: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	shared, d := s.IsShared(), stopAt(s, 0)
	pass(t, s)
	if got := idsOfAll(t, s); len(got) != 0 {
		t.Errorf("%v are left", got)
	}
	if n := d.n.Load(); n < 6+4 || n > 40 {
		t.Errorf("%d steps for 12 runs of 400 KB and one of 3 MB", n)
	}
	if s.Health().Pruned != 13 {
		t.Errorf("%d runs are counted", s.Health().Pruned)
	}
	if shared {
		return
	}
	free := func() (pages int) {
		db, err := s.reader(t.Context())
		if err == nil {
			err = db.QueryRowContext(t.Context(), `SELECT * FROM pragma_freelist_count`).Scan(&pages)
		}
		if err != nil {
			t.Fatal(err)
		}
		return pages
	}
	if n := free(); n < 500 {
		t.Errorf("%d pages are free after the pass", n)
	}
	pass(t, s)
	if n := free(); n > 0 {
		t.Errorf("%d pages are free after a pass that had nothing to delete", n)
	}
}

// A process that records much for a small bound looks before its time.
func TestPassFollowsTheLoad(t *testing.T) {
	dir, size := grown(t, 1)
	s := reopen(t, dir, Options{})
	s.pruner.every = time.Hour
	if err := s.SetPolicy(t.Context(), Policy{Retention: Retention{MaxBytes: 200 * size}}); err != nil {
		t.Fatal(err)
	}
	found, _ := passesOf.Load(s)
	passes, _ := found.(chan struct{})
	for i := range 3 {
		addRuns(t, s, fmt.Sprintf("RUN%d", i), 100)
		select {
		case <-passes:
		case <-time.After(time.Minute):
			t.Fatalf("no pass after %d times 100 runs", i+1)
		}
	}
}

// A run that was taken up again after it was selected stays.
func TestSelectedRunIsTakenUp(t *testing.T) {
	s := passless(t, Policy{})
	endedAs(t, s, "ENDED", "demo", "tool", Finished, time.Hour)
	add(t, s, made("TAKEN", time.Now(), false)[0])
	s.writer.flush()
	db, err := s.data.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	err = transact(t.Context(), db, func(tx *sql.Tx) error {
		both, err := sizes(t.Context(), tx, `SELECT seq, id, bytes FROM runs`)
		if err != nil || len(both) != 2 {
			return fmt.Errorf("%d runs, %w", len(both), err)
		}
		n, err := deleteEnded(t.Context(), tx, both)
		if n.runs != 1 {
			t.Errorf("%d runs are deleted", n.runs)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := idsOfAll(t, s); !slices.Equal(got, []string{"TAKEN"}) {
		t.Errorf("%v are left", got)
	}
}

// The steps of SQLite have turns with its writer.
func TestX25StepsHaveTurns(t *testing.T) {
	data, err := NewSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, has := data.(turner); !has {
		t.Error("no step waits for the writer of its process, and the writer polls for the lock")
	}
}

// After each step the database is free for as long as it took.
func TestX25EachStepRests(t *testing.T) {
	s := passless(t, Policy{Retention: Retention{MaxRuns: 10}})
	addRuns(t, s, "RUN", 2500)
	d := stopAt(s, 0)
	rests := 0
	s.pruner.rest = func(_ context.Context, took time.Duration) error {
		if rests++; took <= 0 {
			t.Errorf("the rest after a step takes %v", took)
		}
		return nil
	}
	pass(t, s)
	if steps := int(d.n.Load()) - 1; rests < 3 || rests != steps { // the first turn is that of the leader
		t.Errorf("%d rests after %d steps", rests, steps)
	}
}

// Steps get smaller while they take long, and grow again.
func TestStepsFollowTheirTime(t *testing.T) {
	p := pruning{slow: stepSlow}
	p.resize(time.Second)
	if p.most() != stepRuns/2 {
		t.Errorf("%d runs after a long step", p.most())
	}
	for range 20 {
		p.resize(time.Second)
	}
	if p.most() != stepLeast {
		t.Errorf("%d runs after long steps", p.most())
	}
	for range 20 {
		p.resize(time.Millisecond)
	}
	if p.most() != stepRuns {
		t.Errorf("%d runs after short steps", p.most())
	}
}
