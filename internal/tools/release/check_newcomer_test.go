package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/npm"
)

// A machine with nothing but the archive: unpack it, write a graph, put it into a host, and the
// host's entry answers. HOME is empty, and PATH has no program.
func TestReleaseNewcomer(t *testing.T) {
	dir, version := dist(t)
	tar, err := exec.LookPath("tar")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("tar is not installed")
	}
	home := t.TempDir()
	began := time.Now()
	step := func(name, program string, args ...string) {
		t.Helper()
		from := time.Now()
		cmd := command(t, program, args...)
		cmd.Dir = home
		cmd.Env = []string{"HOME=" + home, "PATH=" + home}
		if name == "unpack" {
			cmd.Env = os.Environ() // tar looks for gzip
		}
		output(t, cmd)
		t.Logf("%-10s %6d ms", name, time.Since(from).Milliseconds())
	}
	program := filepath.Join(home, here().base(version), here().executable())
	step("unpack", tar, "-xzf", filepath.Join(dir, here().archive(version)))
	step("init", program, "init", "graph.yaml")
	step("check", program, "check", "graph.yaml")
	step("config", program, "config", "cursor", "graph.yaml", "--write", "--scope", "user")
	var file struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(home, ".cursor", "mcp.json"))), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Servers) != 1 {
		t.Fatalf("the host has %d servers, expected one", len(file.Servers))
	}
	for _, entry := range file.Servers {
		from := time.Now()
		cmd := command(t, entry.Command, entry.Args...)
		cmd.Dir, cmd.Env = "/", []string{"HOME=" + home, "PATH=" + home}
		talk(t, cmd, "find_large_files", `{"directory":".","min_bytes":1}`)
		t.Logf("%-10s %6d ms", "connect", time.Since(from).Milliseconds())
	}
	t.Logf("%-10s %6d ms", "all", time.Since(began).Milliseconds())
}

// From nothing to a listed tool: unpack the archive, write a graph, put it into a host, and the host's own program lists the
// server as connected. HOME is empty. What the host itself takes to be installed is not part of it.
func TestReleaseListedByHosts(t *testing.T) {
	dir, version := dist(t)
	clients(t)
	installed, err := npm.Install(t.Context(), "@anthropic-ai/claude-code@2.1.332", "@google/gemini-cli@0.61.0", "opencode-ai@1.18.33", "@qwen-code/qwen-code@0.24.4", "node@22")
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(installed, "node_modules")
	node := filepath.Join(modules, "node", "bin")
	bin := func(name string) []string { return []string{filepath.Join(modules, ".bin", name)} }
	for host, own := range map[string][]string{
		"claude-code": {filepath.Join(node, "node"), filepath.Join(modules, "@anthropic-ai", "claude-code", "cli-wrapper.cjs")},
		"gemini":      bin("gemini"), "opencode": bin("opencode"), "qwen": bin("qwen"),
	} {
		t.Run(host, func(t *testing.T) {
			home := t.TempDir()
			began := time.Now()
			step := func(name string, words ...string) string {
				t.Helper()
				from := time.Now()
				cmd := command(t, words[0], words[1:]...)
				cmd.Dir = home
				cmd.Env = []string{"HOME=" + home, "PATH=" + node + string(os.PathListSeparator) + os.Getenv("PATH"), "GEMINI_CLI_TRUST_WORKSPACE=true"}
				out, err := cmd.CombinedOutput() // some hosts list their servers on standard error
				if err != nil {
					t.Fatalf("%v: %v\n%s", words, err, out)
				}
				t.Logf("%-10s %6d ms", name, time.Since(from).Milliseconds())
				return string(out)
			}
			program := filepath.Join(home, here().base(version), here().executable())
			step("unpack", "tar", "-xzf", filepath.Join(dir, here().archive(version)))
			step("init", program, "init", "graph.yaml")
			step("config", program, "config", host, "graph.yaml", "--write", "--scope", "user")
			out := step("mcp list", append(own, "mcp", "list")...)
			if said := strings.ToLower(out); !strings.Contains(said, "connected") || strings.Contains(said, "disconnected") || !strings.Contains(said, "my-tools") {
				t.Errorf("%s lists\n%s", host, out)
			}
			t.Logf("%-10s %6d ms in 4 steps", "all", time.Since(began).Milliseconds())
		})
	}
}
