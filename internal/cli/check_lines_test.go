package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
)

func TestCheckLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.yaml")
	if err := os.WriteFile(path, []byte("a: 1\nö: $.list.entires\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := lines{}
	shown.note(checked{path: path}, &config.File{Path: path, Secrets: &config.Secrets{}})
	var out strings.Builder
	at := func(line, column int) config.Diagnostic {
		return config.Diagnostic{Pos: config.Pos{File: path, Line: line, Column: column}, Code: "c", Message: "m"}
	}
	if err := shown.write(&out, config.Diagnostics{at(2, 11), at(1, 5), at(9, 1), at(1, 40)}); err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(out.String(), path, "g.yaml")
	want := `g.yaml:2:11: m [c]
  ö: $.list.entires
            ^
g.yaml:1:5: m [c]
  a: 1
      ^
g.yaml:9:1: m [c]
g.yaml:1:40: m [c]
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
