package tests

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions"
	"toolgraph/internal/inspect"
	"toolgraph/tests/testbin"
)

// Listing and showing stay quick with many runs: with TOOLGRAPH_SOAK=1 there are 10,000
// of 20 steps, and both are timed, as functions and through the program.
func TestManyKeptRuns(t *testing.T) {
	soak := os.Getenv("TOOLGRAPH_SOAK") != ""
	runs := 50
	if soak {
		runs = 10_000
	}
	dir := t.TempDir()
	store, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	keepRuns(t, store, runs)
	i := &inspect.Inspector{Store: store}
	middle := fmt.Sprintf("RUN%05d", runs/2)
	binary := testbin.Build(t, "toolgraph")
	program := func(args ...string) func() error {
		return func() error {
			return exec.CommandContext(t.Context(), binary, append([]string{"runs", "--state", dir}, args...)...).Run()
		}
	}
	start := median(t, program("list", "--help")) // of the program itself, which is not in question
	t.Logf("%-28s %v", "toolgraph runs --help", start.Round(10*time.Microsecond))
	for _, c := range []struct {
		what string
		most time.Duration
		do   func() error
	}{
		{"list", 50 * time.Millisecond, func() error { _, err := i.ListRuns(t.Context(), journal.Filter{}); return err }},
		{"list of another tool, none", 50 * time.Millisecond, func() error {
			_, err := i.ListRuns(t.Context(), journal.Filter{Tool: "none"})
			return err
		}},
		{"list of all", 0, func() error { _, err := i.ListRuns(t.Context(), journal.Filter{Limit: -1}); return err }},
		{"show", 20 * time.Millisecond, func() error {
			r, err := i.ReadRun(t.Context(), inspect.RunQuery{Run: middle})
			if err == nil && len(r.History) != 20 {
				err = fmt.Errorf("%d steps", len(r.History))
			}
			return err
		}},
		{"toolgraph runs list", start + 50*time.Millisecond, program("list")},
		{"toolgraph runs list --text", 0, program("list", "--text", "nowhere")},
		{"toolgraph runs show", start + 20*time.Millisecond, program("show", middle)},
	} {
		took := median(t, c.do)
		t.Logf("%-28s %v", c.what, took.Round(10*time.Microsecond))
		if soak && c.most > 0 && took > c.most {
			t.Errorf("%s takes %v, at most %v is allowed", c.what, took, c.most)
		}
	}
}

// keepRuns keeps runs of 20 steps with values of about 200 bytes.
func keepRuns(t *testing.T, store *journal.Store, runs int) {
	t.Helper()
	j := store.Journal(nil, journal.About{File: "/graph.yaml", Server: "demo"})
	now := time.Now()
	for n := range runs {
		id := fmt.Sprintf("RUN%05d", n)
		value := expressions.FromPlain(map[string]any{"n": n, "text": fmt.Sprintf("%0200d", n)})
		events := []execution.Event{{Kind: execution.RunStarted, Run: id, Time: now, Start: &execution.Start{
			Tool: fmt.Sprintf("tool%d", n%7), Graph: "hash", Args: value,
		}}}
		for step := range 20 {
			events = append(events, execution.Event{Kind: execution.StepFinished, Run: id, Time: now, Record: &execution.Record{
				Index: step, NodeID: fmt.Sprintf("node%d", step), NodeType: config.TransformNode, Start: now, End: now,
				Output: expressions.FromPlain(map[string]any{"step": step, "text": fmt.Sprintf("%0200d", step)}),
			}})
		}
		for _, e := range append(events, execution.Event{Kind: execution.RunFinished, Run: id, Time: now, End: &execution.End{Value: value}}) {
			if err := j.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// median is the time that something takes, the first time left out.
func median(t *testing.T, do func() error) time.Duration {
	t.Helper()
	var all []time.Duration
	for range 10 {
		start := time.Now()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all[1:])
	return all[1:][len(all)/2]
}
