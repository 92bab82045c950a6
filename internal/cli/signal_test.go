package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolgraph/internal/program"
)

// Each command that compiles a graph file or an expression looks for the end of its
// context before it goes on, and has the exit code of the signal.
func TestV20CommandsEndWithASignal(t *testing.T) {
	dir := t.TempDir()
	graph := filepath.Join(dir, "g.yaml")
	for path, content := range map[string]string{graph: `server: {name: g, version: 1.0.0}
tools:
- name: t
  description: d
  nodes:
  - {id: entry, type: entry, next: one}
  - {id: one, type: transform, transform: {expr: '1'}, next: exit}
  - {id: exit, type: exit}
`, filepath.Join(dir, "g.test.yaml"): "tests: [{name: one, tool: t, args: {}, expect: {value: 1}}]\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"check", graph},
		{"check", graph, "--format", "json"},
		{"graph", graph},
		{"eval", "1"},
		{"eval", "--rule", "true"},
		{"run", graph, "t", "--no-history"},
		{"debug", graph, "t"},
		{"lock", graph},
		{"test", graph},
		{"serve", "-g", graph},
		{"ui", "-g", graph},
		{"login", "-g", graph, "up"},
	} {
		t.Run(strings.Join(args[:1], " "), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(program.SignalError{Signal: syscall.SIGTERM})
			var out, printed bytes.Buffer
			if code := Run(ctx, args, program.Streams{In: strings.NewReader(""), Out: &out, Err: &printed}); code != 143 {
				t.Errorf("the exit code is %d, want 143: %s%s", code, &out, &printed)
			}
			if out.Len() > 0 || !strings.Contains(printed.String(), "ended by a signal: terminated") {
				t.Errorf("it printed %q and %q", &out, &printed)
			}
		})
	}
}
