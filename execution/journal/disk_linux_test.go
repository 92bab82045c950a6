package journal

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a file system of its own.
func smallDisk(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, options); err != nil {
		t.Skip("no file system can be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "state")
}

// free is how many bytes are left on a disk.
func free(t *testing.T, dir string) int64 {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	return int64(s.Bavail) * s.Bsize
}

// fillDisk takes all that is left beside a store. A store that is open may free something meanwhile,
// when it has written its log to the database.
func fillDisk(t *testing.T, dir string) {
	t.Helper()
	rest, err := os.Create(filepath.Join(filepath.Dir(dir), "rest"))
	if err != nil {
		t.Fatal(err)
	}
	for filled := false; !filled; filled = free(t, dir) == 0 {
		if _, err := io.CopyN(rest, zeros{}, 1<<30); err == nil {
			t.Fatal("the disk is not full")
		}
	}
	if err := rest.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestV14FullDisk: on a disk without a byte left, runs can be listed and deleted, which
// frees space, and then they are recorded again. So it is also while another process has
// the store open.
func TestV14FullDisk(t *testing.T) {
	for _, alive := range []bool{false, true} {
		dir := smallDisk(t, "size=12m,mode=700")
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, s, 200, 60)
		s.writer.flush()
		if alive {
			defer s.Close()
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fillDisk(t, dir)
		other, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		runs, err := other.List(t.Context(), Filter{Limit: -1})
		if err != nil || len(runs) != 201 {
			t.Fatalf("alive %t: %d runs, %v", alive, len(runs), err)
		}
		ids := make([]string, len(runs))
		for i, r := range runs {
			ids[i] = r.ID
		}
		if n, err := other.Delete(t.Context(), ids...); n != 201 || err != nil {
			t.Errorf("alive %t: %d deleted, %v", alive, n, err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
		if n := free(t, dir); n < 1<<20 {
			t.Errorf("alive %t: %d bytes are free", alive, n)
		}
		again, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		fill(t, again, 1, 0)
		if runs, err := again.List(t.Context(), Filter{}); err != nil || len(runs) != 2 {
			t.Errorf("alive %t: %d runs, %v", alive, len(runs), err)
		}
	}
}

// TestV14ReadOnly: what cannot be written can be looked at; runs go on and are not recorded.
func TestV14ReadOnly(t *testing.T) {
	for _, alive := range []bool{false, true} {
		var dir string
		if os.Geteuid() == 0 { // for whom modes are nothing
			if alive { // a disk with files that are open for writing is not made read-only
				continue
			}
			dir = smallDisk(t, "size=12m,mode=700")
		} else {
			dir = filepath.Join(t.TempDir(), "state")
		}
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, s, 3, 0)
		s.writer.flush()
		if alive { // what is in the log is read with its index
			defer s.Close()
		} else if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fix(t, dir)
		var log bytes.Buffer
		other, err := Open(dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		runs, err := other.List(t.Context(), Filter{Limit: -1})
		if err != nil || len(runs) != 4 {
			t.Errorf("alive %t: %d runs, %v", alive, len(runs), err)
		}
		if all, err := other.Load(t.Context(), "SHORT0001"); err != nil || len(all) != 3 {
			t.Errorf("alive %t: %d events, %v", alive, len(all), err)
		}
		if _, err := other.Delete(t.Context(), "SHORT0001"); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("alive %t: deleted: %v", alive, err)
		}
		fill(t, other, 1, 0)
		if err := other.Close(); err == nil || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("alive %t: %v, log: %s", alive, err, log.String())
		}
	}
}

// fix makes a directory read-only until the test ends.
func fix(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() == 0 {
		if err := syscall.Mount("none", filepath.Dir(dir), "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		return
	}
	modes := map[string]os.FileMode{dir: 0o500, filepath.Join(dir, "live"): 0o500}
	for _, name := range []string{"history.db", "history.db-wal", "history.db-shm"} {
		modes[filepath.Join(dir, name)] = 0o400
	}
	for path, mode := range modes {
		if _, err := os.Stat(path); err == nil {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() {
		for _, path := range []string{dir, filepath.Join(dir, "live")} {
			if err := os.Chmod(path, 0o700); err != nil {
				t.Error(err)
			}
		}
	})
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// On a full disk runs can be listed although packed ones cannot be unpacked: these are seen again when
// there is room.
func TestFullDiskWithPacks(t *testing.T) {
	dir := smallDisk(t, "size=12m,mode=700")
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fill(t, s, 5, 5)
	s.writer.flush()
	all := rowsOf(t, s, "runs")
	packed := many(t)
	all += len(packed)
	together(t, s, packed...)
	packs := rowsOf(t, s, "packs")
	fillDisk(t, dir)
	for range 2 {
		runs, err := s.List(t.Context(), Filter{Limit: -1})
		if err != nil || packs == 0 || len(runs) >= all {
			t.Fatalf("%d runs in %d packs and rows, %v", len(runs), packs, err)
		}
	}
	if err := os.Remove(filepath.Join(filepath.Dir(dir), "rest")); err != nil {
		t.Fatal(err)
	}
	if runs, err := s.List(t.Context(), Filter{Limit: -1}); err != nil || len(runs) != all {
		t.Errorf("%d runs of %d, %v", len(runs), all, err)
	}
}
