package tests

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/inspect"
)

// Listing and showing read as much of the store when it holds twice the runs: 300 and 600
// of 20 steps, or 5,000 and 10,000 with TOOLGRAPH_SOAK=1; a list with a filter reads a little
// of each run, and not its steps. What is read is counted by the system, of a store that
// is opened afresh, so that nothing of it is remembered.
func TestManyKeptRuns(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("bytes that are read are counted in /proc/self/io")
	}
	runs := 300
	if os.Getenv("TOOLGRAPH_SOAK") != "" {
		runs = 5000
	}
	few, many := t.TempDir(), t.TempDir()
	keepRuns(t, few, runs, time.Now())
	keepRuns(t, many, 2*runs, time.Now())
	const perRun = 5 << 9 // bytes of a run for a list with a filter: its row, which has its events as well
	for what, do := range map[string]func(*inspect.Inspector, int) error{
		"list": func(i *inspect.Inspector, _ int) error {
			_, err := i.ListRuns(t.Context(), journal.Filter{})
			return err
		},
		"filter": func(i *inspect.Inspector, _ int) error {
			_, err := i.ListRuns(t.Context(), journal.Filter{Tool: "none"})
			return err
		},
		"show": func(i *inspect.Inspector, runs int) error {
			r, err := i.ReadRun(t.Context(), inspect.RunQuery{Run: fmt.Sprintf("RUN%05d", runs/2)})
			if err == nil && len(r.History) != 20 {
				err = fmt.Errorf("%d steps", len(r.History))
			}
			return err
		},
	} {
		one, two := bytesRead(t, few, runs, do), bytesRead(t, many, 2*runs, do)
		t.Logf("%s: %d bytes of %d runs, %d of %d", what, one, runs, two, 2*runs)
		if most := one + one/2; what != "filter" && two > most || what == "filter" && two-one > runs*perRun {
			t.Errorf("%s reads %d bytes of %d runs, and %d of %d", what, one, runs, two, 2*runs)
		}
	}
}

// bytesRead is how much this process reads while something is asked of a store that was
// just opened: the least of a few times, because other goroutines may read as well.
func bytesRead(t *testing.T, dir string, runs int, do func(*inspect.Inspector, int) error) int {
	t.Helper()
	least := math.MaxInt
	for range 5 {
		store, err := sqlite.Open(dir, journal.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := soFar(t)
		if err := do(&inspect.Inspector{Store: store}, runs); err != nil {
			t.Fatal(err)
		}
		least = min(least, soFar(t)-before)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return least
}

// soFar is how many bytes this process has read.
func soFar(t *testing.T) int {
	t.Helper()
	src, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	var n int
	if _, err := fmt.Sscanf(string(src), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// keepRuns records runs of 20 steps with values of about 200 bytes.
func keepRuns(t *testing.T, dir string, runs int, now time.Time) {
	t.Helper()
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	j := store.Journal(nil, journal.About{File: "/graph.yaml", Server: "demo"})
	for n := range runs {
		id := fmt.Sprintf("RUN%05d", n)
		keepRun(t, j, id, n, now)
		if err := store.Flush(t.Context(), id); err != nil { // so that each has its row, however busy the machine is
			t.Fatal(err)
		}
	}
}

func keepRun(t *testing.T, j execution.Journal, id string, n int, now time.Time) {
	t.Helper()
	v := value.FromPlain(map[string]any{"n": n, "text": fmt.Sprintf("%0200d", n)})
	events := []execution.Event{{Kind: execution.RunStarted, Run: id, Time: now, Start: &execution.Start{
		Tool: fmt.Sprintf("tool%d", n%7), Graph: "hash", Args: v,
	}}}
	for step := range 20 {
		events = append(events, execution.Event{Kind: execution.StepFinished, Run: id, Time: now, Record: &execution.Record{
			Index: step, NodeID: fmt.Sprintf("node%d", step), NodeType: config.TransformNode, Start: now, End: now,
			Output: value.FromPlain(map[string]any{"step": step, "text": fmt.Sprintf("%0200d", step)}),
		}})
	}
	for _, e := range append(events, execution.Event{Kind: execution.RunFinished, Run: id, Time: now, End: &execution.End{Value: v}}) {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}
