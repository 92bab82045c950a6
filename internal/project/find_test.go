package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
)

const aGraph = "server: {name: g, version: 1.0.0}\ntools: []\n"

// tree writes files into a new directory and makes it the current one.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFind(t *testing.T) {
	tree(t, map[string]string{
		"d/b.yaml": aGraph, "d/a.yml": aGraph, "d/sub/c.yaml": aGraph, "d/d.txt": aGraph,
		"d/.git/e.yaml": aGraph, "d/node_modules/f.yaml": aGraph,
		"d/a.lock.yaml": aGraph, "d/compose.yaml": "version: 3\nservices: {}\n",
		"d/large.yaml":   aGraph + strings.Repeat("# long\n", config.MaxFileBytes/7),
		".hidden/g.yaml": aGraph, "named.txt": "no graph",
	})
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"d/loop": "..", "d/z.yaml": "b.yaml", "d/gone.yaml": "nowhere", "d/dir.yaml": "sub", "link": "d/sub"} {
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
		}
	}
	others := map[string]string{".lock.yaml": "lock file"}
	for _, c := range []struct{ paths, files, why string }{
		{"d", "d/a.yml d/b.yaml d/sub/c.yaml d/z.yaml", "larger than 1 MiB: 1, lock file: 1, not a file: 2, not a graph file: 1"},
		{"d/sub d/b.yaml d/../d/b.yaml d/sub/", "d/sub/c.yaml d/b.yaml", ""},
		{".hidden", ".hidden/g.yaml", ""},
		{"named.txt gone.yaml", "named.txt gone.yaml", ""},
		{"d/a.lock.yaml d/compose.yaml", "d/compose.yaml", "lock file: 1"},
		{"link", "link/c.yaml", ""},
	} {
		if runtime.GOOS == "windows" && (c.paths == "d" || c.paths == "link") {
			continue // it needs links
		}
		found, err := Find(t.Context(), others, strings.Fields(c.paths)...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range found.Files {
			found.Files[i] = filepath.ToSlash(found.Files[i])
		}
		if got := strings.Join(found.Files, " "); got != c.files || found.Why() != c.why {
			t.Errorf("%s:\ngot  %s; skipped %s\nwant %s; skipped %s", c.paths, got, found.Why(), c.files, c.why)
		}
	}
}

// A search visits a bounded number of entries and ends with its context.
func TestFindIsBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("d/%02d.txt", i)] = ""
	}
	tree(t, files)
	f := &finder{most: 10, seen: map[string]bool{}}
	if err := f.find(t.Context(), []string{"d"}); err == nil || !strings.Contains(err.Error(), "has more than 10 files and directories") || f.entries != 11 {
		t.Errorf("after %d entries: %v", f.entries, err)
	}
	f = &finder{most: 21, seen: map[string]bool{}}
	if err := f.find(t.Context(), []string{"d"}); err != nil {
		t.Error(err)
	}
	ended := errors.New("ended")
	ctx, end := context.WithCancelCause(t.Context())
	end(ended)
	if _, err := Find(ctx, nil, "d"); !errors.Is(err, ended) {
		t.Errorf("an ended context: %v", err)
	}
}

// A file with errors is returned with them as far as it was understood, and only then.
func TestLoadGivesWhatIsUnderstood(t *testing.T) {
	const unset = "server: {name: g, version: 1.0.0}\nmcpServers: {s: {command: x, env: {A: \"${NO_SUCH}\"}}}\n"
	for _, c := range []struct {
		src     string
		servers []string // nil: there is no project
	}{
		{unset, []string{"s"}},
		{unset + "tools: [{name: t, description: d, nodes: [{id: a, type: entry, next: b}]}]\n", []string{"s"}},
		{"a: [", nil},
		{"other: file\n", nil},
	} {
		p, err := Parse(t.Context(), "g.yaml", []byte(c.src), config.Options{})
		var found config.Diagnostics
		if !errors.As(err, &found) {
			t.Fatalf("%q: %v, expected diagnostics", c.src, err)
		}
		var servers []string
		if p != nil {
			for _, u := range p.File.Servers {
				servers = append(servers, u.Name.Value)
			}
		}
		if !slices.Equal(servers, c.servers) || (p != nil) != (c.servers != nil) {
			t.Errorf("%q: servers %q, want %q", c.src, servers, c.servers)
		}
	}
}
