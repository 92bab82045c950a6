package files

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// X05: a link is followed as Links says: below its own directory, wherever it leads, or not at all.
func TestX05Links(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"in": "real", "deep": "sub/real", "absolute": filepath.Join(dir, "real"), "chain": "in",
		"up": "../outside", "away": filepath.Join(top, "outside"), "far": "up", "beside": "../dir2/real",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	if err := os.Mkdir(filepath.Join(top, "dir2"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"dir/real", "dir/sub/real", "outside", "dir2/real"} {
		if err := os.WriteFile(filepath.Join(top, path), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, inside := range map[string]bool{
		"real": true, "fresh": true, "in": true, "deep": true, "absolute": true, "chain": true,
		"up": false, "away": false, "far": false, "beside": false,
	} {
		path := filepath.Join(dir, link)
		_, err := os.Readlink(path)
		isLink := err == nil
		for links, want := range map[Links]bool{LinksInside: inside, NoLinks: !isLink, AnyLinks: true} {
			err := Write(path, []byte(link), 0o600, links)
			var refused *LinkError
			if (err == nil) != want || err != nil && (!errors.As(err, &refused) || refused.Path != path) {
				t.Errorf("%s with %d gives %v", link, links, err)
			}
			if got := links.Check(path); (got == nil) != (err == nil) {
				t.Errorf("%s with %d: Check gives %v, Write %v", link, links, got, err)
			}
		}
	}
}

// X05: a directory on the way to a file that no command line names does not lead out either.
func TestX05CheckInside(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "dir")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o700), os.Symlink("sub", filepath.Join(dir, "in")), os.Symlink("..", filepath.Join(dir, "out"))); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]bool{"f": true, "sub/f": true, "in/f": true, "none/x/f": true, "out/f": false, "out/x/f": false} {
		if err := CheckInside(dir, filepath.Join(dir, path)); (err == nil) != want {
			t.Errorf("%s gives %v", path, err)
		}
	}
}

// X05: nothing in the product writes a file but through this package, or without following a link.
func TestX05OneMechanism(t *testing.T) {
	writes := regexp.MustCompile(`\bos\.(WriteFile|Create|OpenFile|Rename)\(.*`)
	safe := regexp.MustCompile(`O_EXCL|NoFollow|O_RDONLY`)
	known := []string{
		"internal/cli/test_report.go",        // devices
		"internal/cli/mcp_import.go",         // a copy below a new temporary directory
		"internal/telemetry/audit/rotate.go", // renames its own files, which replaces a link
	}
	root := filepath.Join("..", "..", "..")
	for _, room := range []string{"config", "graph", "expressions", "execution", "mcpclient", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d os.DirEntry, err error) error {
			name, _ := filepath.Rel(root, path)
			name = filepath.ToSlash(name)
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"internal/base/files", "internal/tools/release", "internal/tools/bench", "internal/temporal"}, name):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || slices.Contains(known, name):
				return nil
			}
			src, err := os.ReadFile(path)
			for _, line := range writes.FindAllString(string(src), -1) {
				if !safe.MatchString(line) {
					t.Errorf("%s: %s: write it with this package", name, line)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
