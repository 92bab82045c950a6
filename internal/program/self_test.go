package program

import (
	"os"
	"path/filepath"
	"testing"
)

// Servers whose command is toolgraph are not started as the program that makes the runs.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "toolgraph-temporal")
	if path, err := beside(other); err == nil {
		t.Error("found", path)
	}
	for _, name := range []string{"toolgraph", "toolgraph.exe"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if path, err := beside(other); err != nil || filepath.Dir(path) != dir || path == other {
		t.Error(path, err)
	}
}
