package journal

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

// The runs that can continue are counted by what they wait for, and no others.
func TestCensus(t *testing.T) {
	dir := t.TempDir()
	s := reopen(t, dir, Options{})
	if c, err := s.Census(t.Context()); err != nil || c != (Census{}) {
		t.Fatalf("of nothing: %+v, %v", c, err)
	}
	long := time.Now().Add(-1000 * time.Hour).UTC().Truncate(time.Microsecond)
	visit := &execution.Visit{Index: 1, NodeID: "sure", NodeType: config.AskNode}
	asked := func(run string, after time.Duration) execution.Event {
		return execution.Event{Kind: execution.QuestionAsked, Run: run, Time: long.Add(after), Step: visit, Question: &execution.Question{At: "1", Digest: "d", Message: "Sure?"}}
	}
	add(t, s, made("INTERRUPTED", long, false)[0], made("LATER", long.Add(time.Hour), false)[0], made("ASKED", long, false)[0], asked("ASKED", time.Hour))
	doubt := made("DOUBT", long, false)
	doubt[1].End = inDoubt
	add(t, s, doubt...)
	failed := made("FAILED", long, false)
	failed[1].End = &execution.End{Failure: &execution.Failure{Code: execution.CodeTool, Message: "outcome-unknown"}}
	add(t, s, failed...)
	if err := s.Close(); err != nil { // its runs are interrupted
		t.Fatal(err)
	}
	s = reopen(t, dir, Options{})
	s.pruner.begin.Do(func() {}) // no passes but those of the test
	add(t, s, made("RUNS", time.Now(), false)[0], made("WAITS", long, false)[0], asked("WAITS", time.Minute))
	add(t, s, made("ENDED", long, false)...)
	if err := s.Flush(t.Context(), "WAITS"); err != nil {
		t.Fatal(err)
	}
	c, err := s.Census(t.Context())
	if err != nil || c.Running.Runs != 1 || c.Waiting.Runs != 2 || c.Interrupted.Runs != 2 || c.InDoubt.Runs != 1 || c.Bytes == 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if !c.Interrupted.Last.Equal(long) || !c.Waiting.Last.Equal(long.Add(time.Minute)) || !c.LastPruning.IsZero() {
		t.Errorf("%+v", c)
	}
	if err := s.SetPolicy(t.Context(), Policy{Retention: Retention{MaxAge: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Prune(t.Context(), Retention{MaxAge: time.Hour}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if c, err = s.Census(t.Context()); err != nil || c.Waiting.Old != 2 || c.Interrupted.Old != 2 || c.InDoubt.Old != 1 || c.Running.Old != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if h := s.Health(); h.Pruned != 2 || h.PruneErrors != 0 || h.LastPruning.IsZero() {
		t.Errorf("%+v", h)
	}
	if err := s.SetPolicy(t.Context(), Policy{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.pruneDue(t.Context()); err != nil || !s.Health().LastPruning.IsZero() {
		t.Errorf("without bounds: %v, %+v", err, s.Health())
	}
}

// The census looks at no run that has ended, but for those in doubt: each status has an index.
func TestCensusUsesIndexes(t *testing.T) {
	s := reopen(t, t.TempDir(), Options{})
	add(t, s, made("RUN", time.Now(), false)...)
	if err := s.Flush(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	db, err := s.data.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	all := planOf(t, db, censusQuery, censusMost)
	for _, index := range []string{"running", "adrift", "parked", "in_doubt"} {
		if !strings.Contains(all, "SCAN runs USING INDEX "+index) {
			t.Errorf("no index %s in\n%s", index, all)
		}
	}
}

// planOf returns the plan that SQLite has for a query.
func planOf(t *testing.T, db *sql.DB, query string, args ...any) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}

// A run that another process has taken is counted once, where it is lost and where it is claimed; a run that another
// process was the first to begin was never this one's.
func TestTakenRunsAreCounted(t *testing.T) {
	dir := t.TempDir()
	s := reopen(t, dir, Options{})
	all := flown("RUN")
	recordAll(t, s, all[:2])
	if err := s.Flush(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	LeaveLease(s.data)
	other := reopen(t, dir, Options{})
	if err := other.Claim(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	if err := other.Claim(t.Context(), "RUN"); err == nil {
		t.Error("the run was claimed twice")
	}
	j := s.Journal(nil, About{})
	for _, e := range all[2:4] {
		_ = j.Append(t.Context(), e) // the first is not known to be lost yet
		_ = s.Flush(t.Context(), "RUN")
	}
	if h := s.Health(); h.Lost != 1 || h.Claimed != 0 {
		t.Errorf("lost %d, claimed %d", h.Lost, h.Claimed)
	}
	if h := other.Health(); h.Lost != 0 || h.Claimed != 1 {
		t.Errorf("the other: lost %d, claimed %d", h.Lost, h.Claimed)
	}
	again := made("RUN", time.Now(), true)
	if err := other.Journal(nil, About{}).Append(t.Context(), made("FIRST", time.Now(), true)[0]); err != nil {
		t.Fatal(err)
	}
	again[0].Run = "FIRST"
	if err := s.Journal(nil, About{}).Append(t.Context(), again[0]); err == nil {
		t.Error("the run was begun twice")
	}
	if h := s.Health(); h.Lost != 1 {
		t.Errorf("lost %d", h.Lost)
	}
}

// What is counted once is counted once, and only what it is: a request that its caller has cancelled is no error of the
// store, a flush is no event, and a pruning that is stopped has not failed.
func TestWhatIsNotCounted(t *testing.T) {
	s := reopen(t, t.TempDir(), Options{})
	addRuns(t, s, "RUN", 3)
	s.writer.taken("OTHER", true)
	s.writer.taken("OTHER", true)
	if h := s.Health(); h.Lost != 1 {
		t.Errorf("lost %d", h.Lost)
	}
	s.writer.flush()
	db, err := s.data.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	_, failed := db.ExecContext(t.Context(), `UPDATE nothing SET none = 0`)
	if s.isTrouble(errors.Join(context.Canceled, failed)) || s.isTrouble(nil) || s.isTrouble(ErrClosed) || !s.isTrouble(failed) {
		t.Errorf("%v is of the wrong kind", failed)
	}
	idle := newWriter(s)
	idle.queue.put(&queued{})
	if n, _, waited := idle.waiting(time.Now()); n != 0 || waited != 0 {
		t.Errorf("%d events wait for %v", n, waited)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Prune(over, Retention{MaxRuns: 1}); err == nil {
		t.Error("pruned without time")
	}
	if h := s.Health(); h.PruneErrors != 0 || !h.LastPruning.IsZero() {
		t.Errorf("%+v", h)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(t.Context(), Retention{MaxRuns: 1}); err == nil {
		t.Error("a closed store was pruned")
	}
	if h := s.Health(); h.PruneErrors != 1 || h.Pruned != 0 {
		t.Errorf("%+v", h)
	}
}
