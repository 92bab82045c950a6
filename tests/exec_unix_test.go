//go:build unix

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolgraph/tests/testbin"
)

// A program that ignores SIGTERM, and what it has forked, end with a toolgraph that is killed without
// a word.
func TestF28ProgramsEndWithToolgraph(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pids, graph := filepath.Join(dir, "pids"), filepath.Join(dir, "graph.yaml")
	src := fmt.Sprintf(`server: {name: g, version: 1.0.0}
mcpServers: {local: {type: exec, tools: {stay: {command: [%q, stubborn, %q]}}}}
tools:
  - name: stay
    nodes:
      - {id: entry, type: entry, next: stay}
      - {id: stay, type: mcp, server: local, tool: stay, next: exit}
      - {id: exit, type: exit}
`, testbin.Build(t, "toolgraph/tests/fakeprogram"), pids)
	if err := os.WriteFile(graph, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "run", graph, "stay", "--allow-exec", "--no-history")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var group []int
	eventually(t, "the program to fork", func() bool {
		raw, err := os.ReadFile(pids)
		for _, pid := range strings.Fields(string(raw)) {
			group = append(group, atoi(t, pid))
		}
		return err == nil
	})
	t.Cleanup(func() {
		for _, pid := range group {
			_ = syscall.Kill(pid, syscall.SIGKILL) // gone already when all is well
		}
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as wanted
	for _, pid := range group {
		eventually(t, "a program to end with toolgraph", func() bool { return !lives(pid) })
	}
}
