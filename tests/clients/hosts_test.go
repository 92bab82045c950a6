package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The hosts that npm has, which list the servers of their own files.
const (
	geminiPackage   = "@google/gemini-cli@0.61.0"
	opencodePackage = "opencode-ai@1.18.33"
	codexPackage    = "@openai/codex@0.169.0"
)

// Each host reads what config --write has put into its file, and connects where it can do so without
// a key. Run twice, it changes nothing.
func TestHostsReadTheirFiles(t *testing.T) {
	s := newSurroundings(t)
	modules := modules(t, claudePackage, geminiPackage, opencodePackage, codexPackage, newerNodePackage)
	bin := func(name string) []string { return []string{filepath.Join(modules, ".bin", name)} }
	node := filepath.Join(modules, "node", "bin")
	claude := []string{filepath.Join(node, "node"), filepath.Join(modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs")}
	gemini, opencode, codex := bin("gemini"), bin("opencode"), bin("codex")
	for _, c := range []struct {
		host, scope string
		command     []string
		want        string
	}{
		{"claude-code", "user", claude, "Connected"},
		{"claude-code", "project", claude, "Pending approval"},
		{"gemini", "user", gemini, "Connected"},
		{"gemini", "project", gemini, "Connected"},
		{"opencode", "user", opencode, "connected"},
		{"opencode", "project", opencode, "connected"},
		{"codex", "user", codex, "enabled"},
	} {
		t.Run(c.host+"/"+c.scope, func(t *testing.T) {
			home := t.TempDir()
			project := filepath.Join(home, "project")
			if err := os.Mkdir(project, 0o700); err != nil {
				t.Fatal(err)
			}
			run := func(words ...string) string {
				path := node + string(filepath.ListSeparator) + os.Getenv("PATH")
				env := append(slices.Clip(s.env), "PATH="+path, "HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true", "CODEX_HOME="+filepath.Join(home, ".codex"))
				for _, dir := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
					env = append(env, "XDG_"+dir+"_HOME="+filepath.Join(home, "xdg", strings.ToLower(dir)))
				}
				cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
				cmd.Dir, cmd.Env = project, env
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", words, err, out)
				}
				return string(out)
			}
			config := []string{s.binary, "config", c.host, filepath.Join(s.examples, "01-count-files.yaml"), "--scope", c.scope, "--write"}
			run(config...)
			if out := run(append(slices.Clip(c.command), "mcp", "list")...); !strings.Contains(out, "count-files") || !strings.Contains(out, c.want) {
				t.Errorf("%v mcp list prints %s", c.command, out)
			}
			if out := run(config...); !strings.Contains(out, "nothing changes") {
				t.Errorf("the second time: %s", out)
			}
		})
	}
}
