package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

func TestMain(m *testing.M) {
	os.Exit(testbin.Run(m))
}

// page is the page that has the results.
const page = "../../docs/servers.md"

// patience is far more than a command needs.
const patience = 2 * time.Minute

// trial is a server in a directory of its own, with a graph file that calls it.
type trial struct {
	program, dir string
	env          []string
}

// run runs the program and returns standard output and standard error.
func (x *trial) run(args ...string) (out, failed string, err error) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, x.program, args...)
	cmd.Dir, cmd.Env = x.dir, x.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

func installed(t *testing.T, pkg string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	dir, err := npm.Install(ctx, pkg)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

func TestServers(t *testing.T) {
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("downloads servers from npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	program := testbin.Build(t, "toolgraph")
	bin := filepath.Join(installed(t, "node@22"), "node", "bin")
	rows := []string{"| server | protocol | tools | locked | checked | call |", "|---|---|---|---|---|---|"}
	for _, s := range servers {
		t.Run(s.npm, func(t *testing.T) { rows = append(rows, s.try(t, program, bin)) })
	}
	if t.Failed() {
		return
	}
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?s)\| server \| protocol .*?\n\n`)
	now := table.ReplaceAllLiteral(was, []byte(strings.Join(rows, "\n")+"\n\n"))
	switch {
	case bytes.Equal(was, now):
	case os.Getenv("UPDATE_GOLDEN") != "":
		if err := os.WriteFile(page, now, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date; UPDATE_GOLDEN=1 writes it: %s", page, strings.Join(rows, "\n"))
	}
}

var negotiated = regexp.MustCompile(`protocol=(\S+)`)

// try locks, checks and, if nothing is missing, runs the graph of a server. It returns its row.
func (s server) try(t *testing.T, program, bin string) string {
	modules := installed(t, s.npm+"@"+s.version)
	x := &trial{program: program, dir: t.TempDir()}
	x.env = []string{"HOME=" + x.dir, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}
	s.prepare(t, x.dir, filepath.Join(modules, s.npm, s.entry))

	if _, failed, err := x.run("lock", "graph.yaml"); err != nil {
		t.Fatalf("lock: %v: %s", err, failed)
	}
	out, failed, err := x.run("check", "graph.yaml")
	if err != nil || strings.Contains(failed, "not checked") {
		t.Errorf("check: %v: %s%s", err, out, failed)
	}
	out, failed, err = x.run("mcp", "tools", "s", "-g", "graph.yaml", "--live", "--json", "--log-level", "info")
	if err != nil {
		t.Fatalf("mcp tools: %v: %s", err, failed)
	}
	protocol := negotiated.FindStringSubmatch(failed)
	var listed struct{ Servers []struct{ Tools []any } }
	if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Servers) != 1 || protocol == nil {
		t.Fatalf("mcp tools: %s%s", out, failed)
	}
	call := "`" + s.tool + "`: "
	if s.needs != "" {
		call += "not called, it " + s.needs
	} else {
		if out, failed, err = x.run("run", "graph.yaml", "t", "--locked", "--no-history"); err != nil || strings.TrimSpace(out) == "" {
			t.Errorf("run: %v: %s%s", err, out, failed)
		}
		call += "a result"
	}
	return fmt.Sprintf("| `%s@%s` | %s | %d | yes | yes | %s |", s.npm, s.version, protocol[1], len(listed.Servers[0].Tools), call)
}

// prepare writes the graph file, and files for the tools to read.
func (s server) prepare(t *testing.T, dir, entry string) {
	t.Helper()
	in := func(text string) string { return strings.ReplaceAll(text, "DIR", dir) }
	args := []string{entry}
	for _, arg := range s.args {
		args = append(args, in(arg))
	}
	env := map[string]string{}
	for name, value := range s.env {
		env[name] = in(value)
	}
	graph, err := json.Marshal(map[string]any{
		"version": "1.0", "server": map[string]string{"name": "servers", "version": "1.0.0"},
		"mcpServers": map[string]any{"s": map[string]any{"command": "node", "args": args, "env": env}},
		"tools": []any{map[string]any{"name": "t", "description": "Calls a tool of the server.", "nodes": []any{
			map[string]any{"id": "entry", "type": "entry", "next": "call"},
			map[string]any{"id": "call", "type": "mcp", "server": "s", "tool": s.tool, "args": json.RawMessage(in(s.with)), "next": "exit"},
			map[string]any{"id": "exit", "type": "exit"},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"graph.yaml": string(graph), "a.js": "const a = 1;\n", "eslint.config.js": "module.exports = [{rules: {\"no-unused-vars\": \"error\"}}];\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s.tool == "git_status" {
		if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v: %s", err, out)
		}
	}
}
