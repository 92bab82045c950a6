package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each example of docs/language.md that is a whole file passes check without a finding.
func TestLanguageExamples(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join("..", "docs", "language.md"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []*checkedFile
	for _, block := range fencedBlock.FindAllStringSubmatch(string(src), -1) {
		if block[1] != "yaml" || !strings.HasPrefix(block[3], "version:") || strings.Contains(block[3], "…") {
			continue
		}
		examples = append(examples, &checkedFile{graph: block[3]})
	}
	checkFiles(t, examples)
	for _, example := range examples {
		if example.found != "" {
			t.Errorf("%s\n%s", example.found, example.graph)
		}
	}
	if len(examples) < 7 {
		t.Errorf("only %d examples were checked", len(examples))
	}
}
