package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// A run that cannot be resumed, because its items are others now, is given back at once: while the process that tried
// lives, others can have it.
func TestRefusedRunIsGivenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte(`server: {name: g, version: 1.0.0}
mcpServers: {up: {command: up}}
tools:
- name: t
  nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: up, tool: x, forEach: {items: '[1, 2]'}, next: exit}
  - {id: exit, type: exit}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(t.Context(), path, config.Options{})
	if err != nil {
		t.Fatal(err)
	}
	answer := execution.CallerFunc(func(context.Context, execution.Call) (value.Value, error) { return "x", nil })
	made := &journal.Memory{}
	if _, err := execution.New(answer, execution.WithJournal(made), execution.WithRunID("RUN")).Run(t.Context(), p.Graphs[0], value.NewMap()); err != nil {
		t.Fatal(err)
	}
	events, err := made.Load(t.Context(), "RUN")
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	other := openStore(t, state)
	for _, e := range events {
		if e.Parts != nil {
			e.Parts.Digest = "of other items"
		}
		if err := other.Journal(nil, About(p)).Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if e.Parts != nil {
			break
		}
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	var log lockedLog
	l, err := Start(t.Context(), Options{Log: Logging{To: &log, Level: "info"}}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.History = openStore(t, state)
	if _, err := l.resume(t.Context(), p.Graphs[0], "RUN"); !errors.Is(err, execution.ErrItemsChanged) {
		t.Fatalf("the error is %v", err)
	}
	if run, err := l.History.Run(t.Context(), "RUN"); err != nil || run.Status != journal.Interrupted {
		t.Errorf("the run is %s (%v), want %s", run.Status, err, journal.Interrupted)
	}
}
