package bundle_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolgraph/internal/interop/bundle"
)

// What a bundle cannot have is refused before it is read, with its reason.
func TestBounds(t *testing.T) {
	dir := write(t, map[string]string{"graph.yaml": graph(""), "inside.txt": "x", "many/0": "", "links/a": ""})
	if err := os.Symlink("../inside.txt", filepath.Join(dir, "links", "in")); err != nil {
		t.Skip(err)
	}
	large, err := os.Create(filepath.Join(dir, "large"))
	if err == nil {
		err = large.Truncate(1 << 40) // without blocks on the disk, and too large to read
	}
	if err != nil {
		t.Skip(err)
	}
	if err := large.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		if err := os.Link(filepath.Join(dir, "many", "0"), filepath.Join(dir, "many", "x"+strconv.Itoa(i))); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]string{
		"links": "is not a regular file", "large": "more than 512 MiB", "many": "more than 10000 files",
		"../" + filepath.Base(dir) + "/../x": "is not below", "/etc/hosts": "is not below",
	} {
		_, err := bundle.New(t.Context(), filepath.Join(dir, "graph.yaml"), bundle.Options{Include: []string{name}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--include %s gives %v, expected an error with %q", name, err, want)
		}
	}
}

// Equal input gives equal bytes: files are sorted, and have no time of their own.
func TestEqualBytes(t *testing.T) {
	files := map[string]string{"graph.yaml": graph("")}
	for i := range 20 {
		files["d/"+strconv.Itoa(i)] = "x"
	}
	dir := write(t, files)
	b, err := bundle.New(t.Context(), filepath.Join(dir, "graph.yaml"), bundle.Options{Include: []string{"d"}})
	if err != nil {
		t.Fatal(err)
	}
	archive, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if f.Modified.Year() != 1980 {
			t.Errorf("%s has the time %s", f.Name, f.Modified)
		}
	}
	if len(names) != 22 || !slices.IsSorted(names) {
		t.Errorf("the files are %v, expected 22 in order", names)
	}
}
