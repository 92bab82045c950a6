package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxLines is the most lines of a Go file, which is about one topic. A longer one is split by topic.
const maxLines = 400

func TestFilesAreSmall(t *testing.T) {
	t.Parallel()
	for _, path := range goFiles(t) {
		src, err := os.ReadFile(filepath.Join("..", path))
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(src, []byte("\n")); lines > maxLines {
			t.Errorf("%s has %d lines, at most %d are allowed", path, lines, maxLines)
		}
	}
}

// goFiles are the Go files below the project's root. The test is skipped outside a
// git checkout.
func goFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "*.go")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("not a git checkout: %v", err)
	}
	return strings.Fields(string(out))
}
