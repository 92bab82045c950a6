package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/tests/npm"
)

// Servers of npm that a host has.
var adoptedPackages = []string{"@modelcontextprotocol/server-filesystem@2026.8.31", "@modelcontextprotocol/server-memory@2026.8.31", "@cyanheads/git-mcp-server@2.15.3"}

// Each host has three servers; adopted, its own program lists and starts the one entry, a plan through it calls all three, and
// undone, its file is what it was, byte for byte.
func TestHostsAfterAdopting(t *testing.T) {
	s := newSurroundings(t)
	modules := modules(t, claudePackage, geminiPackage, opencodePackage, newerNodePackage)
	servers, err := npm.Install(t.Context(), adoptedPackages...)
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range hostCases(modules) {
		if c.scope != "user" || c.host != "claude-code" && c.host != "gemini" && c.host != "opencode" {
			continue
		}
		t.Run(c.host, func(t *testing.T) {
			h := newHostHome(t, s, modules)
			script := func(name string) string {
				return filepath.Join(servers, "node_modules", filepath.FromSlash(name), "dist", "index.js")
			}
			path, src := hostFile(h, c.host, node, script)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
			h.run(s.binary, "adopt", c.host, "--yes")
			if out := h.run(c.list...); !strings.Contains(out, "toolgraph") || !strings.Contains(out, c.want) || strings.Contains(out, "server-memory") {
				t.Errorf("%v prints %s", c.list, out)
			}
			if out := h.run(s.binary, "doctor", "--host", c.host); !strings.Contains(out, "14 tools of 14 locked") || !strings.Contains(out, "9 tools of 9 locked") || !strings.Contains(out, "28 tools of 28 locked") {
				t.Errorf("doctor prints %s", out)
			}
			graph, _, _ := strings.Cut(after(h.run(s.binary, "doctor", "--host", c.host, "--json"), `"graph": "`), `"`)
			plan := filepath.Join(h.project, "plan.json")
			const steps = `{"steps":[{"id":"dirs","call":"files.list_allowed_directories"},{"id":"known","call":"memory.read_graph"}],"return":"[$exists(dirs.content), $exists(known.entities)]"}`
			if err := os.WriteFile(plan, []byte(steps), 0o600); err != nil {
				t.Fatal(err)
			}
			set := h
			set.env = append(set.env, entryEnv(t, path)...)
			if out := set.run(s.binary, "plan", graph, plan, "--locked"); !strings.Contains(strings.Join(strings.Fields(out), ""), "[true,true]") {
				t.Errorf("the plan gives %s", out)
			}
			// Claude Code and opencode write into the file themselves when they list: only the entries are compared
			h.run(s.binary, "adopt", c.host, "--undo")
			now, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if c.host == "gemini" && string(now) != src || !strings.Contains(string(now), "server-memory") || strings.Contains(string(now), "--locked") {
				t.Errorf("undone:\n%s\nbefore:\n%s", now, src)
			}
			if out := h.run(c.list...); strings.Contains(out, "gateway.yaml") || !strings.Contains(out, "memory") {
				t.Errorf("undone, %v prints %s", c.list, out)
			}
		})
	}
}

// entryEnv is the environment of the one entry in a host's file.
func entryEnv(t *testing.T, path string) (env []string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type entry struct{ Env, Environment map[string]string }
	var file struct {
		MCPServers map[string]entry `json:"mcpServers"`
		MCP        map[string]entry `json:"mcp"`
	}
	if err := json.Unmarshal(src, &file); err != nil {
		t.Fatal(err)
	}
	for _, of := range []entry{file.MCPServers["toolgraph"], file.MCP["toolgraph"]} {
		for _, values := range []map[string]string{of.Env, of.Environment} {
			for name, value := range values {
				env = append(env, name+"="+value)
			}
		}
	}
	return env
}

// after is what follows a word in a text.
func after(text, word string) string {
	_, rest, _ := strings.Cut(text, word)
	return rest
}

// hostFile is the user's file of a host, with three servers, and where it is.
func hostFile(h hostHome, host, node string, script func(string) string) (path, src string) {
	home := filepath.Dir(h.project)
	files, memory, git := script("@modelcontextprotocol/server-filesystem"), script("@modelcontextprotocol/server-memory"), script("@cyanheads/git-mcp-server")
	if host == "opencode" {
		return filepath.Join(home, "xdg", "config", "opencode", "opencode.json"), `{
  "mcp": {
    "files": {"type": "local", "command": ["` + node + `", "` + files + `", "` + h.project + `"], "enabled": true},
    "memory": {"type": "local", "command": ["` + node + `", "` + memory + `"], "environment": {"MEMORY_FILE_PATH": "` + h.project + `/memory.jsonl"}, "enabled": true},
    "git": {"type": "local", "command": ["` + node + `", "` + git + `"], "enabled": true}
  }
}
`
	}
	path = map[string]string{"claude-code": filepath.Join(home, ".claude.json"), "gemini": filepath.Join(home, ".gemini", "settings.json")}[host]
	return path, `{
  "mcpServers": {
    "files": {"command": "` + node + `", "args": ["` + files + `", "` + h.project + `"]},
    "memory": {"command": "` + node + `", "args": ["` + memory + `"], "env": {"MEMORY_FILE_PATH": "` + h.project + `/memory.jsonl"}},
    "git": {"command": "` + node + `", "args": ["` + git + `"]}
  }
}
`
}
