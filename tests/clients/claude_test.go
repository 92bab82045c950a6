package clients

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const claudePackage = "@anthropic-ai/claude-code@2.1.332"

// Claude Code reaches the program and says so; no key is needed for that.
func TestClaudeCodeConnects(t *testing.T) {
	s := newSurroundings(t)
	modules := modules(t, claudePackage)
	home := t.TempDir()
	claude := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs")}, args...)...)
		cmd.Dir = s.examples
		cmd.Env = append(slices.Clip(s.env), "HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("claude %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	claude("mcp", "add", "--scope", "user", "count-files", "--", s.binary, "-g", filepath.Join(s.examples, "01-count-files.yaml"))
	if out := claude("mcp", "list"); !strings.Contains(out, "count-files:") || !strings.Contains(out, "Connected") {
		t.Errorf("claude mcp list says %s", out)
	}
}
