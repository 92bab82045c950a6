package graph

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
)

// each runs check on every graph file of a folder of testdata.
func each(t *testing.T, dir string, check func(t *testing.T, path, out string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files in testdata/%s (%v)", dir, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			check(t, filepath.ToSlash(path), strings.TrimSuffix(path, ".yaml")+".out")
		})
	}
}

// Files that are refused: every finding, at its place.
func TestErrFiles(t *testing.T) {
	each(t, "err", func(t *testing.T, path, out string) {
		f, err := config.Load(path, config.Options{})
		if err != nil {
			t.Fatalf("the loader refuses it before Build: %v", err)
		}
		_, found, _ := Build(t.Context(), f)
		if found.Err() == nil {
			t.Error("it was accepted")
		}
		checkGolden(t, out, found.Error()+"\n")
	})
}

// Files that are used: the warnings, then what was understood.
func TestOKFiles(t *testing.T) {
	each(t, "ok", func(t *testing.T, path, out string) {
		f, err := config.Load(path, config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		graphs, found, _ := Build(t.Context(), f)
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, d := range found {
			b.WriteString(d.String() + "\n")
		}
		for _, g := range graphs {
			b.WriteString(JSON(g))
		}
		checkGolden(t, out, b.String())
	})
}

// Comments, quotes and folding are no meaning.
func TestHashOfFilesIgnoresFormatting(t *testing.T) {
	forms := []string{
		`server: {name: s, version: "1"}
tools:
  - name: t
    inputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: a}
      - {id: a, type: transform, transform: {expr: "entry.x"}, next: exit}
      - {id: exit, type: exit}
`, `# a comment
server:
  name: other
  version: "2"
tools:
  - nodes:
      - type: entry # where it begins
        id: 'entry'
        next: "a"

      - type: exit
        id: exit
      - id: a
        type: transform
        transform:
          expr: |
            entry.x
        next: exit
    description: a text
    inputSchema:
      type: object
    name: t
`,
	}
	var hashes []string
	for _, src := range forms {
		f, err := config.Parse("g.yaml", []byte(src), config.Options{})
		if err != nil {
			t.Fatal(err)
		}
		graphs, found, _ := Build(t.Context(), f)
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, graphs[0].Hash)
	}
	if hashes[0] != hashes[1] {
		t.Errorf("hashes %v", hashes)
	}
}

// FuzzBuild holds that no file that can be parsed harms Build, that what it finds
// has a place and a code, and that what it builds can be drawn.
func FuzzBuild(f *testing.F) {
	for _, dir := range []string{"ok", "err"} {
		paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			f.Add(readFile(f, path))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := config.Parse("g.yaml", src, config.Options{LookupEnv: func(string) (string, bool) { return "", false }})
		if err != nil {
			var found config.Diagnostics
			if !errors.As(err, &found) {
				t.Fatalf("error %T: %v", err, err)
			}
			return
		}
		graphs, found, _ := Build(t.Context(), file)
		for _, d := range found {
			if !d.Pos.IsValid() || d.Code == "" || d.Message == "" {
				t.Fatalf("finding %+v", d)
			}
		}
		for _, g := range graphs {
			_, _, _ = Mermaid(g), DOT(g), JSON(g)
		}
	})
}
