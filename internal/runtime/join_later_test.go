package runtime

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// serverThatAsks is a process with the history of a directory, and the graph that it serves asks.
func serverThatAsks(t *testing.T, dir string) *Loaded {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte(`server: {name: g, version: 1.0.0}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: one}
  - {id: one, type: transform, transform: {expr: '1'}, next: sure}
  - {id: sure, type: ask, message: "Sure?", next: exit}
  - {id: exit, type: exit}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(t.Context(), path, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := Start(t.Context(), Options{Asker: ClientAsker{}}, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	l.Log = slog.New(slog.DiscardHandler)
	l.History = openStore(t, dir)
	l.fleet = newFleet(l.Session)
	return l
}

// callAs makes the call with a key, of a client that can be asked or cannot.
func (l *Loaded) callAs(t *testing.T, canAsk bool) (*execution.Result, error) {
	t.Helper()
	ctx := server.WithCalled(t.Context(), server.Called{Key: "key", CanAsk: canAsk})
	return l.answerCall(ctx, l.Engine(), l.Graphs[0], value.NewObject(nil, nil), nil)
}

// A later run that was copied only in part, because its process died, is not resumed: one more is begun. What
// follows after a key is the same in each process.
func TestX20HalfCopied(t *testing.T) {
	l := serverThatAsks(t, t.TempDir())
	first, err := l.callAs(t, false)
	if missingCapability(err) != "elicitation" {
		t.Fatalf("%+v, %v", first, err)
	}
	half := laterID(first.RunID)
	run, err := l.History.Exact(t.Context(), first.RunID)
	if err != nil {
		t.Fatal(err)
	}
	j := l.History.Journal(l.File.Secrets, About(l.Project))
	start := execution.Event{Kind: execution.RunStarted, Run: half, Time: run.Started, Sync: true, Start: &execution.Start{
		Tool: "t", Graph: run.Graph, Args: value.NewObject(nil, nil), ForkedFrom: execution.Origin(first.RunID, "2"), Copied: 2,
	}}
	if err := errors.Join(j.Append(t.Context(), start), l.History.Release(t.Context(), half)); err != nil {
		t.Fatal(err)
	}

	if _, err := l.callAs(t, false); missingCapability(err) != "elicitation" {
		t.Errorf("a client that cannot be asked: %v", err)
	}
	second, err := l.callAs(t, true) // nothing of this test shows its question, so it fails, as a later run
	if second == nil || second.RunID != laterID(half) {
		t.Errorf("%+v, %v", second, err)
	}
	later, err := l.History.Exact(t.Context(), laterID(half))
	if err != nil || later.ForkedFrom != execution.Origin(first.RunID, "2") || later.Steps < 2 {
		t.Errorf("%+v, %v", later, err)
	}
}

// A later run that waits for a client that can be asked is left alone by one that cannot; one that has ended is
// the run of the key for both.
func TestX20LaterRun(t *testing.T) {
	dir := t.TempDir()
	l := serverThatAsks(t, dir)
	first, failure := l.callAs(t, false)
	asks := server.WithCalled(t.Context(), server.Called{CanAsk: true})
	later, err := l.laterRun(asks, first.RunID, "", new(bool), failure)
	if later != laterID(first.RunID) || err != nil {
		t.Fatalf("%q, %v", later, err)
	}
	if again, err := serverThatAsks(t, dir).laterRun(asks, first.RunID, "", new(bool), failure); again != later || err != nil {
		t.Errorf("in another process: %q, %v", again, err)
	}
	if none, err := l.laterRun(t.Context(), first.RunID, "", new(bool), failure); none != "" || !errors.Is(err, failure) {
		t.Errorf("a client that cannot be asked: %q, %v", none, err)
	}
	if none, err := l.laterRun(asks, first.RunID, "", new(bool), errLocked); none != "" || !errors.Is(err, errLocked) {
		t.Errorf("another failure: %q, %v", none, err)
	}
	if run, err := l.History.Exact(t.Context(), later); err != nil || run.Status != journal.Interrupted {
		t.Fatalf("%+v, %v", run, err)
	}
	if _, err := l.resume(t.Context(), l.Graphs[0], later, execution.WithUser(askedUser{map[string]execution.Action{"Sure?": execution.Accept}})); err != nil {
		t.Fatal(err)
	}
	if joined, err := l.laterRun(t.Context(), first.RunID, "", new(bool), failure); joined != later || err != nil {
		t.Errorf("after its end: %q, %v", joined, err)
	}
	if _, err := l.History.Delete(t.Context(), first.RunID); err != nil {
		t.Fatal(err)
	}
	if id, begun, err := l.begun(t.Context(), first.RunID); id != later || !begun || err != nil {
		t.Errorf("after the first run was deleted: %q, %t, %v", id, begun, err)
	}
	if _, err := l.laterRun(asks, later, "", new(bool), failure); !strings.Contains(err.Error(), "call with a new key") {
		t.Errorf("without a question: %v", err)
	}
}
