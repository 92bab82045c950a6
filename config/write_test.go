package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml")
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := WriteFile(link, []byte("x"), 0o600); err == nil || !strings.Contains(err.Error(), "link.yaml is a symbolic link that leads nowhere") {
		t.Errorf("a link to nothing gives %v", err)
	}
	wrote := func(to, content string, mode fs.FileMode) {
		t.Helper()
		if err := WriteFile(to, []byte(content), 0o640); err != nil {
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
	if err := WriteFile(dir, nil, 0o600); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Errorf("a directory gives %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}
