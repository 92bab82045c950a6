package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toolkitGraph is a graph file for the toolkit: its server reads the directory beside it.
const toolkitGraph = `# Ours.
server: {name: notes, version: 1.0.0}
mcpServers:
  files: {command: toolgraph, args: [demo-server, .], cwd: .}
tools:
  - name: first   # the one that was there
    description: Gives what it gets.
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit}
`

// toolkitFolder is a folder with a graph file and notes; it gives the file's path.
func toolkitFolder(t testing.TB, graph string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "notes"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"graph.yaml": graph, "notes/garden.md": "# Garden\n", "notes/travel.md": "# Travel\n- far\n"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "graph.yaml")
}

// startToolkit is a toolkit in the folder of a graph file, all allowed, whose runs
// are recorded in that folder.
func startToolkit(t testing.TB, path string, more ...string) *session {
	t.Helper()
	args := append([]string{"toolkit", "-g", path, "--state", filepath.Join(filepath.Dir(path), "state")}, more...)
	s := startCommand(t, nil, args...)
	s.handshake()
	return s
}

var allowAll = []string{"--allow-write", "--allow-run"}

// skillBlock is a fenced block of SKILL.md.
type skillBlock struct{ info, text string }

func skillBlocks(t *testing.T) []skillBlock {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "internal", "authoring", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []skillBlock
	for i, part := range strings.Split(string(src), "\n```") {
		if i%2 == 1 {
			info, text, _ := strings.Cut(part, "\n")
			blocks = append(blocks, skillBlock{info, text})
		}
	}
	return blocks
}

// Every example of the guide works, and gives what the guide says.
func TestSkillExamples(t *testing.T) {
	blocks := skillBlocks(t)
	s := startToolkit(t, toolkitFolder(t, toolkitGraph), allowAll...)
	var last toolResult
	var context string
	calls, lines := 0, 0
	for _, b := range blocks {
		name, isCall := strings.CutPrefix(b.info, "json call=")
		switch {
		case isCall:
			calls++
			if name == "testGraphTool" { // the guide says to save it before
				var run struct{ ToolDefinition json.RawMessage }
				mustUnmarshal(t, []byte(blocks[4].text), &run)
				if r := s.call("addGraphTool", oneLine(t, fmt.Sprintf(`{"tool": %s}`, run.ToolDefinition))); r.IsError {
					t.Fatal(r.text(t))
				}
			}
			if last = s.call(name, oneLine(t, b.text)); last.IsError {
				t.Errorf("%s: %s", name, last.text(t))
			}
		case b.info == "json result":
			if err := containsJSON(last.Structured, []byte(b.text)); err != nil {
				t.Errorf("%v\nin %s", err, last.Structured)
			}
		case b.info == "json context":
			context = b.text
		case b.info == "jsonata":
			for _, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
				expr, want, _ := strings.Cut(line, "→")
				quoted, _ := json.Marshal(strings.TrimSpace(expr))
				got := s.call("testJSONata", fmt.Sprintf(`{"expression": %s, "context": %s}`, quoted, oneLine(t, context)))
				if err := containsJSON(got.Structured, []byte(`{"result": `+want+`}`)); err != nil {
					t.Errorf("%s: %v in %s", expr, err, got.Structured)
				}
				lines++
			}
		default:
			t.Errorf("a block %q that nothing runs", b.info)
		}
	}
	if calls < 6 || lines < 10 {
		t.Errorf("only %d calls and %d expressions were found", calls, lines)
	}
}

// oneLine is JSON as it goes into a message.
func oneLine(t testing.TB, src string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(src)); err != nil {
		t.Fatalf("%v in %s", err, src)
	}
	return out.String()
}

func mustUnmarshal(t testing.TB, src []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(src, v); err != nil {
		t.Fatalf("%v: %.300s", err, src)
	}
}

// containsJSON returns what of want is not in got: objects may have further keys.
func containsJSON(got, want []byte) error {
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		return err
	}
	if err := json.Unmarshal(want, &w); err != nil {
		return fmt.Errorf("%w in %s", err, want)
	}
	return containsValue(g, w, "")
}

func containsValue(got, want any, path string) error {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for key, item := range w {
			if !ok {
				return fmt.Errorf("%s is %v, want an object", path, got)
			}
			if err := containsValue(g[key], item, path+"."+key); err != nil {
				return err
			}
		}
		return nil
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return fmt.Errorf("%s is %v, want %v", path, got, want)
		}
		for i, item := range w {
			if err := containsValue(g[i], item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		return fmt.Errorf("%s is %s, want %s", path, a, b)
	}
	return nil
}
