package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// listing has the files below a directory, with their modes and times, but the memory that SQLite's readers
// and writers share.
func listing(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-shm") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all = append(all, path+" "+info.Mode().String()+" "+info.ModTime().String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A store that is opened for reading alone leaves everything as it is: no run of a dead process is marked, no
// mode is changed, nothing is created.
func TestReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	s := openAt(t, dir, journal.Options{ReadOnly: true})
	if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("where there is no store: %v %v", runs, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory was created: %v", err)
	}
	if err := act(t, dir, "killed-late"); err == nil {
		t.Fatal("the process was not killed")
	}
	if err := os.Chmod(filepath.Join(dir, "history.db"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	s = openAt(t, dir, journal.Options{ReadOnly: true})
	r, err := s.Run(t.Context(), "KILLED")
	if err != nil || r.Status != journal.Running || r.Steps != 2 {
		t.Errorf("%+v %v", r, err)
	}
	if h, err := s.History(t.Context(), "KILLED"); err != nil || h.Len() != 2 {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("files were changed:\n%q\n%q", before, after)
	}
}
