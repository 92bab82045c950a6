package names

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onDisk are the files as they are.
func onDisk() Files {
	return Files{
		Read: func(path string) ([]byte, bool) {
			text, err := os.ReadFile(path)
			return text, err == nil
		},
		List: func(dir string) (names []string) {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		},
	}
}

// shown returns the names of a file as "line:column kind tool/in.name", with = for definitions.
func shown(x *Index, path string) string {
	var b strings.Builder
	for _, o := range x.In(path) {
		before := string(x.texts[path][:o.From])
		line := 1 + strings.Count(before, "\n")
		column := len(before) - strings.LastIndexByte(before, '\n')
		mark := ""
		if o.Definition {
			mark = " ="
		}
		owner := ""
		if o.File != path {
			owner = filepath.Base(o.File) + " "
		}
		for _, part := range []string{o.Tool, o.In} {
			if part != "" {
				owner += part + "/"
			}
		}
		fmt.Fprintf(&b, "%d:%d %s %s%s%s\n", line, column, o.Kind, owner, x.texts[path][o.From:o.To], mark)
		if got := string(x.texts[path][o.From:o.To]); got != o.Name.Name {
			fmt.Fprintf(&b, "WRONG: %q\n", o.Name.Name)
		}
	}
	return b.String()
}

func TestNames(t *testing.T) {
	dir := "testdata/all"
	var golden strings.Builder
	sources := Gather(filepath.Join(dir, "graph.yaml"), onDisk())
	x := Read(sources)
	for _, path := range sortedKeys(x.texts) {
		golden.WriteString("--- " + filepath.Base(path) + "\n" + shown(x, path))
	}
	for _, u := range x.unclear {
		fmt.Fprintf(&golden, "unclear %s %s %s\n", u.Tool, u.Pos, u.Why)
	}
	const path = "testdata/all.golden"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(golden.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || golden.String() != string(want) {
		t.Errorf("names differ from %s (%v):\n%s", path, err, golden.String())
	}
	// Whichever of the files one begins at, all are found.
	all := slices.Sorted(slices.Values(sortedKeys(x.texts)))
	for _, path := range all {
		found := sortedKeys(Read(Gather(path, onDisk())).texts)
		if !slices.Equal(found, all) {
			t.Errorf("from %s: %v, want %v", path, found, all)
		}
	}
}
