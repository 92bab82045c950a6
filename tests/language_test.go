package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// Each example of docs/language.md that is a whole file passes check without a finding.
func TestLanguageExamples(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join("..", "docs", "language.md"))
	if err != nil {
		t.Fatal(err)
	}
	toolgraph := testbin.Build(t, "toolgraph")
	examples := 0
	for _, block := range fencedBlock.FindAllStringSubmatch(string(src), -1) {
		if block[1] != "yaml" || !strings.HasPrefix(block[3], "version:") || strings.Contains(block[3], "…") {
			continue
		}
		examples++
		if got := checkFile(t, toolgraph, block[3], ""); got != "" {
			t.Errorf("%s\n%s", got, block[3])
		}
	}
	if examples < 7 {
		t.Errorf("only %d examples were checked", examples)
	}
}
