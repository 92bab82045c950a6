package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolgraph/tests/testbin"
)

// Processes that add servers to one registry at the same time keep all of them.
func TestF29AddsAtOnceKeepEach(t *testing.T) {
	t.Parallel()
	const processes = 12
	toolgraph := testbin.Build(t, "toolgraph")
	home := t.TempDir()
	var waiting sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(toolgraph, "mcp", "add", fmt.Sprintf("s%d", i), "--project", "--", "run", "x")
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home}
		waiting.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	waiting.Wait()
	raw, err := os.ReadFile(filepath.Join(home, ".toolgraph", "servers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var has struct{ MCPServers map[string]any }
	if err := json.Unmarshal(raw, &has); err != nil || len(has.MCPServers) != processes {
		t.Errorf("%d of %d servers are in it, %v\n%s", len(has.MCPServers), processes, err, raw)
	}
}

// Servers from npm are added and synced; then a graph that names them is checked without a server.
func TestRegisteredServersAreCheckedOffline(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(modules(t), ".bin")
	toolgraph := testbin.Build(t, "toolgraph")
	home := t.TempDir()
	run := func(args ...string) (string, error) {
		cmd := exec.Command(toolgraph, args...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for name, command := range map[string][]string{
		"files": {"mcp-server-filesystem", home}, "memory": {"mcp-server-memory"}, "everything": {"mcp-server-everything"},
	} {
		add := append([]string{"mcp", "add", name, "--", filepath.Join(bin, command[0])}, command[1:]...)
		if out, err := run(add...); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	out, err := run("mcp", "sync")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Log(out)
	const graph = `version: "1.0"
server: {name: g, version: 1.0.0}
mcpServers: {files: {registry: true}, memory: {registry: true}, everything: {registry: true}}
tools:
- name: t
  description: d
  nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: files, tool: read_text_file, args: {path: a}, next: search}
  - {id: search, type: mcp, server: memory, tool: search_nodes, args: {query: a}, next: say}
  - {id: say, type: mcp, server: everything, tool: echo, args: {message: a}, next: exit}
  - {id: exit, type: exit}
`
	check := func(src string) (string, error) {
		if err := os.WriteFile(filepath.Join(home, "g.yaml"), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		return run("check", "g.yaml")
	}
	if out, err := check(graph); err != nil || strings.Contains(out, "not checked") {
		t.Errorf("%v: %s", err, out)
	}
	for was, code := range map[string]string{"{path: a}": "[argument-", "{query: a}": "[argument-", "{message: a}": "[argument-"} {
		wrong := strings.Replace(was, ": a", "x: a", 1)
		if out, err := check(strings.Replace(graph, was, wrong, 1)); err == nil || !strings.Contains(out, code) {
			t.Errorf("%s: %v: %s", wrong, err, out)
		}
	}
	if out, err := check(strings.Replace(graph, "tool: echo", "tool: ecko", 1)); err != nil || !strings.Contains(out, `did you mean "echo"? [unknown-upstream-tool]`) {
		t.Errorf("%v: %s", err, out)
	}
}
