package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/execution/journal"
	"toolgraph/execution/journal/sqlite"
	"toolgraph/internal/program"
)

// TestV12Commands: one digit of an answer is another one. The run is damaged for each
// command that would use it, and can be deleted.
func TestV12Commands(t *testing.T) {
	dir := t.TempDir()
	graph := filepath.Join(dir, "graph.yaml")
	if err := os.WriteFile(graph, starter, 0o600); err != nil {
		t.Fatal(err)
	}
	src := strings.NewReplacer(`"error": {"code": "tool", "detail": "d", "nodeId": "call", "message": "no"}}}`, `"output": {"sum": 1234567}}}`, "graph.yaml", filepath.ToSlash(graph)).Replace(importable)
	whole := src[:strings.LastIndex(src, "{\"kind\": \"run-finished\"")]
	interrupted := strings.TrimRight(strings.TrimSpace(whole), ",") + "]}"
	for _, text := range []string{src, strings.ReplaceAll(interrupted, "RUN", "CUT")} {
		if code, _, errs := command(t, dir, strings.NewReader(text), "runs", "import", "-"); code != program.ExitOK {
			t.Fatal(errs)
		}
	}
	if code, out, _ := command(t, dir, nil, "runs", "list"); code != program.ExitOK || strings.Contains(out, "damaged") {
		t.Fatal(out)
	}
	file := filepath.Join(dir, "history.db")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(content, []byte("1234567")); n != 2 {
		t.Fatalf("the answer is there %d times", n)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(content, []byte("1234567"), []byte("1234568")), 0o600); err != nil {
		t.Fatal(err)
	}
	_, out, _ := command(t, dir, nil, "runs", "list")
	if strings.Count(out, " damaged ") != 2 {
		t.Error(out)
	}
	_, out, _ = command(t, dir, nil, "runs", "list", "-f", "json")
	if strings.Count(out, `"damaged": "event 4: it does not match its checksum"`) != 2 {
		t.Error(out)
	}
	for _, args := range [][]string{
		{"runs", "show", "RUN"},
		{"runs", "show", "RUN", "--limit", "1"},
		{"runs", "show", "RUN", "-f", "json"},
		{"runs", "diff", "RUN", "CUT"},
		{"runs", "export", "RUN"},
		{"replay", "RUN"},
		{"resume", "CUT"},
		{"resume", "RUN"},
		{"inspect", "-g", graph, "read_run", "run=RUN"},
	} {
		code, out, errs := command(t, dir, nil, args...)
		if code != program.ExitFailed || out != "" || !strings.Contains(errs, "is damaged: event 4: it does not match its checksum; ") ||
			!strings.Contains(errs, "delete it with toolgraph runs rm ") {
			t.Errorf("%q: exit code %d, %s%s", args, code, out, errs)
		}
	}
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if r, err := store.Run(t.Context(), "CUT"); err != nil || r.Status != journal.Interrupted {
		t.Errorf("a damaged run was resumed: %+v, %v", r, err)
	}
	if code, _, errs := command(t, dir, nil, "runs", "rm", "RUN", "CUT"); code != program.ExitOK {
		t.Error(errs)
	}
	if _, out, _ := command(t, dir, nil, "runs", "list"); out != "no runs\n" {
		t.Error(out)
	}
}
