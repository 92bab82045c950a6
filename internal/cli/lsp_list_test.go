package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// Servers that start list their tools; the error says which do not, without secrets.
func TestListTools(t *testing.T) {
	t.Setenv("LIST_TOKEN", "s3cret-token-value")
	src := fmt.Sprintf(`version: "1.0"
server: {name: g, version: 1.0.0}
mcpServers:
  fake: {command: %q}
  gone:
    command: /does/not/exist
    args: ["${LIST_TOKEN}"]
tools:
  - {name: t, description: d, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
`, testbin.Build(t, "toolgraph/tests/fakeserver"))
	listed, err := listTools(t.Context(), filepath.Join(t.TempDir(), "graph.yaml"), []byte(src), "")
	if len(listed["fake"]) == 0 || listed["gone"] != nil {
		t.Errorf("got %v", listed)
	}
	if err == nil || !strings.Contains(err.Error(), "gone") || strings.Contains(err.Error(), "s3cret-token-value") {
		t.Errorf("got %v", err)
	}
}
