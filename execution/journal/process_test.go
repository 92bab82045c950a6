package journal_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// act starts a process that writes to the store of a directory, and waits for it.
func act(t *testing.T, dir, what string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "JOURNAL_CHILD_DIR="+dir, "JOURNAL_CHILD_ACT="+what)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// A run of a process that was killed is interrupted, has the call that was in flight, and only one
// process can resume it.
func TestKilledProcess(t *testing.T) {
	for _, when := range []string{"killed", "killed-late"} {
		t.Run(when, func(t *testing.T) { killedProcess(t, when) })
	}
}

func killedProcess(t *testing.T, when string) {
	dir := t.TempDir()
	if err := act(t, dir, when); err == nil {
		t.Fatal("the process was not killed")
	}
	s := openAt(t, dir, journal.Options{})
	r, err := s.Run(t.Context(), "KILLED")
	if err != nil || r.Status != journal.Interrupted || r.Steps != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	j := s.Journal(nil, journal.About{})
	kept, err := j.Load(t.Context(), "KILLED")
	if err != nil {
		t.Fatal(err)
	}
	if last := kept[len(kept)-1]; last.Kind != execution.CallStarted || last.Step.Server != "mail" || last.Step.Index != 2 || len(kept) != 4 {
		t.Errorf("the last event: %+v", last)
	}
	if live, err := os.ReadDir(dir + "/live"); err != nil || len(live) != 0 {
		t.Errorf("leases are left: %v %v", live, err)
	}

	if err := s.Claim(t.Context(), "KILLED"); err != nil {
		t.Fatal(err)
	}
	other := openAt(t, dir, journal.Options{})
	if err := other.Claim(t.Context(), "KILLED"); err == nil || !strings.Contains(err.Error(), "is running in another process") {
		t.Errorf("claimed twice: %v", err)
	}
	for _, e := range events("KILLED", nil, "out")[3:] {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err = s.Load(t.Context(), "KILLED"); err != nil || len(kept) != 6 {
		t.Errorf("%d events, %v", len(kept), err)
	}
	if err := s.Claim(t.Context(), "KILLED"); err == nil || !strings.Contains(err.Error(), "has ended (finished)") {
		t.Errorf("a finished run was claimed: %v", err)
	}
}

// A process that is killed after a call has left and before the run has its row leaves the
// run and the call all the same, without secrets; what was deleted does not come back.
func TestKilledBeforeTheRow(t *testing.T) {
	for _, when := range []string{"early", "early-secret", "early-long", "early-long-locked", "early-deleted"} {
		t.Run(when, func(t *testing.T) {
			dir := t.TempDir()
			if err := act(t, dir, when); err == nil || strings.Contains(err.Error(), "exit status 2") {
				t.Fatalf("the process was not killed: %v", err)
			}
			if leases, err := os.ReadDir(dir + "/live"); err != nil || len(leases) != 1 {
				t.Fatalf("%v %v", leases, err)
			}
			s := openAt(t, dir, journal.Options{})
			r, err := s.Run(t.Context(), "KILLED")
			if live, err := os.ReadDir(dir + "/live"); err != nil || len(live) != 0 {
				t.Errorf("leases are left: %v %v", live, err)
			}
			if when == "early-deleted" {
				if !errors.Is(err, journal.ErrNotFound) {
					t.Errorf("%+v %v", r, err)
				}
				return
			}
			if err != nil || r.Status != journal.Interrupted || r.File != "/x/graph.yaml" || r.Server != "demo" || r.Tool != "tool" ||
				r.Graph != "hash" || !r.Started.Equal(began) || strings.Contains(r.Args, "hunter2") || !strings.HasPrefix(r.Args, `{"n":1`) && when != "early-long-locked" {
				t.Fatalf("%+v %v", r, err)
			}
			foundAfterKill(t, s, when)
		})
	}
}

func foundAfterKill(t *testing.T, s *journal.Store, when string) {
	t.Helper()
	j := s.Journal(nil, journal.About{})
	kept, err := j.Load(t.Context(), "KILLED")
	if reason, isGap := map[string]journal.Reason{"early-secret": journal.Redacted, "early-long-locked": journal.Unwritten}[when]; isGap {
		var gap *journal.GapError
		if !errors.As(err, &gap) || gap.Gap.Reason != reason {
			t.Errorf("%v", err)
		}
		all, err := s.Load(t.Context(), "KILLED")
		if err != nil || all[len(all)-1].Step == nil || all[len(all)-1].Step.Tool != "send" {
			t.Errorf("the call is not known: %+v, %v", all, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if last := kept[len(kept)-1]; kept[0].Start == nil || last.Kind != execution.CallStarted || last.Step.Server != "mail" || last.Step.Index != 2 {
		t.Errorf("%+v", kept)
	}
	if err := s.Claim(t.Context(), "KILLED"); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), events("KILLED", nil, "out")[4]); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Load(t.Context(), "KILLED"); err != nil || len(again) != len(kept)+1 {
		t.Errorf("%d events, %v", len(again), err)
	}
}

// Several processes keep their runs in one store.
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := act(t, dir, "50"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := openAt(t, dir, journal.Options{})
	runs, err := s.List(t.Context(), journal.Filter{Limit: -1, Status: journal.Finished})
	if err != nil || len(runs) != 200 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if events, err := s.Load(t.Context(), r.ID); err != nil || len(events) != 5 {
			t.Fatalf("run %s: %d events, %v", r.ID, len(events), err)
		}
	}
}
