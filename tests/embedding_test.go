package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// The program of docs/embedding.md is tests/embedding/main.go, and does what the page says.
func TestEmbedding(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "docs", "embedding.md"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join("embedding", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("```go\n"+string(program)+"```\n")) {
		t.Error("docs/embedding.md does not have the text of tests/embedding/main.go")
	}
	bin := filepath.Dir(testbin.Build(t, "toolgraph")) // the example's server is the program itself
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph/tests/embedding"),
		"examples/02-largest-files.yaml", "largest_files", `{"directory": "data", "top": 1}`)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if !strings.HasPrefix(string(out), `{"files":[{"name":`) {
		t.Errorf("the program printed %s", out)
	}
}
