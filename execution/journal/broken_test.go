package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"toolgraph/execution/journal"
)

// TestS12KeptRuns: only the user of the process can read the store, and other users cannot
// replace its files.
func TestS12KeptRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	dir := filepath.Join(t.TempDir(), "state")
	s := openAt(t, dir, journal.Options{})
	write(t, s.Journal(nil, journal.About{}), "RUN", decode(t, `{}`), "out")
	if _, err := s.List(t.Context(), journal.Filter{}); err != nil {
		t.Fatal(err)
	}
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = fs.ModeDir | 0o700
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		names = append(names, filepath.Base(path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(names, " "); !strings.Contains(all, "history.db history.db-shm history.db-wal live") {
		t.Error(all)
	}

	target := filepath.Join(t.TempDir(), "target")
	linked := t.TempDir()
	if err := os.Symlink(target, filepath.Join(linked, "history.db")); err != nil {
		t.Fatal(err)
	}
	refused(t, linked, "is a link, expected a file")
	if _, err := os.Lstat(target); err == nil {
		t.Error("the link was followed")
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	refused(t, open, "other users could change the runs there")
}

// refused checks a store that cannot be used: one warning says why, durable runs fail, and other
// runs go on.
func refused(t *testing.T, dir, why string) {
	t.Helper()
	var log bytes.Buffer
	s, err := journal.Open(dir, journal.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	j := s.Journal(nil, journal.About{})
	write(t, j, "RUN1", nil, "out")
	write(t, j, "RUN2", nil, "out")
	appendAll(t, j, append(events("RUN3", nil, "out")[:2], unsafe("RUN3", 1))) // a call of a run that is not recorded
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("the error: %v", err)
	}
	if n := strings.Count(log.String(), "run history is disabled"); n != 1 || !strings.Contains(log.String(), why) {
		t.Errorf("%d warnings: %s", n, log.String())
	}
	s = openAt(t, dir, journal.Options{Durable: true})
	if err := s.Journal(nil, journal.About{}).Append(t.Context(), events("RUN3", nil, nil)[0]); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("durable: %v", err)
	}
	_ = s.Close() // returns the same error
}

// A file that is not a store, a damaged store and one of a newer version harm no run.
func TestUnusableStores(t *testing.T) {
	fill := func(content string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "history.db"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	refused(t, fill(strings.Repeat("this is no database ", 500)), "is damaged")

	newer := filepath.Join(t.TempDir(), "newer")
	s := openAt(t, newer, journal.Options{})
	write(t, s.Journal(nil, journal.About{}), "RUN", nil, "out")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := journal.Raw(filepath.Join(newer, "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	refused(t, newer, "recorded by a newer toolgraph (version 99")
}

// A directory that is a file is no store, and a store that is not there has no runs.
func TestNoStore(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "none"), journal.Options{})
	if runs, err := s.List(t.Context(), journal.Filter{}); err != nil || len(runs) != 0 {
		t.Error(runs, err)
	}
	if _, err := s.Run(t.Context(), "last"); !errors.Is(err, journal.ErrNotFound) || err.Error() != "no runs are recorded yet" {
		t.Error(err)
	}
	if n, err := s.Delete(t.Context(), "X"); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("looking has made a directory")
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, filepath.Join(dir, "file"), journal.Options{})
	if _, err := s.List(t.Context(), journal.Filter{}); err == nil || !strings.Contains(err.Error(), "is a file, expected a directory") {
		t.Error(err)
	}
}

// X07: while nothing can be recorded, the warning names the runs that are refused and those that go on,
// and that is what happens.
func TestX07WarningNamesRefusedRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "history.db"), []byte(strings.Repeat("this is no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := journal.Open(dir, journal.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	j := s.Journal(nil, journal.About{})
	once := events("ONCE", nil, "out")[0]
	once.Sync = true
	if err := j.Append(t.Context(), once); !errors.Is(err, journal.ErrNotBegun) {
		t.Errorf("a run that happens once gives %v", err)
	}
	write(t, j, "OTHER", nil, "out")
	_ = s.Close() // returns why nothing was recorded
	for _, want := range []string{"calls with a key", "not safe to repeat, are refused", "other runs go on without a record"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
	if strings.Contains(log.String(), "not affected") {
		t.Error(&log)
	}
}
