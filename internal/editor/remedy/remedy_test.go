package remedy

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolgraph/config"
)

// Fixes of files that were changed at random are edits inside the file, whatever the finding says and
// wherever it is.
func TestFixesOfBrokenFiles(t *testing.T) {
	paths, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	hints := []string{
		`did you mean "exit"?`, "remove it", "quote it", "write 3", "write type: object", "add next: NODE", "add {id: entry, type: entry, next: NODE}", "say effect: read",
		"write `a-b` in backticks", "convert it: $number(…)", "join strings with &, or convert it", "add )", "rename one of them", "write $ctx.a to read",
	}
	codes := []string{"yaml-syntax", "unknown-node", "maybe-missing", "history-null", "literal-expression", "tag", "hidden-character", "second-document", "useless-codes", "out-of-range", "expression-syntax", "bad-tool-name"}
	message := []string{`"entri" is not a node`, "x is 3, expected at least 7", "may not call files.x, whose effect is read: allow (g.yaml:3:9) has", "found ) without its opening bracket"}
	random := rand.New(rand.NewPCG(1, 2))
	proposed := 0
	for range 600 {
		src, err := os.ReadFile(paths[random.IntN(len(paths))])
		if err != nil {
			t.Fatal(err)
		}
		for range random.IntN(4) {
			at := random.IntN(len(src) + 1)
			piece := []string{"{", "]", "\n", "\t", "- ", ": ", "'", "\"", "&a ", "*a", "|", "é", "\ufeff", "#", "?"}[random.IntN(15)]
			src = []byte(string(src[:at]) + piece + string(src[min(at+random.IntN(9), len(src)):]))
		}
		f := config.Diagnostic{
			Pos: config.Pos{File: "g.yaml", Line: random.IntN(60), Column: random.IntN(60)}, Code: codes[random.IntN(len(codes))],
			Message: message[random.IntN(len(message))], Hint: hints[random.IntN(len(hints))],
		}
		for _, fix := range Fixes("g.yaml", src, f) {
			proposed++
			at := 0
			for _, e := range fix.Edits {
				if e.From < at || e.To < e.From || e.To > len(src) {
					t.Fatalf("%s of %v: %+v in %d bytes", fix.Title, f, fix.Edits, len(src))
				}
				at = e.To
			}
		}
	}
	if proposed < 100 {
		t.Errorf("%d fixes", proposed)
	}
}

// To make a text of a mapping that is not closed mends the syntax, but is surely not what was meant.
func TestQuotedMappingIsNotSure(t *testing.T) {
	for line, sure := range map[string]bool{"a: b: c": true, `a: {expr: "x}`: false, "a: [b": false} {
		f := config.Diagnostic{Pos: config.Pos{File: "g.yaml", Line: 1, Column: 1}, Code: "yaml-syntax", Hint: "quote it"}
		fixes := Fixes("g.yaml", []byte(line+"\n"), f)
		i := slices.IndexFunc(fixes, func(fix Fix) bool { return fix.Title == "Quote the value" })
		if i < 0 || fixes[i].Sure != sure {
			t.Errorf("%s: %+v", line, fixes)
		}
	}
}
