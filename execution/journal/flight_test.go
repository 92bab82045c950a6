package journal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// partEvent is an event of a part of step 1 of the run FLIGHT.
func partEvent(kind execution.EventKind, part string, attempt int) execution.Event {
	e := execution.Event{Kind: kind, Run: "FLIGHT", Time: began, Sync: true}
	switch kind {
	case execution.StepFinished:
		e.Record = &execution.Record{Index: 1, Part: part, NodeID: "each", NodeType: config.MCPNode, Start: began, End: began}
	case execution.AttemptFailed:
		e.Retry = &execution.Retry{Attempt: execution.Attempt{Error: &execution.Failure{Code: execution.CodeTool, Message: "busy"}}}
		fallthrough
	default:
		e.Step = &execution.Visit{
			Index: 1, Part: part, NodeID: "each", NodeType: config.MCPNode, Attempt: attempt, Server: "mail", Tool: "send", Digest: "0123456789abcdef",
		}
	}
	return e
}

// dieInFlight dies while a run has calls of parts in flight: so many that the act ends in. With
// "early" nothing of the run could be written; with "some" some of more calls have ended.
func dieInFlight(s *journal.Store, act string) error {
	ctx := context.Background()
	calls, err := strconv.Atoi(act[strings.LastIndexByte(act, '-')+1:])
	if err != nil {
		return err
	}
	j := s.Journal(nil, journal.About{File: "/x/graph.yaml"})
	if strings.Contains(act, "early") {
		if err := locked(ctx, s, j); err != nil {
			return err
		}
	}
	first := events("FLIGHT", map[string]any{"n": 1.0}, "out")[:2]
	started := partEvent(execution.PartsStarted, "", 0)
	started.Parts = &execution.Parts{Count: 1000, Digest: "d"}
	for _, e := range append(first, started) {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	atOnce := func(n int, events func(i int) []execution.Event) error {
		var all sync.WaitGroup
		failed := make([]error, n)
		for i := range n {
			all.Go(func() {
				for _, e := range events(i) {
					failed[i] = errors.Join(failed[i], j.Append(ctx, e))
				}
			})
		}
		all.Wait()
		return errors.Join(failed...)
	}
	part := strconv.Itoa
	if strings.Contains(act, "some") {
		err := atOnce(100, func(i int) []execution.Event {
			i += calls
			return []execution.Event{partEvent(execution.CallStarted, part(i), 0), partEvent(execution.StepFinished, part(i), 0)}
		})
		if err != nil {
			return err
		}
	}
	if err := atOnce(calls, func(i int) []execution.Event {
		return []execution.Event{partEvent(execution.CallStarted, part(i), 0)}
	}); err != nil {
		return err
	}
	if strings.Contains(act, "some") { // a second attempt is in flight
		for _, e := range []execution.Event{partEvent(execution.AttemptFailed, "0", 0), partEvent(execution.CallStarted, "0", 2)} {
			if err := j.Append(ctx, e); err != nil {
				return err
			}
		}
		if _, err := s.Run(ctx, "FLIGHT"); err != nil { // which writes what is waiting
			return err
		}
	}
	return die()
}

// locked records a first run, so that there is a lease, and locks the database.
func locked(ctx context.Context, s *journal.Store, j execution.Journal) error {
	attempts := journal.Paced(s)
	go func() {
		for {
			<-attempts.Failed
			attempts.Again <- time.Time{}
		}
	}()
	for _, e := range events("FIRST", map[string]any{}, "out") {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	if _, err := s.Run(ctx, "FIRST"); err != nil {
		return err
	}
	other, err := journal.Raw(s.Path())
	if err != nil {
		return err
	}
	_, err = other.ExecContext(ctx, "BEGIN IMMEDIATE")
	return err
}

// dieWithTask dies as soon as the task of a call that is in flight, and in the database, is recorded.
func dieWithTask(s *journal.Store) error {
	ctx := context.Background()
	j := s.Journal(nil, journal.About{File: "/x/graph.yaml"})
	called := partEvent(execution.CallStarted, "", 0)
	for _, e := range append(events("FLIGHT", map[string]any{"n": 1.0}, "out")[:2], called) {
		if err := j.Append(ctx, e); err != nil {
			return err
		}
	}
	if _, err := s.Run(ctx, "FLIGHT"); err != nil { // which writes what is waiting
		return err
	}
	task := partEvent(execution.CallStarted, "", 0)
	task.Step.Task = "task-1"
	if err := j.Append(ctx, task); err != nil {
		return err
	}
	return die()
}

// The id of the task of a call that is not safe to repeat survives a kill right after it was recorded: with it alone
// the call can be taken up. The note of the call in the lease has no task.
func TestKilledWithTask(t *testing.T) {
	dir := t.TempDir()
	if err := act(t, dir, "task"); err == nil || strings.Contains(err.Error(), "exit status 2") {
		t.Fatalf("the process was not killed: %v", err)
	}
	s := openAt(t, dir, journal.Options{})
	all, err := s.Load(t.Context(), "FLIGHT")
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	if last := all[len(all)-1]; last.Kind != execution.CallStarted || last.Step.Task != "task-1" || execution.CheckEvents(all) != nil {
		t.Errorf("the last of %d events is %+v, %v", len(all), last.Step, execution.CheckEvents(all))
	}
}

// After a kill, the in-doubt calls are exactly those that had started and had no outcome, however
// many there are at once.
func TestKilledWithCallsInFlight(t *testing.T) {
	for _, what := range []string{"flight-8", "flight-some-8", "flight-early-8", "flight-300"} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			if err := act(t, dir, what); err == nil || strings.Contains(err.Error(), "exit status 2") {
				t.Fatalf("the process was not killed: %v", err)
			}
			s := openAt(t, dir, journal.Options{})
			r, err := s.Run(t.Context(), "FLIGHT")
			if err != nil || r.Status != journal.Interrupted {
				t.Fatalf("%+v %v", r, err)
			}
			want := []string{}
			calls, _ := strconv.Atoi(what[strings.LastIndexByte(what, '-')+1:])
			for i := range calls {
				want = append(want, fmt.Sprintf("1.%d", i))
			}
			if strings.Contains(what, "some") {
				want[0] += "#2"
			}
			if got := inDoubt(t, s); !slices.Equal(got, want) {
				t.Errorf("in doubt are %v, want %v", got, want)
			}
			all, err := s.Load(t.Context(), "FLIGHT")
			if err == nil {
				err = execution.CheckEvents(all)
			}
			if err != nil {
				t.Error(err)
			}
			if err := s.Verify(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
}

func inDoubt(t *testing.T, s *journal.Store) []string {
	t.Helper()
	calls, err := s.InDoubt(t.Context(), "FLIGHT")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, c := range calls {
		name := string(c.At())
		if c.Attempt > 0 {
			name += fmt.Sprintf("#%d", c.Attempt)
		}
		names = append(names, name)
	}
	return names
}

// A process that dies between the transaction of an outcome and the removal of the note leaves
// both; the call is not in doubt then. Neither is what is below a record.
func TestOutcomeBeforeTheNoteIsErased(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, journal.Options{})
	j := s.Journal(nil, journal.About{})
	started := partEvent(execution.PartsStarted, "", 0)
	started.Parts = &execution.Parts{Count: 9, Digest: "d"}
	inner := partEvent(execution.CallStarted, "", 0)
	inner.Step.Frame, inner.Step.Graph = "1.2", "inner"
	ended := partEvent(execution.StepFinished, "2", 0)
	ended.Record.NodeType = config.GraphNode
	calls := []execution.Event{
		partEvent(execution.CallStarted, "0", 0), partEvent(execution.CallStarted, "1", 0), inner, partEvent(execution.CallStarted, "1", 2),
		partEvent(execution.CallStarted, "3", 0), partEvent(execution.CallStarted, "4", 3),
	}
	all := events("FLIGHT", map[string]any{"n": 1.0}, "out")[:2:2]
	all = append(append(append(all, started), calls[:3]...), partEvent(execution.StepFinished, "0", 0), partEvent(execution.AttemptFailed, "1", 0), ended)
	for _, e := range append(all, calls[3:5]...) {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Run(t.Context(), "FLIGHT"); err != nil { // writes all, and erases the notes of 1.0, 1.1 and 1.2/1
		t.Fatal(err)
	}
	for _, e := range calls {
		if err := journal.NoteCall(s, e); err != nil {
			t.Fatal(err)
		}
	}
	journal.Die(s)
	other := openAt(t, dir, journal.Options{})
	if got, want := inDoubt(t, other), []string{"1.1#2", "1.3", "1.4#3"}; !slices.Equal(got, want) {
		t.Errorf("in doubt are %v, want %v", got, want)
	}
	kept, err := other.Load(t.Context(), "FLIGHT")
	if err != nil || len(kept) != len(all)+3 {
		t.Errorf("%d events, want one more for 1.4: %v", len(kept), err)
	}
}

// The slots of calls that have ended are used again.
func TestNotesAreErased(t *testing.T) {
	s := open(t, journal.Options{})
	j := s.Journal(nil, journal.About{})
	for _, e := range events("FLIGHT", map[string]any{"n": 1.0}, "out")[:2] {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	started := partEvent(execution.PartsStarted, "", 0)
	started.Parts = &execution.Parts{Count: 1 << 20, Digest: "d"}
	if err := j.Append(t.Context(), started); err != nil {
		t.Fatal(err)
	}
	for round := range 10 {
		var all sync.WaitGroup
		for i := range 64 {
			all.Go(func() {
				part := strconv.Itoa(round*64 + i)
				for _, e := range []execution.Event{
					partEvent(execution.CallStarted, part, 0), partEvent(execution.AttemptFailed, part, 0),
					partEvent(execution.CallStarted, part, 2), partEvent(execution.StepFinished, part, 0),
				} {
					if err := j.Append(t.Context(), e); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if _, err := s.Run(t.Context(), "FLIGHT"); err != nil {
			t.Fatal(err)
		}
	}
	if notes, slots, err := journal.Notes(s); err != nil || notes != 0 || slots > 2*64 {
		t.Errorf("%d notes are left, in %d slots, %v", notes, slots, err)
	}
	kept, err := s.Load(t.Context(), "FLIGHT")
	if err == nil {
		err = execution.CheckEvents(kept)
	}
	if err != nil || len(kept) != 3+4*640 {
		t.Errorf("%d events, %v", len(kept), err)
	}
}
