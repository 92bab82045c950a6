package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

const tasked = `server: {name: g, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: ['rugpull=$LIST']}}
tools:
  - name: t
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: mcp, server: up, tool: rpcerror, args: {message: tasks only}, next: exit}
      - {id: exit, type: exit}
`

// A tool that can only be called as a task, of a server that offers no tasks, is no finding; the error of its call has the reason.
func TestTaskRequired(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "list.json")
	define := func(support string) {
		t.Helper()
		definition := `{"rpcerror":{"name":"rpcerror","inputSchema":{"type":"object"},"execution":{"taskSupport":"` + support + `"}}}`
		if err := os.WriteFile(list, []byte(definition), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newGraphFile(t, strings.ReplaceAll(tasked, "$LIST", list))
	command := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(testbin.Build(t, "toolgraph"), args...).CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Fatal(err)
		}
		return string(out)
	}
	for support, reported := range map[string]bool{"required": true, "optional": false} {
		define(support)
		for _, args := range [][]string{{"check", "--live", f.path}, {"lock", f.path}, {"check", f.path}} {
			if got := command(args...); strings.Contains(got, "as a task") {
				t.Errorf("%s: %v prints %s", support, args, got)
			}
		}
		const reason = "the tool can only be called as a task (execution.taskSupport: required), which this server does not offer (tasks.requests.tools.call): call another tool"
		if got := command("run", "-g", f.path, "t", "--no-history"); !strings.Contains(got, "quota used up: tasks only") || strings.Contains(got, reason) != reported {
			t.Errorf("%s: run prints %s", support, got)
		}
	}
}
