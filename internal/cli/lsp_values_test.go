package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/editor/lsp"
	"toolgraph/internal/program"
)

const valuesGraph = `version: "1.0"
server: {name: s, version: 1.0.0}
mcpServers:
  other: {command: other, env: {API_TOKEN: hunter2-hunter2}}
tools:
  - name: loop
    description: d
    inputSchema: {type: object, properties: {n: {type: integer}}}
    nodes:
      - {id: entry, type: entry, next: step}
      - {id: step, type: transform, transform: {expr: '{"i": ($.step.i ?? 0) + 1}'}, next: more}
      - {id: more, type: switch, conditions: [{rule: {"<": [{var: step.i}, 120]}, next: step}], next: each}
      - {id: each, type: graph, tool: one, forEach: {items: "[1, 2]"}, args: {n: {expr: $item}}, next: none}
      - {id: none, type: transform, transform: {expr: $.entry.nothing}, next: exit}
      - {id: exit, type: exit}
  - name: one
    description: d
    inputSchema: {type: object, properties: {n: {type: integer}}}
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
`

// files has what is in a directory: mode, size and time of each file.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			content, readErr := os.ReadFile(path)
			found[path], err = fmt.Sprint(info.Mode(), info.Size(), info.ModTime(), string(content)), readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// An editor is shown the latest outputs of the last run; no file of the store changes.
func TestLastOutput(t *testing.T) {
	dir := t.TempDir()
	graph, state := filepath.Join(dir, "graph.yaml"), filepath.Join(dir, "state")
	if err := os.WriteFile(graph, []byte(valuesGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	last := func(tool, node string) *lsp.Output {
		t.Helper()
		out, err := lastOutput(t.Context(), state, graph, tool, node)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := last("loop", "step"); out != nil {
		t.Errorf("without a store: %+v", out)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the store was created")
	}
	for range 2 {
		if code, _, errs := command(t, state, nil, "run", "-g", graph, "loop", "--args", `{"n": 7, "secret": "hunter2-hunter2"}`); code != program.ExitOK {
			t.Fatal(errs)
		}
	}
	if err := os.Chmod(filepath.Join(state, "history.db"), 0o644); err != nil { // which a store that writes would change
		t.Fatal(err)
	}
	before := filesIn(t, state)
	for node, want := range map[string]string{"entry": `{"n":7,"secret":"[redacted]"}`, "step": `{"i":120}`, "each": `[{"n":1},{"n":2}]`, "none": "", "exit": "", "other": ""} {
		got := ""
		if out := last("loop", node); out != nil {
			got = string(out.JSON)
			if len(out.Run) < 5 || out.Started.IsZero() || out.Truncated {
				t.Errorf("%+v", out)
			}
		}
		if got != want {
			t.Errorf("the output of %s is %s, expected %s", node, got, want)
		}
	}
	if out := last("one", "entry"); out != nil {
		t.Errorf("a tool that was called by a graph alone: %+v", out)
	}
	if after := filesIn(t, state); !maps.Equal(before, after) {
		t.Errorf("the store was changed: %d files, now %d", len(before), len(after))
	}
	if err := os.WriteFile(filepath.Join(state, "history.db"), []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := lastOutput(t.Context(), state, graph, "loop", "step"); err == nil || out != nil {
		t.Errorf("of a broken store: %+v, %v", out, err)
	}
}
