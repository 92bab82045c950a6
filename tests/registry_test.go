package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"toolgraph/tests/testbin"
)

// Processes that add servers to one registry at the same time keep all of them.
func TestF29AddsAtOnceKeepEach(t *testing.T) {
	const processes = 12
	toolgraph := testbin.Build(t, "toolgraph")
	home := t.TempDir()
	var waiting sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(toolgraph, "mcp", "add", fmt.Sprintf("s%d", i), "--project", "--", "run", "x")
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home}
		waiting.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	waiting.Wait()
	raw, err := os.ReadFile(filepath.Join(home, ".toolgraph", "servers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var has struct{ MCPServers map[string]any }
	if err := json.Unmarshal(raw, &has); err != nil || len(has.MCPServers) != processes {
		t.Errorf("%d of %d servers are in it, %v\n%s", len(has.MCPServers), processes, err, raw)
	}
}
