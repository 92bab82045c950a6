package runtime

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"toolgraph/internal/project/registry"
)

// A file that takes a server from a registry is reloaded when a registry changes; for any other
// file, no registry is read.
func TestF29WatchedFiles(t *testing.T) {
	for entry, watched := range map[string]bool{"{registry: true}": true, "{command: x}": false} {
		f := Options{Graph: filepath.Join(t.TempDir(), "g.yaml")}
		src := "version: '1.0'\nserver: {name: g, version: 1.0.0}\nmcpServers: {s: " + entry + "}\n"
		if err := os.WriteFile(f.Graph, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, path := range registry.Paths(f.Graph) {
			if slices.Contains(f.Files(), path) != watched {
				t.Errorf("%s: watched are %v", entry, f.Files())
			}
		}
	}
}
