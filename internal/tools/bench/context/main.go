package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"toolgraph/internal/tools/bench/program"
	"toolgraph/tests/npm"
)

// The packages of npm.
const (
	filesystem = "@modelcontextprotocol/server-filesystem@2026.8.31"
	memory     = "@modelcontextprotocol/server-memory@2026.8.31"
	gitServer  = "@cyanheads/git-mcp-server@2.15.3"
	tokenizer  = "gpt-tokenizer@4.0.0"
)

//go:embed jobs
var jobs embed.FS

func main() {
	if err := run(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench/context:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "context")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{ctx: ctx, dir: dir}
	if b.modules, err = npm.Install(ctx, filesystem, memory, gitServer, tokenizer); err != nil {
		return err
	}
	if b.toolgraph, err = program.Build(ctx, dir, program.Product, "toolgraph"); err != nil {
		return err
	}
	if err := b.makeData(); err != nil {
		return err
	}
	return b.report()
}

// bench is where everything is.
type bench struct {
	ctx                     context.Context
	dir, modules, toolgraph string
}

// makeData makes 62 files, and a repository of 20 commits.
func (b *bench) makeData() error {
	files, repo := filepath.Join(b.dir, "files"), filepath.Join(b.dir, "repo")
	for _, dir := range []string{files, repo} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	for i := range 62 {
		text := fmt.Sprintf("Title of file %d\nline two of it, which is longer\nline three\n", i+1)
		if err := os.WriteFile(filepath.Join(files, fmt.Sprintf("doc%d.md", i+1)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	git := func(args ...string) error {
		cmd := exec.CommandContext(b.ctx, "git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	write := func(name, text string) error { return os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644) }
	steps := []error{
		git("init", "-q"), git("config", "user.email", "bench@example.com"), git("config", "user.name", "bench"),
		git("config", "commit.gpgsign", "false"), git("config", "tag.gpgsign", "false"),
		write("VERSION", "1.4.2\n"), write("CHANGES.md", "# Changes\n"),
	}
	for i := 1; i <= 20; i++ {
		for k := range i%4 + 1 {
			steps = append(steps, write(fmt.Sprintf("src%d.txt", k), strings.Repeat(fmt.Sprintf("line of change %d\n", i), i+k)))
		}
		steps = append(steps, git("add", "-A"), git("commit", "-q", "-m", fmt.Sprintf("change %d of things", i)))
	}
	return errors.Join(steps...)
}

// graphFile writes a graph file over the three servers, with more keys, and returns its path.
func (b *bench) graphFile(name, more string) (string, error) {
	bin := func(script string) string { return filepath.Join(b.modules, "node_modules", ".bin", script) }
	servers, err := json.Marshal(map[string]any{
		"fs":     map[string]any{"command": "node", "args": []string{bin("mcp-server-filesystem"), b.dir}},
		"memory": map[string]any{"command": "node", "args": []string{bin("mcp-server-memory")}, "env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(b.dir, "memory.json")}},
		"git": map[string]any{"command": "node", "args": []string{bin("git-mcp-server")}, "env": map[string]string{
			"MCP_TRANSPORT_TYPE": "stdio", "LOGS_DIR": filepath.Join(b.dir, "logs"), "GIT_SIGN_COMMITS": "false",
		}},
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.dir, name)
	return path, os.WriteFile(path, fmt.Appendf(nil, "version: \"1.0\"\nserver: {name: bench, version: 1.0.0}\nmcpServers: %s\n%s\n", servers, more), 0o644)
}

// tokens counts the tokens of texts.
func (b *bench) tokens(texts ...string) ([]int, error) {
	const script = `import {encode} from 'gpt-tokenizer'; let s = ''; process.stdin.on('data', d => s += d).on('end', () => console.log(JSON.stringify(JSON.parse(s).map(t => encode(t).length))))`
	cmd := exec.CommandContext(b.ctx, "node", "--input-type=module", "-e", script)
	cmd.Dir = b.modules
	in, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	cmd.Stdin = strings.NewReader(string(in))
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the tokenizer: %w", err)
	}
	var counts []int
	return counts, json.Unmarshal(out, &counts)
}

func (b *bench) sum(texts ...string) (total int, err error) {
	counts, err := b.tokens(texts...)
	for _, n := range counts {
		total += n
	}
	return total, err
}

// job is one of the jobs, with the paths of this run.
type job struct {
	name, plan, starlark string
}

func (b *bench) jobs() (all []job, err error) {
	for _, name := range []string{"files", "churn", "release"} {
		plan, err := jobs.ReadFile("jobs/" + name + ".json")
		if err != nil {
			return nil, err
		}
		program, err := jobs.ReadFile("jobs/" + name + ".star")
		if err != nil {
			return nil, err
		}
		with := strings.NewReplacer("DIR", b.dir)
		all = append(all, job{name, with.Replace(string(plan)), strings.TrimSpace(with.Replace(string(program)))})
	}
	return all, nil
}
