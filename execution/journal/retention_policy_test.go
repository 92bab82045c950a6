package journal

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
)

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
		if _, err := s.ClaimParked(t.Context(), id, true); err != nil {
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
		waitForPruning(t, s)
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
	if s := reopen(t, dir, Options{}); s.IsShared() {
		if policy, ok, err := s.Policy(t.Context()); ok || err != nil {
			t.Errorf("flags have set the policy of a shared store: %v, %v", policy, err)
		}
		if err := s.SetPolicy(t.Context(), Policy{Retention: year}); err != nil {
			t.Fatal(err)
		}
	}
	expect("the policy is a year", "B", "A")
	process(Options{Keep: Retention{MaxRuns: 1}, SetsKeep: true}, "C")
	if log := process(Options{Keep: month}, "D"); !strings.Contains(log, `policy="365 days" default="30 days"`) {
		t.Errorf("the process says: %s", log)
	}
	process(Options{}, "E")
	expect("others do not change it", "E", "D", "C", "B", "A")
	s := reopen(t, dir, Options{})
	if policy, ok, err := s.Policy(t.Context()); policy.Retention != year || !ok || err != nil {
		t.Errorf("%v, %t, %v", policy, ok, err)
	}
	if err := s.SetPolicy(t.Context(), Policy{Retention: Retention{MaxAge: 200 * hours, MaxRuns: 2}}); err != nil {
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
	waitForPruning(t, s)
	var pruned int64
	db, err := s.reader(t.Context())
	if err == nil {
		err = db.QueryRowContext(t.Context(), `SELECT pruned FROM upkeep`).Scan(&pruned)
	}
	if err != nil || pruned == 0 {
		t.Errorf("the store was not pruned: %d, %v", pruned, err)
	}
}
