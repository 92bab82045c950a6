package names

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"toolgraph/config"
	"toolgraph/tests/thorough"
)

// Whatever a file has, its names, tokens and symbols are inside it, each token in one line and none inside
// another, and a rename that is not refused leaves no use of the old name.
func TestBrokenFiles(t *testing.T) {
	paths, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	paths = append(paths, "testdata/all/graph.yaml", "testdata/older/graph.yaml")
	random := rand.New(rand.NewPCG(3, 4))
	renamed, files := 0, thorough.Times(25, 400)
	for range files {
		src, err := os.ReadFile(paths[random.IntN(len(paths))])
		if err != nil {
			t.Fatal(err)
		}
		for range random.IntN(3) {
			at := random.IntN(len(src) + 1)
			piece := []string{"{", "]", "\n", "- ", ": ", "'", "\"", "&a ", "*a", "|", "é", "#", "`", "$", "(", ".", "entry", "\\"}[random.IntN(18)]
			src = []byte(string(src[:at]) + piece + string(src[min(at+random.IntN(5), len(src)):]))
		}
		const path = "g.yaml"
		x := Read([]Source{{path, src}})
		end := 0
		for _, token := range Tokens(x, path, src) {
			if token.From < end || token.To <= token.From || token.To > len(src) {
				t.Fatalf("token %+v behind %d in\n%s", token, end, src)
			}
			end = token.To
		}
		var inside func(all []Symbol, from, to int)
		inside = func(all []Symbol, from, to int) {
			for _, s := range all {
				if s.From < from || s.To > to || s.NameFrom < s.From || s.NameTo > s.To || s.NameTo < s.NameFrom {
					t.Fatalf("symbol %+v in %d-%d of\n%s", s, from, to, src)
				}
				inside(s.Children, s.From, s.To)
			}
		}
		symbols, _ := Symbols(path, src)
		inside(symbols, 0, len(src))
		Around(path, src, random.IntN(len(src)+1))
		config.Tidy(path, src)
		for _, o := range x.In(path) {
			if o.From < 0 || o.To > len(src) || o.To < o.From {
				t.Fatalf("%+v of\n%s", o, src)
			}
		}
		if all := x.In(path); len(all) > 0 {
			n := all[random.IntN(len(all))].Name
			edits, err := x.Rename(n, "some_other")
			if err != nil {
				continue
			}
			renamed++
			if left := Read([]Source{{path, config.Apply(src, edits[path])}}).Of(n); len(left) > 0 {
				t.Fatalf("%v is left in\n%s", n, src)
			}
		}
	}
	if renamed < files/8 {
		t.Errorf("%d renames", renamed)
	}
}
