package journal_test

import (
	"context"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// A run that is suspended when its store is closed is interrupted at once, which does not
// count against it; a resumed run that is lost with its process does, until it gets further.
func TestResumedCount(t *testing.T) {
	dir := t.TempDir()
	all := events("RUN", decode(t, `{}`), "out")
	ctx := context.Background()
	stage := func(what string, suspended bool, want int, more ...execution.Event) {
		t.Helper()
		s := openAt(t, dir, journal.Options{})
		if r, err := s.Run(ctx, "RUN"); err == nil {
			if r.Status != journal.Interrupted {
				t.Fatalf("%s: %+v", what, r)
			}
			if err := s.Claim(ctx, "RUN"); err != nil {
				t.Fatal(err)
			}
		}
		appendAll(t, s.Journal(nil, journal.About{File: "/x"}), more)
		if _, err := s.Run(ctx, "RUN"); err != nil {
			t.Fatal(err)
		}
		if !suspended {
			journal.Die(s)
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		runs, err := openAt(t, dir, journal.Options{}).Interrupted(ctx, journal.About{File: "/x"})
		if err != nil || len(runs) != 1 || runs[0].Resumed != want {
			t.Errorf("%s: %+v, %v", what, runs, err)
		}
	}
	stage("begun", true, 0, all[0])
	stage("suspended", true, 0)
	stage("lost", false, 1)
	stage("lost again", false, 2)
	stage("suspended later", true, 2)
	stage("got further", false, 0, all[1])
}
