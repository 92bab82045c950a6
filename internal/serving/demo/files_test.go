package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes a directory with files and opens it.
func tree(t *testing.T) *Files {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "alpha", "sub/b.md": "beta", "sub/deep/c.txt": "gamma", ".hidden/d.txt": "delta", "latin.txt": "caf\xe9",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	files, err := Open(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	return files
}

func names(l Listing) string {
	var all []string
	for _, e := range l.Entries {
		all = append(all, e.Name+":"+e.Type)
	}
	return strings.Join(all, " ")
}

func TestListDirectory(t *testing.T) {
	files := tree(t)
	for _, c := range []struct{ path, want string }{
		{".", ".hidden:directory a.txt:file latin.txt:file out:other sub:directory"},
		{"", ".hidden:directory a.txt:file latin.txt:file out:other sub:directory"},
		{"/sub/", "b.md:file deep:directory"},
		{"../../sub", "b.md:file deep:directory"},
	} {
		got, err := files.ListDirectory(c.path)
		if err != nil || names(got) != c.want {
			t.Errorf("%q: got %s, %v, want %s", c.path, names(got), err, c.want)
		}
	}
}

func TestFindFiles(t *testing.T) {
	files := tree(t)
	for _, c := range []struct{ path, pattern, want string }{
		{".", "*.txt", "a.txt:file latin.txt:file sub/deep/c.txt:file"},
		{"sub", "", "b.md:file deep/c.txt:file"},
		{".hidden", "", "d.txt:file"},
		{"sub", "*.go", ""},
	} {
		got, err := files.FindFiles(c.path, c.pattern)
		if err != nil || names(got) != c.want {
			t.Errorf("%q %q: got %s, %v, want %s", c.path, c.pattern, names(got), err, c.want)
		}
	}
	if _, err := files.FindFiles(".", "["); err == nil {
		t.Error("a broken pattern was taken")
	}
}

func TestReadFile(t *testing.T) {
	files := tree(t)
	if got, err := files.ReadFile("sub/b.md"); err != nil || got.Content != "beta" || got.Size != 4 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := files.ReadFile("latin.txt"); err != nil || got.Content != "caf\uFFFD" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// No path and no link leads out of the directory, and an error names the path as asked.
func TestConfined(t *testing.T) {
	files := tree(t)
	for _, path := range []string{"out/passwd", "missing.txt", "sub"} {
		if got, err := files.ReadFile(path); err == nil || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: got %.20q, %v", path, got.Content, err)
		}
	}
	if _, err := files.ListDirectory("out"); err == nil {
		t.Error("a link out of the directory was followed")
	}
}
