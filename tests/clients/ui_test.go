package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const playwrightPackage = "playwright-core@1.65.1"

// The debugger's page in a browser: a loop is stepped and edited, a long run opened, N06
// (what values hold is text), parts and frames, questions, 300 nodes, a narrow window, dark. testdata/ui.mjs says what
// must be seen. UPDATE_GOLDEN=1 takes the images of docs/ui.md anew.
func TestN06PageInBrowser(t *testing.T) {
	modules := modules(t, playwrightPackage)
	s := newSurroundings(t)
	graphs := t.TempDir()
	for name, src := range map[string]string{
		"ui-loop.yaml": read(t, "ui-loop.yaml"), "ui-hostile.yaml": read(t, "ui-hostile.yaml"), "ui-frames.yaml": read(t, "ui-frames.yaml"), "ui-ask.yaml": read(t, "ui-ask.yaml"), "ui-wide.yaml": wide(300),
	} {
		if err := os.WriteFile(filepath.Join(graphs, name), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(slices.Clip(s.env), "BINARY="+s.binary, "CHROMIUM="+browser(t), "EXAMPLES="+s.examples, "GRAPHS="+graphs,
		"MODULES="+modules, "STATE="+t.TempDir())
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		shots, err := filepath.Abs("../../docs/images")
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, "SHOTS="+shots)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join("testdata", "ui.mjs"))
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func read(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// browser is the path of a Chromium.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium; name one with CHROMIUM")
	return ""
}

// wide is a graph file of many nodes: switches that lead on or leave a step out.
func wide(nodes int) string {
	var b strings.Builder
	b.WriteString(`version: "1.0"
server: {name: wide, version: 1.0.0, title: Many nodes}
tools:
  - name: wide
    description: Walks a large graph.
    inputSchema: {type: object, properties: {n: {type: integer, default: 3}}}
    nodes:
      - {id: entry, type: entry, next: turn_1}
`)
	last := nodes - 3 // beside entry and exit, counted in pairs
	for i := 1; i <= last; i += 2 {
		next := fmt.Sprintf("turn_%d", i+2)
		if i+2 > last {
			next = "exit"
		}
		fmt.Fprintf(&b, "      - {id: turn_%d, type: switch, conditions: [{rule: {\"<\": [{var: entry.n}, %d]}, next: step_%d}], next: %s}\n", i, i%7, i+1, next)
		fmt.Fprintf(&b, "      - {id: step_%d, type: transform, transform: {expr: '$.entry.n + %d'}, next: %s}\n", i+1, i, next)
	}
	b.WriteString("      - {id: exit, type: exit}\n")
	return b.String()
}
