package checks_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/internal/editor/checks"
)

// Fixes of files that were changed at random are edits inside the file, one behind the other.
func TestFixesOfBrokenFiles(t *testing.T) {
	paths, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	proposed := 0
	for range 150 {
		src, err := os.ReadFile(paths[random.IntN(len(paths))])
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(3) {
			at := random.IntN(len(src) + 1)
			piece := []string{"{", "]", "\n", "\t", "- ", ": ", "'", "\"", "&a ", "*a", "|", "é", "\ufeff", "#", "?", "x"}[random.IntN(16)]
			src = []byte(string(src[:at]) + piece + string(src[min(at+random.IntN(9), len(src)):]))
		}
		for _, f := range findingsIn(t, src) {
			for _, edits := range editsOf(src, f) {
				proposed++
				at := 0
				for _, e := range edits {
					if e.From < at || e.To < e.From || e.To > len(src) {
						t.Fatalf("%v: %+v in %d bytes", f, edits, len(src))
					}
					at = e.To
				}
			}
		}
	}
	if proposed < 200 {
		t.Errorf("%d fixes", proposed)
	}
}

func findingsIn(t *testing.T, src []byte) config.Diagnostics {
	t.Helper()
	none := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	checked, err := checks.Text(t.Context(), "g.yaml", src, config.Options{AssumeEnv: true, ReadFile: none}, checks.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	return checked.Found
}

func editsOf(src []byte, f config.Diagnostic) (all [][]config.Edit) {
	patch := config.NewPatcher("g.yaml", src)
	for _, fix := range f.Fixes {
		if edits := fix.Edits(patch, src); edits != nil {
			all = append(all, edits)
		}
	}
	return all
}

// A fix of a text is not made in another one: where tools are no YAML, the rest is checked without them.
func TestFixesOfAnotherText(t *testing.T) {
	src := []byte("server: {name: g, version: 1.0.0}\nmcpServers: {}\ntools:\n  - name: broken\n    nodes: [\n  - name: t\n" +
		"    nodes:\n      - {id: entry, type: entry, next: exti}\n      - {id: exit, type: exit}\n" + strings.Repeat("# the end is far behind\n", 20))
	found := findingsIn(t, src)
	i := slices.IndexFunc(found, func(f config.Diagnostic) bool { return f.Code == "unknown-node" })
	if i < 0 || len(found[i].Fixes) == 0 {
		t.Fatalf("findings: %v", found)
	}
	if edits := editsOf(src, found[i]); edits != nil {
		t.Errorf("the place in the text without the broken tool is no place in the text itself: %+v", edits)
	}
}
