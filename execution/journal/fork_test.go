package journal

import (
	"errors"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// forkEvents are the events of a fork with a step, whose output is given.
func forkEvents(id string, output value.Value) []execution.Event {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	step := func(index int, node string, kind config.NodeType, v value.Value) execution.Event {
		return execution.Event{Kind: execution.StepFinished, Run: id, Time: at, Record: &execution.Record{Index: index, NodeID: node, NodeType: kind, Start: at, End: at, Output: v}}
	}
	return []execution.Event{
		{Kind: execution.RunStarted, Run: id, Time: at, Start: &execution.Start{
			Tool: "tool", Graph: "hash", Args: value.NewObject(nil, nil), ForkedFrom: "ORIGIN/2", Copied: 2,
		}},
		step(0, "entry", config.EntryNode, value.NewObject(nil, nil)),
		step(1, "make", config.TransformNode, output),
		step(2, "exit", config.ExitNode, output),
	}
}

func appendAll(t *testing.T, j execution.Journal, events []execution.Event) {
	t.Helper()
	for _, e := range events {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// A fork has its origin in the list, in its events, and after an import.
func TestForkedFrom(t *testing.T) {
	s, err := openPlace(t, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	j := s.Journal(nil, About{})
	appendAll(t, j, forkEvents("FORK", "x"))
	if err := j.(execution.Flusher).Flush(t.Context(), "FORK"); err != nil {
		t.Fatal(err)
	}
	appendAll(t, j, []execution.Event{{Kind: execution.RunFinished, Run: "FORK", Time: time.Now(), End: &execution.End{Value: "x"}}})
	run, err := s.Run(t.Context(), "FORK")
	if err != nil || run.ForkedFrom != "ORIGIN/2" || s.Verify(t.Context(), run) != nil {
		t.Fatalf("got %+v, %v, %v", run, err, s.Verify(t.Context(), run))
	}
	events, err := s.Load(t.Context(), "FORK")
	if err != nil || events[0].Start.ForkedFrom != "ORIGIN/2" || events[0].Start.Copied != 2 {
		t.Fatalf("got %+v, %v", events, err)
	}
	other, err := openPlace(t, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.Import(t.Context(), run, events); err != nil {
		t.Fatal(err)
	}
	if again, err := other.Run(t.Context(), "FORK"); err != nil || again.ForkedFrom != "ORIGIN/2" || other.Verify(t.Context(), again) != nil {
		t.Errorf("imported: %+v, %v", again, err)
	}
}

// A fork needs what is before its step, and nothing else, as it was.
func TestLoadFor(t *testing.T) {
	s, err := openPlace(t, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	secrets := config.NewSecrets("hunter2-hunter2")
	appendAll(t, s.Journal(secrets, About{}), forkEvents("RUN", "x hunter2-hunter2"))
	if _, err := s.LoadFor(t.Context(), "RUN", "1"); err != nil {
		t.Errorf("before the output with a secret: %v", err)
	}
	var gap *GapError
	if _, err := s.LoadFor(t.Context(), "RUN", "2"); !errors.As(err, &gap) || gap.Gap.Reason != Redacted {
		t.Errorf("after the output with a secret: %v", err)
	}
}

// Flush fails when an event of the run was lost before.
func TestFlushOfALossyRun(t *testing.T) {
	s, err := openPlace(t, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	j := s.Journal(nil, About{})
	events := forkEvents("RUN", "x")
	appendAll(t, j, events[:2])
	s.writer.mu.Lock()
	s.writer.lost.runs["RUN"] = 1
	s.writer.mu.Unlock()
	appendAll(t, j, events[3:])
	var gap *GapError
	if err := j.(execution.Flusher).Flush(t.Context(), "RUN"); !errors.As(err, &gap) {
		t.Errorf("got %v", err)
	}
}
