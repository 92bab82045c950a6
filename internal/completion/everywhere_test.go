package completion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At each byte of each example file, and at the end of files that were cut off, there is an answer: bounded, of words that
// replace the word before the cursor, and read in steps that grow with the text alone.
func TestEveryByte(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(paths) < 10 {
		t.Fatal(err, paths)
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src, known := string(raw), &Known{}
			if !strings.HasSuffix(path, ".test.yaml") && !strings.HasSuffix(path, ".lock.yaml") {
				known = knownOf(t, src)
			}
			found := 0
			for at := 0; at <= len(src); at += step {
				texts := []string{src}
				if at%7 == 0 {
					texts = append(texts, src[:at])
				}
				for _, text := range texts {
					list := At(t.Context(), text, at, known)
					if list.From < 0 || list.From > at || len(list.Candidates) > mostCandidates {
						t.Fatalf("at %d: from %d, %d candidates", at, list.From, len(list.Candidates))
					}
					found += len(list.Candidates)
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
	known := knownOf(f, file)
	f.Fuzz(func(t *testing.T, src string, at int) {
		list := At(t.Context(), src, at, known)
		if list.From < 0 || list.From > len(src) {
			t.Errorf("from %d", list.From)
		}
		Describe(t.Context(), src, at, known)
	})
}
