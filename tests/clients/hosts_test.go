package clients

import (
	"errors"
	"fmt"
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
	codexPackage    = "@openai/codex@0.171.0"
	qwenPackage     = "@qwen-code/qwen-code@0.24.4"
	copilotPackage  = "@github/copilot@1.0.102"
	ampPackage      = "@sourcegraph/amp@0.0.1790142911-g7618fb"
	clinePackage    = "cline@3.0.65"
)

// hostCase is a host that npm has: what lists its servers, and what it prints then.
type hostCase struct {
	host, scope string
	pack        string
	list        []string // the words of the command that lists its servers
	want        string
	seen        string // for the page
}

func hostCases(modules string) []hostCase {
	bin := func(name string) []string { return []string{filepath.Join(modules, ".bin", name), "mcp", "list"} }
	claude := []string{filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs"), "mcp", "list"}
	cline, err := filepath.Abs(filepath.Join("testdata", "cline.mjs"))
	if err != nil {
		panic(err)
	}
	return []hostCase{
		{"claude-code", "user", claudePackage, claude, "Connected", "connected"},
		{"claude-code", "project", claudePackage, claude, "Pending approval", "pending approval"},
		{"gemini", "user", geminiPackage, bin("gemini"), "Connected", "connected"},
		{"gemini", "project", geminiPackage, bin("gemini"), "Connected", "connected"},
		{"opencode", "user", opencodePackage, bin("opencode"), "connected", "connected"},
		{"opencode", "project", opencodePackage, bin("opencode"), "connected", "connected"},
		{"codex", "user", codexPackage, bin("codex"), "enabled", "enabled; it starts servers in sessions only"},
		{"qwen", "user", qwenPackage, bin("qwen"), "Connected", "connected"},
		{"copilot-cli", "user", copilotPackage, bin("copilot"), "local", "listed; it starts servers in sessions only, which need a key"},
		{"copilot-cli", "project", copilotPackage, bin("copilot"), "local", "listed, in a trusted directory"},
		{"amp", "user", ampPackage, bin("amp"), "command", "listed; it starts servers with a key only"},
		{"amp", "project", ampPackage, bin("amp"), "command", "listed"},
		{"cline", "user", clinePackage, []string{filepath.Join(modules, "node", "bin", "node"), cline, modules}, "connected, count_files", "connected, by the code that its program and its extension share"},
	}
}

// Each host reads what config --write has put into its file, and connects where it can do so without
// a key. Run twice, it changes nothing.
func TestHostsReadTheirFiles(t *testing.T) {
	s := newSurroundings(t)
	modules := modules(t, claudePackage, geminiPackage, opencodePackage, codexPackage, qwenPackage, copilotPackage, ampPackage, clinePackage, newerNodePackage)
	var rows []row
	for _, c := range hostCases(modules) {
		t.Run(c.host+"/"+c.scope, func(t *testing.T) {
			h := newHostHome(t, s, modules)
			config := []string{s.binary, "config", c.host, filepath.Join(s.examples, "01-count-files.yaml"), "--scope", c.scope, "--write"}
			h.run(config...)
			if out := h.run(c.list...); !strings.Contains(out, "count-files") || !strings.Contains(out, c.want) {
				t.Errorf("%v prints %s", c.list, out)
				return
			}
			if out := h.run(config...); !strings.Contains(out, "nothing changes") {
				t.Errorf("the second time: %s", out)
			}
			rows = append(rows, row{c.host, "`" + nameOf(c.pack) + "` " + versions[nameOf(c.pack)], c.scope + ": " + c.seen})
		})
	}
	if newest && !t.Failed() {
		writeRows(t, rows)
	}
}

// hostHome is a user's home directory with a project, in which hosts run.
type hostHome struct {
	*testing.T
	project string
	env     []string
}

func newHostHome(t *testing.T, s surroundings, modules string) hostHome {
	t.Helper()
	home := t.TempDir()
	h := hostHome{T: t, project: filepath.Join(home, "project")}
	copilot := filepath.Join(home, ".copilot")
	if err := errors.Join(os.Mkdir(h.project, 0o700), os.Mkdir(copilot, 0o700)); err != nil {
		t.Fatal(err)
	}
	trusted := fmt.Sprintf(`{"trusted_folders": [%q]}`, h.project) // as its user would answer
	if err := os.WriteFile(filepath.Join(copilot, "config.json"), []byte(trusted), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(modules, "node", "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	h.env = append(slices.Clip(s.env), "PATH="+path, "HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true", "CODEX_HOME="+filepath.Join(home, ".codex"))
	for _, dir := range []string{"CONFIG", "DATA", "STATE", "CACHE"} {
		h.env = append(h.env, "XDG_"+dir+"_HOME="+filepath.Join(home, "xdg", strings.ToLower(dir)))
	}
	return h
}

// run runs a command in the project and returns its output.
func (h hostHome) run(words ...string) string {
	h.Helper()
	cmd := exec.CommandContext(h.Context(), words[0], words[1:]...)
	cmd.Dir, cmd.Env = h.project, h.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.Fatalf("%v: %v\n%s", words, err, out)
	}
	return string(out)
}
