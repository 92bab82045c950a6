package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/examplefile"
)

// inspector is the Inspector's command line, and a Node that is new enough for it.
type inspector struct{ node, script string }

func newInspector(t *testing.T) inspector {
	t.Helper()
	modules := modules(t, inspectorPackage, newerNodePackage)
	return inspector{
		node:   filepath.Join(modules, "node", "bin", "node"),
		script: filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"),
	}
}

// run starts the program on a graph through the Inspector. The exit code is 0, 1 for
// an error, which out is then, 5 for a tool's error, 6 for schemas that other hosts may refuse.
func (i inspector) run(t *testing.T, s surroundings, env map[string]string, graph string, args ...string) (out string, code int) {
	t.Helper()
	line := append([]string{i.script, "--cli", s.binary, "-g", graph}, args...)
	for name, value := range env {
		line = append(line, "-e", name+"="+value)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), i.node, line...)
	cmd.Dir, cmd.Stderr = s.examples, &stderr
	cmd.Env = append(slices.Clip(s.env), "MCP_CATALOG_PATH="+filepath.Join(t.TempDir(), "catalog.json"))
	said, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if exit.ExitCode() == 1 {
			said = append(said, stderr.Bytes()...)
		}
		return string(said), exit.ExitCode()
	}
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	return string(said), 0
}

// pairs are arguments as --tool-arg takes them: strings unchanged, else JSON.
func pairs(t *testing.T, args map[string]any) []string {
	t.Helper()
	var out []string
	for name, value := range args {
		text, ok := value.(string)
		if !ok {
			raw, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			text = string(raw)
		}
		out = append(out, "--tool-arg", name+"="+text)
	}
	return out
}

func TestExamplesThroughTheInspector(t *testing.T) {
	i := newInspector(t)
	s := newSurroundings(t)
	seen := map[string]bool{}
	s.each(t, func(t *testing.T, c examplefile.Case) {
		if seen[c.Graph] && len(c.Needs) > 0 {
			t.Skip("one case on a slow server is enough")
		}
		graph := filepath.Base(c.Graph)
		if !seen[c.Graph] {
			seen[c.Graph] = true
			if out, code := i.run(t, s, c.Env, graph, "--method", "tools/list", "--strict"); code != 0 {
				t.Errorf("tools/list ended with %d: %s", code, out)
			}
		}
		args := append([]string{"--method", "tools/call", "--tool-name", c.Tool}, pairs(t, c.Args)...)
		out, code := i.run(t, s, c.Env, graph, args...)
		wanted := 0
		if c.Expect.IsError {
			wanted = 5
		}
		if code != wanted {
			t.Fatalf("the Inspector ended with %d, want %d: %s", code, wanted, out)
		}
		var r result
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(fmt.Errorf("%w: %s", err, out))
		}
		if err := c.Expect.Match(r.text(), r.IsError); err != nil {
			t.Error(err)
		}
	})
}

func TestTheInspectorInEveryEra(t *testing.T) {
	i := newInspector(t)
	s := newSurroundings(t)
	for _, era := range []string{"legacy", "auto", "modern"} {
		out, code := i.run(t, s, nil, "01-count-files.yaml", "--protocol-era", era, "--method", "tools/call",
			"--tool-name", "count_files", "--tool-arg", "directory=data/notes", "--format", "json")
		if code != 0 || !strings.Contains(out, `"structuredContent":{"files":4,`) {
			t.Errorf("%s ended with %d: %s", era, code, out)
		}
	}
}

func TestLoadThroughTheInspector(t *testing.T) {
	i := newInspector(t)
	s := newSurroundings(t)
	out, code := i.run(t, s, nil, "03-collect-todos.yaml", "--method", "tools/call", "--tool-name", "collect_lines",
		"--tool-arg", "directory=data/notes", "--load", "--load-requests", "300", "--load-concurrency", "100")
	var report struct {
		OK       int      `json:"ok"`
		Messages []string `json:"errorMessages"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || report.OK != 300 {
		t.Errorf("the Inspector ended with %d: %v: %d of 300 calls were right: %v", code, err, report.OK, report.Messages)
	}
}
