package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// published are calls of the graphs that mcpgraph's package holds as examples.
func published(directory string) map[string][]call {
	number := func(tool, name string, values ...float64) (calls []call) {
		for _, v := range values {
			calls = append(calls, call{tool, map[string]any{name: v}})
		}
		return calls
	}
	return map[string][]call{
		"loop_example.yaml":   number("sum_to_n", "n", 5, 10, 100),
		"switch_example.yaml": number("test_switch", "value", -5, 0, 5, 50),
		"count_files.yaml":    {{"count_files", map[string]any{"directory": directory}}},
		"test_minimal.yaml":   {{"test_tool", map[string]any{}}, {"test_tool", map[string]any{"a": []any{1.0, "b"}}}},
	}
}

// remedies are the changes that warnings name for a published graph, old text and new. In
// a file without other signs of the older form, an argument that begins with $ is literal,
// as in mcpgraph since it has {expr: …}.
var remedies = map[string][2]string{
	"count_files.yaml": {`path: "$.entry.directory"`, `path: {expr: "$.entry.directory"}`},
}

// TestPublishedGraphs calls mcpgraph's own examples here and there.
func TestPublishedGraphs(t *testing.T) {
	modules := modules(t, sdkPackage, mcpgraphPackage, filesystemPackage)
	binary := testbin.Build(t, "toolgraph")
	home := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(home, "node_modules")); err != nil { // for npx
		t.Skip(err)
	}
	counted := filepath.Join(home, "tests", "counting")
	if err := os.MkdirAll(counted, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "b.txt", "c d.txt"} {
		write(t, counted, name, "")
	}
	theirs := filepath.Join(modules, "mcpgraph", "dist", "main.js")
	for name, calls := range published(counted) {
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(filepath.Join(modules, "mcpgraph", "examples", name))
			if err != nil {
				t.Fatal(err)
			}
			graph := write(t, home, name, string(src))
			want := bySDK(t, modules, os.Environ(), job{Command: []string{"node", theirs, "-g", graph}, Directory: home, Calls: calls})
			if remedy, ok := remedies[name]; ok {
				said, err := exec.CommandContext(t.Context(), binary, "check", graph).CombinedOutput()
				if err != nil || !strings.Contains(string(said), "[literal-expression]") {
					t.Errorf("check gave no warning: %v: %s", err, said)
				}
				graph = write(t, home, name, strings.Replace(string(src), remedy[0], remedy[1], 1))
			}
			got := bySDK(t, modules, os.Environ(), job{Command: []string{binary, "-g", graph}, Directory: home, Calls: calls})
			for i := range calls {
				same(t, calls[i], got.Results[i], want.Results[i])
			}
		})
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// same compares the result of a call with mcpgraph's.
func same(t *testing.T, c call, got, want result) {
	t.Helper()
	if got.IsError || want.IsError {
		t.Fatalf("%s %v failed: here %s, there %s", c.Tool, c.Args, got.text(), want.text())
	}
	var a, b any
	if err := json.Unmarshal([]byte(got.text()), &a); err != nil {
		t.Fatalf("%s %v: %v: %s", c.Tool, c.Args, err, got.text())
	}
	if err := json.Unmarshal([]byte(want.text()), &b); err != nil {
		t.Fatalf("mcpgraph, %s %v: %v: %s", c.Tool, c.Args, err, want.text())
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s %v gave %s, with mcpgraph %s", c.Tool, c.Args, got.text(), want.text())
	}
}
