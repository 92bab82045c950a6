package completion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/authoring/graphtest"
	"toolgraph/tests/thorough"
)

// example is an example file, and what is known of it.
type example struct {
	name, src string
	known     *Known
}

// examplesOf returns the graph files and the test files of the examples.
func examplesOf(t *testing.T) (all []example) {
	t.Helper()
	paths, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(paths) < 20 {
		t.Fatal(err, paths)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		e := example{name: filepath.Base(path), src: string(raw)}
		if graph, isTest := strings.CutSuffix(path, ".test.yaml"); isTest {
			of, err := os.ReadFile(graph + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			e.known = knownOf(t, string(of)).As(TestFile, graphtest.Schema())
		} else {
			e.known = knownOf(t, e.src)
		}
		all = append(all, e)
	}
	return append(all, example{"graph.lock.yaml", lockText, knownOf(t, file).As(LockFile, nil)})
}

// At each byte of each example file, and at the end of files that were cut off, there is an answer: bounded, of words that
// replace the word before the cursor, and read in steps that grow with the text alone.
func TestEveryByte(t *testing.T) {
	step := thorough.Step(20)
	for _, e := range examplesOf(t) {
		t.Run(e.name, func(t *testing.T) {
			src, known, found := e.src, e.known, 0
			for at := 0; at <= len(src); at += step {
				texts := []string{src}
				if at%7 == 0 {
					texts = append(texts, src[:at])
				}
				for _, text := range texts {
					list := At(t.Context(), text, at, known)
					if list.From < 0 || list.From > at || list.To < at || list.To > len(text) || len(list.Candidates) > mostCandidates {
						t.Fatalf("at %d: from %d to %d, %d candidates", at, list.From, list.To, len(list.Candidates))
					}
					found += len(list.Candidates)
				}
				if at%3 != 0 {
					continue
				}
				if d, ok := Describe(t.Context(), src, at, known); ok && (d.From > at || d.To < at || d.To > len(src)) {
					t.Fatalf("at %d: described from %d to %d", at, d.From, d.To)
				}
				if call, ok := CallAt(t.Context(), src, at, known); ok && (call.Active < 0 || call.Label == "") {
					t.Fatalf("at %d: %+v", at, call)
				}
			}
			if found == 0 {
				t.Error("nothing was found anywhere")
			}
		})
	}
}

// The steps of reading are linear in the text, whatever is not closed in it.
func TestLinear(t *testing.T) {
	for name, of := range map[string]func(n int) string{
		"nodes":    func(n int) string { return "tools:\n- nodes:\n" + strings.Repeat("  - {id: a, type: exit}\n", n) },
		"lines":    func(n int) string { return strings.Repeat("a: b\n", n) },
		"brackets": func(n int) string { return "a: " + strings.Repeat("[", n) },
		"braces":   func(n int) string { return "a: " + strings.Repeat("{a: ", n) },
		"quotes":   func(n int) string { return "a: " + strings.Repeat("'", n) },
		"open":     func(n int) string { return strings.Repeat("a: '\n", n) },
		"open in brackets": func(n int) string {
			return "a: [" + strings.Repeat("'x, \"y, {\n  ", n)
		},
		"dashes": func(n int) string { return strings.Repeat("- ", n) },
		"blocks": func(n int) string { return strings.Repeat("a: |\n  x\n\n", n) },
		"deep":   func(n int) string { return stairs(n/4, "a:\n") },
		"steps":  func(n int) string { return stairs(n/4, "a: []\n") },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1000, 4000} {
				src := of(n) + mark
				if steps := read(src).steps; steps > (mostSteps+1)*len(src)+1000 {
					t.Errorf("%d steps for %d bytes", steps, len(src))
				}
			}
		})
	}
}

// stairs has lines of which each is deeper than the one before.
func stairs(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + line)
	}
	return b.String()
}

func FuzzAt(f *testing.F) {
	f.Add(file, 400)
	f.Add("a: [{'", 6)
	f.Add(testFile, 200)
	f.Add(lockText, 60)
	known := knownOf(f, file)
	kinds := []*Known{known, known.As(TestFile, graphtest.Schema()), known.As(LockFile, nil)}
	f.Fuzz(func(t *testing.T, src string, at int) {
		for _, known := range kinds {
			list := At(t.Context(), src, at, known)
			if list.From < 0 || list.From > list.To || list.To > len(src) {
				t.Errorf("from %d to %d", list.From, list.To)
			}
			Describe(t.Context(), src, at, known)
			CallAt(t.Context(), src, at, known)
		}
	})
}
