package hostconfig

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The name of a directory that looks like a key is none: the server answers with paths, and the model calls with them. What has the form
// of an issued key is one, and so is what looks like a key and is no part of a path that exists.
func TestPathsThatLookLikeKeys(t *testing.T) {
	const name = "AcmeBackend2024MigrationNotes7"
	dir := filepath.Join(t.TempDir(), name)
	key := filepath.Join(t.TempDir(), "ghp_canary0123456789abcdef")
	for _, path := range []string{dir, key} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if n := knownPath(dir + strings.Repeat("/a", longestPath)); n != 0 {
		t.Errorf("%d bytes of a path that no system has are looked up", n)
	}
	for arg, want := range map[string]int{
		dir: 0, "--root=" + dir: 0, key: 1, "--root=" + key: 1,
		filepath.Join(dir, "gone"): 0, filepath.Join(dir, name): 1, filepath.Join(key, "gone"): 1, name: 1, "--token=" + dir: 1,
	} {
		raw, err := json.Marshal(arg)
		if err != nil {
			t.Fatal(err)
		}
		src := fmt.Sprintf(`{"mcpServers": {"a": {"command": "x", "args": [%s]}}}`, raw)
		for _, keep := range []bool{false, true} {
			o := options("")
			o.Keep = keep
			file, err := NewReader(Find("cursor"), o).Read("f", []byte(src))
			if err != nil || len(file.Servers) != 1 || file.Servers[0].Entry == nil {
				t.Fatalf("%v %+v", err, file)
			}
			if got := file.Servers[0]; len(got.Set) != want || (want == 0) != !strings.Contains(got.Entry.Args[0], "${") {
				t.Errorf("%s: %q with the variables %+v", arg, got.Entry.Args, got.Set)
			}
		}
	}
}
