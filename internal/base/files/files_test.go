package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := Write(link, []byte("x"), 0o600, LinksInside); err == nil || !strings.Contains(err.Error(), "link.yaml leads nowhere") {
		t.Errorf("a link to nothing gives %v", err)
	}
	wrote := func(to, content string, mode fs.FileMode) {
		t.Helper()
		if err := Write(to, []byte(content), 0o640, LinksInside); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: mode %v, %v", content, info.Mode(), err)
		}
		if src, err := os.ReadFile(path); err != nil || string(src) != content {
			t.Errorf("written %s, %v", src, err)
		}
	}
	wrote(path, "fresh", 0o640)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	wrote(link, "again", 0o400)
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if err := Write(dir, nil, 0o600, LinksInside); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a directory gives %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

// A replaced file has the mode that is asked for, and a link is replaced itself.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := Replace(link, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if src, err := os.ReadFile(real); err != nil || string(src) != "old" {
		t.Errorf("the link's file is %q, %v", src, err)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	for name, lock := range map[string]func(context.Context) (func(), error){
		"file":      func(ctx context.Context) (func(), error) { return LockFile(ctx, filepath.Join(dir, "x.lock")) },
		"directory": func(ctx context.Context) (func(), error) { return LockDir(ctx, dir) },
	} {
		t.Run(name, func(t *testing.T) {
			release, err := lock(t.Context())
			if errors.Is(err, ErrNoLocks) {
				t.Skip("no locks here")
			}
			if err != nil {
				t.Fatal(err)
			}
			enough := errors.New("enough")
			ctx, stop := context.WithCancelCause(t.Context())
			waited := make(chan error, 1)
			go func() {
				_, err := lock(ctx)
				waited <- err
			}()
			select {
			case err := <-waited:
				t.Fatalf("the second lock gives %v while the first is held", err)
			case <-time.After(20 * time.Millisecond):
			}
			stop(enough)
			if err := <-waited; !errors.Is(err, enough) {
				t.Errorf("a wait that ends gives %v", err)
			}
			release()
			again, err := lock(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			again()
		})
	}
	if _, err := LockDir(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that does not exist gives %v", err)
	}
}

// A link in the place of the lock file is not followed.
func TestLockRefusesLinks(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "x.lock")
	if NoFollow == 0 || os.Symlink("elsewhere", link) != nil {
		t.Skip("no links to refuse here")
	}
	if release, err := LockFile(t.Context(), link); err == nil {
		release()
		t.Error("the link was followed")
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("behind the link: %v", err)
	}
}
