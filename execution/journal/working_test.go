package journal

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"toolgraph/execution"
)

// unreachable is a database without notes that cannot be reached for some attempts to write.
type unreachable struct {
	Database
	left atomic.Int64 // attempts that fail
}

var errUnreachable = errors.New("the server does not answer")

func (d *unreachable) Write(ctx context.Context, batch []*Pending) error {
	if d.left.Add(-1) >= 0 {
		return errUnreachable
	}
	return d.Database.Write(ctx, batch)
}

func (d *unreachable) Trouble(err error) Trouble {
	if errors.Is(err, errUnreachable) {
		return Passing
	}
	return d.Database.Trouble(err)
}

// openUnreachable opens a store that does not pause between attempts.
func openUnreachable(t *testing.T) (*Store, *unreachable) {
	t.Helper()
	data, err := NewSQLite(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &unreachable{Database: data}
	s := New(d, Options{})
	s.writer.pause = func(error) <-chan time.Time { return time.After(0) }
	t.Cleanup(func() {
		d.left.Store(0)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, d
}

// startedOnce is the beginning of a run that happens once.
func startedOnce(id string) execution.Event {
	e := flown(id)[0]
	e.Sync = true
	return e
}

// A run waits for a database without notes that cannot be reached for a moment, before a call that is
// not safe to repeat; not without end.
func TestUnreachableForAMoment(t *testing.T) {
	s, d := openUnreachable(t)
	j := s.Journal(nil, About{})
	if err := j.Append(t.Context(), startedOnce("RUN")); err != nil {
		t.Fatal(err)
	}
	call := execution.Event{
		Kind: execution.CallStarted, Run: "RUN", Time: time.Now(), Sync: true,
		Step: &execution.Visit{Index: 0, NodeID: "pay", NodeType: "mcp", Server: "bank", Tool: "pay"},
	}
	d.left.Store(unreachableAttempts - 1)
	if err := j.Append(t.Context(), call); err != nil {
		t.Errorf("after %d attempts: %v", unreachableAttempts-1, err)
	}
	d.left.Store(2 * unreachableAttempts)
	call.Step = &execution.Visit{Index: 1, NodeID: "pay", NodeType: "mcp", Server: "bank", Tool: "pay"}
	if err := j.Append(t.Context(), call); !errors.Is(err, errUnreachable) {
		t.Errorf("after more attempts: %v", err)
	}
}

// A run that is this process's in the database, because its beginning or its claim was committed after
// this process had got an error for it, is given back when interrupted runs are looked for. Runs on
// which the process works are not.
func TestUnknownRunsAreGivenBack(t *testing.T) {
	s, d := openUnreachable(t)
	about := About{File: "/x"}
	j := s.Journal(nil, about)
	interrupted := func() (ids []string) {
		t.Helper()
		all, err := s.Interrupted(t.Context(), about)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			ids = append(ids, r.ID)
		}
		return ids
	}
	flush := func(id string) {
		t.Helper()
		err := j.(execution.Flusher).Flush(t.Context(), id)
		for errors.Is(err, errUnreachable) { // of an attempt that has begun before
			err = j.(execution.Flusher).Flush(t.Context(), id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Append(t.Context(), startedOnce("WORKS")); err != nil {
		t.Fatal(err)
	}
	d.left.Store(2 * unreachableAttempts)
	if err := j.Append(t.Context(), startedOnce("LATE")); !errors.Is(err, errUnreachable) {
		t.Fatalf("a run begins that cannot be recorded: %v", err)
	}
	d.left.Store(0)
	flush("LATE")
	if got := interrupted(); !slices.Equal(got, []string{"LATE"}) {
		t.Fatalf("%v are interrupted, expected the run whose beginning was late", got)
	}
	if err := s.Claim(t.Context(), "LATE"); err != nil {
		t.Fatal(err)
	}
	if got := interrupted(); got != nil {
		t.Fatalf("%v are interrupted, and this process works on them", got)
	}
	for _, e := range flown("LATE")[1:] {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	flush("LATE")
	if err := s.Release(t.Context(), "WORKS"); err != nil {
		t.Fatal(err)
	}
	db, err := s.data.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	// A claim whose connection was lost before the answer.
	if _, err := db.ExecContext(t.Context(), `UPDATE runs SET status = 'running' WHERE id = 'WORKS'`); err != nil {
		t.Fatal(err)
	}
	if got := interrupted(); !slices.Equal(got, []string{"WORKS"}) {
		t.Errorf("%v are interrupted, expected the run that was claimed unknowingly", got)
	}
	if err := s.Claim(t.Context(), "LATE"); err == nil {
		t.Error("a run that has ended is claimed")
	}
	if s.writer.works("LATE") {
		t.Error("the process works on a run that has ended")
	}
}

// A run that has ended because of an in-doubt call is claimed by who resolves the call, and not by who
// takes over interrupted runs.
func TestClaimInDoubt(t *testing.T) {
	s, _ := openUnreachable(t)
	start := startedOnce("RUN")
	end := execution.Event{Kind: execution.RunFinished, Run: "RUN", Time: start.Time, End: &execution.End{
		Failure: &execution.Failure{Code: execution.CodeOutcomeUnknown, Message: "its outcome is unknown"},
	}}
	recordAll(t, s, []execution.Event{start, end})
	if err := s.Claim(t.Context(), "RUN"); err == nil {
		t.Error("the run is claimed as an interrupted one")
	}
	if _, err := s.ClaimParked(t.Context(), "RUN", true); err != nil {
		t.Error(err)
	}
	if err := s.Release(t.Context(), "RUN"); err != nil {
		t.Fatal(err)
	}
	if err := s.Claim(t.Context(), "RUN"); err != nil {
		t.Error(err)
	}
}

// Who waits for a run that happens once hears that its end is not recorded, and the end is recorded later.
func TestEndIsNotRecorded(t *testing.T) {
	s, d := openUnreachable(t)
	j := s.Journal(nil, About{})
	if err := j.Append(t.Context(), startedOnce("RUN")); err != nil {
		t.Fatal(err)
	}
	end := execution.Event{Kind: execution.RunFinished, Run: "RUN", Time: time.Now(), End: &execution.End{Value: "done"}, Sync: true}
	d.left.Store(2 * unreachableAttempts)
	if err := j.Append(t.Context(), end); !errors.Is(err, ErrNotEnded) || !errors.Is(err, errUnreachable) {
		t.Errorf("the end that is not recorded: %v", err)
	}
	d.left.Store(0)
	run, err := s.Wait(t.Context(), "RUN", func(r Run) bool { return !r.InProgress() })
	if err != nil || run.Status != Finished {
		t.Errorf("later: %+v, %v", run, err)
	}
}

// A run whose beginning cannot be recorded begins again while the first beginning is on its way to the database: it begins
// once there, its call joins it, and it is given back.
func TestBegunAgain(t *testing.T) {
	s, d := openUnreachable(t)
	j := s.Journal(nil, About{File: "/g.yaml"})
	d.left.Store(1 << 40)
	for range 2 {
		if err := j.Append(t.Context(), startedOnce("RUN")); !errors.Is(err, ErrNotBegun) {
			t.Fatalf("the error is %v", err)
		}
	}
	d.left.Store(0)
	for s.writer.trouble() != nil {
		s.writer.flush()
	}
	if err := j.Append(t.Context(), startedOnce("RUN")); !errors.Is(err, ErrTaken) {
		t.Errorf("the error is %v", err)
	}
	events, err := s.Load(t.Context(), "RUN")
	if err != nil || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	left, err := s.Interrupted(t.Context(), About{File: "/g.yaml"})
	if err != nil || len(left) != 1 {
		t.Errorf("%d interrupted runs, %v", len(left), err)
	}
}

// brokenDatabase is a database that does not let its process write any more.
type brokenDatabase struct{ Database }

var errBroken = errors.New("no rights")

func (brokenDatabase) Write(context.Context, []*Pending) error { return errBroken }

func (d brokenDatabase) Trouble(err error) Trouble {
	if errors.Is(err, errBroken) {
		return Lasting
	}
	return d.Database.Trouble(err)
}

// A process that records nothing any more claims no run: it could neither go on with it nor give it back.
func TestClaimWithoutRecording(t *testing.T) {
	dir := t.TempDir()
	other, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"RUN", "OTHER"} {
		if err := other.Journal(nil, About{}).Append(t.Context(), startedOnce(id)); err != nil {
			t.Fatal(err)
		}
		if err := other.Release(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	defer other.Close()
	data, err := NewSQLite(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := New(brokenDatabase{data}, Options{})
	defer s.Close()
	if err := s.Claim(t.Context(), "OTHER"); err != nil {
		t.Errorf("before the first attempt to write: %v", err)
	}
	if err := s.Journal(nil, About{}).Append(t.Context(), startedOnce("MINE")); !errors.Is(err, errBroken) {
		t.Fatalf("the error is %v", err)
	}
	if err := s.Claim(t.Context(), "RUN"); !errors.Is(err, errBroken) {
		t.Errorf("the claim has the error %v", err)
	}
	if r, err := other.Run(t.Context(), "RUN"); err != nil || r.Status != Interrupted {
		t.Errorf("the run is %s, %v", r.Status, err)
	}
}
