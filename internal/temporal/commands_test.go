package temporal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What makes runs imports internal/runtime; only the commands of this program import internal/cli.
func TestRunsNeedNoCommandLine(t *testing.T) {
	commands := []string{"command.go", "schedule.go", "schedule_show.go", "schedule_spec.go", "serve.go", "worker.go"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if imports := strings.Contains(string(src), `"toolgraph/internal/cli"`); imports != slices.Contains(commands, file) {
			t.Errorf("%s imports internal/cli: %v, expected %v", file, imports, !imports)
		}
	}
}
