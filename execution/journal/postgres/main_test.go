package postgres_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/postgres"
	"toolgraph/expressions/value"
	"toolgraph/tests/pgtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		pgtest.Stop()
		os.Exit(code)
	}))
}

// quick are times for tests in which a process is taken for dead.
var quick = postgres.Timing{Beat: 50 * time.Millisecond, Dead: 500 * time.Millisecond}

// never are times with which a process is never taken for dead, because it never beats.
var never = postgres.Timing{Beat: time.Hour}

func open(t *testing.T, url string, opts journal.Options, timing postgres.Timing) *journal.Store {
	t.Helper()
	s, err := postgres.OpenTimed(url, opts, timing)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Log(err)
		}
	})
	return s
}

var began = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// events are those of a run of three steps.
func events(id string, args, output value.Value) []execution.Event {
	at := func(n int) time.Time { return began.Add(time.Duration(n) * time.Millisecond) }
	step := func(i int, node string, kind config.NodeType, v value.Value) execution.Event {
		return execution.Event{
			Kind: execution.StepFinished, Run: id, Time: at(i + 1),
			Record: &execution.Record{Index: i, NodeID: node, NodeType: kind, Start: at(i), End: at(i + 1), Output: v},
		}
	}
	return []execution.Event{
		{Kind: execution.RunStarted, Run: id, Time: at(0), Start: &execution.Start{Tool: "tool", Graph: "hash", Args: args}},
		step(0, "entry", config.EntryNode, args),
		step(1, "make", config.TransformNode, output),
		step(2, "exit", config.ExitNode, output),
		{Kind: execution.RunFinished, Run: id, Time: at(4), End: &execution.End{Value: output}},
	}
}

// call is a call that is not safe to repeat, as step 2 of a run.
func call(id string) execution.Event {
	return execution.Event{
		Kind: execution.CallStarted, Run: id, Time: began.Add(2 * time.Millisecond), Sync: true,
		Step: &execution.Visit{Index: 2, NodeID: "call", NodeType: config.MCPNode, Server: "mail", Tool: "send"},
	}
}

var about = journal.About{File: "/x/graph.yaml", Server: "demo"}

// record records events and waits until they are in the database.
func record(t *testing.T, s *journal.Store, all ...execution.Event) {
	t.Helper()
	if err := try(t, s, all...); err != nil {
		t.Fatal(err)
	}
}

func try(t *testing.T, s *journal.Store, all ...execution.Event) error {
	t.Helper()
	j := s.Journal(nil, about)
	for _, e := range all {
		if err := j.Append(t.Context(), e); err != nil {
			return err
		}
	}
	_, err := s.Run(t.Context(), all[0].Run)
	return err
}

func ids(runs []journal.Run) (all []string) {
	for _, r := range runs {
		all = append(all, fmt.Sprintf("%s %s", r.ID, r.Status))
	}
	return all
}
