package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
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
