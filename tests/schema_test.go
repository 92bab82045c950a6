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

// The schemas in docs/ are those that the program prints. UPDATE_GOLDEN=1 writes them.
func TestSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	schemaIsCurrent(t, "toolgraph.schema.json", "schema")
	schemaIsCurrent(t, "toolgraph-test.schema.json", "schema", "--tests")
}

func schemaIsCurrent(t *testing.T, name string, args ...string) {
	t.Helper()
	path := filepath.Join("..", "docs", name)
	want, err := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what toolgraph %s prints; UPDATE_GOLDEN=1 writes it", path, strings.Join(args, " "))
	}
}

const modeline = "# yaml-language-server: $schema="

// Every example names its schema for editors, and the file exists.
func TestExamplesNameTheirSchema(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob(filepath.Join("..", "examples", "*.yaml"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, path := range examples {
		if strings.HasSuffix(path, ".test.yaml") {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(src), "\n")
		schema, found := strings.CutPrefix(first, modeline)
		if !found {
			t.Errorf("%s begins with %q, expected %sPATH", path, first, modeline)
			continue
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), schema)); err != nil {
			t.Errorf("%s names the schema %s, which is not there", path, schema)
		}
	}
}
