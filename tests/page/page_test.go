package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/browser"
	"toolgraph/tests/testbin"
)

// The versions that the tests are written for.
var packages = []string{"playwright-core@1.65.1", "axe-core@4.14.1", "gifenc@1.0.3", "pngjs@7.0.0", "ansi-to-html@0.7.2"}

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}

// TestPage runs each testdata/*.test.mjs. UPDATE_GOLDEN=1 takes the images of docs/ui.md anew.
func TestPage(t *testing.T) {
	browser.RunAll(t, surroundings(t))
}

// Each picture of the documentation is used there, and the text of what it shows is stored; a still of a command shows what the command
// prints now. (What pictures of the page show is compared by TestPage.)
func TestPicturesShowTheProduct(t *testing.T) {
	var text strings.Builder
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md") {
		src, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(src)
	}
	pictures, err := os.ReadDir("../../docs/images")
	if err != nil || len(pictures) < 15 {
		t.Fatal(pictures, err)
	}
	for _, picture := range pictures {
		name := picture.Name()
		if !strings.Contains(text.String(), "images/"+name) {
			t.Errorf("no page of the documentation shows %s", name)
		}
		stored, err := filepath.Glob("testdata/shown/" + strings.TrimSuffix(name, filepath.Ext(name)) + "*.txt")
		if err != nil || len(stored) == 0 {
			t.Errorf("testdata/shown has no text of what %s shows: make pictures", name)
		}
	}
	shown, err := os.ReadFile("testdata/shown/explain.txt")
	if err != nil {
		t.Fatal(err)
	}
	printed, err := exec.Command(testbin.Build(t, "toolgraph"), "explain", "unknown-tool").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if got := "$ toolgraph explain unknown-tool " + words(string(printed)); got != words(string(shown)) {
		t.Errorf("the picture explain shows\n%s\nthe program prints\n%s", words(string(shown)), got)
	}
}

// N06: what values hold is shown as text.
func TestN06ValuesAreText(t *testing.T) {
	browser.Run(t, "testdata/hostile.test.mjs", surroundings(t))
}

// surroundings returns the environment in which lib.mjs finds the program, its examples, the browser
// and the npm packages.
func surroundings(t *testing.T) []string {
	t.Helper()
	env := browser.Environment(t, packages...)
	root := t.TempDir()
	for from, to := range map[string]string{"../../examples": "examples", "testdata/graphs": "graphs"} {
		if err := os.CopyFS(filepath.Join(root, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "graphs", "wide.yaml"), []byte(wide(300)), 0o600); err != nil {
		t.Fatal(err)
	}
	env = append(env, "EXAMPLES="+filepath.Join(root, "examples"), "GRAPHS="+filepath.Join(root, "graphs"))
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		shots, err := filepath.Abs("../../docs/images")
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, "SHOTS="+shots)
	}
	return env
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
