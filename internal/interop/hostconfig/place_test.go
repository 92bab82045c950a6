package hostconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolgraph/internal/base/files"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// appending returns a change that adds a text.
func appending(text string) func([]byte) ([]byte, error) {
	return func(src []byte) ([]byte, error) { return append(src[:len(src):len(src)], text...), nil }
}

// Writers at the same time wait for each other: nothing is lost, and each old file is kept.
func TestReplaceAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "0")
	const writers = 8
	var wait sync.WaitGroup
	for n := range writers {
		wait.Go(func() {
			if _, err := Replace(t.Context(), path, UserScope, files.LinksInside, appending(fmt.Sprint(n+1))); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	backups, err := filepath.Glob(path + ".*.bak")
	if got := content(t, path); err != nil || len(got) != writers+1 || len(backups) != writers {
		t.Errorf("%q with %d backups, %v", got, len(backups), err)
	}
}

// What another program writes meanwhile is not lost.
func TestReplaceChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	write(t, path, "a")
	calls := 0
	backup, err := Replace(t.Context(), path, UserScope, files.LinksInside, func(src []byte) ([]byte, error) {
		if calls++; calls == 1 {
			write(t, path, "theirs")
		}
		return append(src, '!'), nil
	})
	if err != nil || calls != 2 || content(t, path) != "theirs!" || content(t, backup) != "theirs" {
		t.Errorf("%d calls, %v, %s", calls, err, content(t, path))
	}
	created := filepath.Join(t.TempDir(), "deep", "f")
	if _, err = Replace(t.Context(), created, UserScope, files.LinksInside, func(src []byte) ([]byte, error) {
		if src == nil {
			write(t, created, "theirs")
		}
		return append(src, '!'), nil
	}); err != nil || content(t, created) != "theirs!" {
		t.Errorf("a file that appears meanwhile: %v, %s", err, content(t, created))
	}
	_, err = Replace(t.Context(), path, UserScope, files.LinksInside, func(src []byte) ([]byte, error) {
		write(t, path, string(src)+"x")
		return append(src, '!'), nil
	})
	backups, _ := filepath.Glob(path + ".*.bak")
	if !errors.Is(err, ErrBusy) || strings.HasSuffix(content(t, path), "!x!") || len(backups) != 1 {
		t.Errorf("a file that always changes: %v, %d backups", err, len(backups))
	}
}

func TestReplaceKeepsThePermissions(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	write(t, path, "a")
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink("f", link)); err != nil {
		t.Skip(err)
	}
	backup, err := Replace(t.Context(), link, UserScope, files.LinksInside, appending("b"))
	if err != nil || content(t, path) != "ab" || content(t, backup) != "a" {
		t.Errorf("%v, %s", err, content(t, path))
	}
	for _, file := range []string{path, backup} {
		if info, err := os.Lstat(file); err != nil || info.Mode().Perm()&0o077 != 0o040 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if backup, err := Replace(t.Context(), path, UserScope, files.LinksInside, appending("")); err != nil || backup != "" {
		t.Errorf("nothing to change: %q, %v", backup, err)
	}
}

// A file that should not be replaced stays, and no backup is left.
func TestReplaceRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"read-only":     {func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o400)) }, "is read-only; make it writable first"},
		"a hard link":   {func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Link(path, path+"2")) }, "has 2 names (hard links)"},
		"link to none":  {func(path string) error { return os.Symlink("nowhere", path) }, "leads nowhere"},
		"a directory":   {func(path string) error { return os.Mkdir(path, 0o700) }, "not a regular file"},
		"change refuse": {func(path string) error { return os.WriteFile(path, []byte("refuse"), 0o600) }, "refused"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		if err := c.make(path); err != nil {
			t.Skip(err)
		}
		before, _ := os.ReadDir(dir)
		_, err := Replace(t.Context(), path, UserScope, files.LinksInside, func(src []byte) ([]byte, error) {
			if string(src) == "refuse" {
				return nil, errors.New("refused")
			}
			return append(src, '!'), nil
		})
		after, _ := os.ReadDir(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(after) != len(before) {
			t.Errorf("%s: %v, %d files", name, err, len(after))
		}
	}
}
