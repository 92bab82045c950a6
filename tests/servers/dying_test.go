package servers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

// more are servers that are only started, beside those that are tried: most want a key, and are started without one.
var more = []server{
	{npm: "@modelcontextprotocol/server-brave-search", version: "0.6.2", entry: "dist/index.js"},
	{npm: "@modelcontextprotocol/server-gitlab", version: "2025.4.25", entry: "dist/index.js"},
	{npm: "@modelcontextprotocol/server-slack", version: "2025.4.25", entry: "dist/index.js"},
	{npm: "@modelcontextprotocol/server-google-maps", version: "0.6.2", entry: "dist/index.js"},
	{npm: "@modelcontextprotocol/server-everart", version: "0.6.2", entry: "dist/index.js"},
	{npm: "@modelcontextprotocol/server-redis", version: "2025.4.25", entry: "dist/index.js"},
	{npm: "@modelcontextprotocol/server-gdrive", version: "2025.1.14", entry: "dist/index.js"},
	{npm: "@supabase/mcp-server-supabase", version: "0.13.0", entry: "dist/cli.js"},
	{npm: "@stripe/mcp", version: "0.3.3", entry: "dist/index.js"},
	{npm: "@sentry/mcp-server", version: "0.39.0", entry: "dist/index.js"},
	{npm: "exa-mcp-server", version: "3.4.1", entry: "dist/stdio.cjs"},
	{npm: "mongodb-mcp-server", version: "3.0.4", entry: "dist/esm/index.js"},
	{npm: "airtable-mcp-server", version: "1.14.0", entry: "dist/main.js"},
	{npm: "@elastic/mcp-server-elasticsearch", version: "0.3.1", entry: "dist/index.js"},
	{npm: "@hubspot/mcp-server", version: "0.4.0", entry: "dist/index.js"},
	{npm: "mcp-remote", version: "0.15.1", entry: "dist/proxy.js"},
	{npm: "@brave/brave-search-mcp-server", version: "2.1.4", entry: "dist/index.js"},
}

// A server that is started without its arguments and variables, and dies, is reported with the phase and with what it said: one
// line for the reason, and variables only if it speaks of them. The page has a table of those that die.
func TestX21ServersThatDie(t *testing.T) {
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("downloads servers from npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	program := testbin.Build(t, "toolgraph")
	bin := filepath.Join(installed(t, "node@22"), "node", "bin")
	rows := []string{"| started without its settings | when | what toolgraph prints of the reason |", "|---|---|---|"}
	alive := 0
	for _, s := range append(append([]server{}, servers...), more...) {
		t.Run(s.npm, func(t *testing.T) {
			if row := s.start(t, program, bin); row != "" {
				rows = append(rows, row)
			} else {
				alive++
			}
		})
	}
	if t.Failed() {
		return
	}
	rows = append(rows, fmt.Sprintf("| the other %d | | they start and list their tools |", alive))
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?s)\| started without its settings .*?\n\n`)
	now := table.ReplaceAllLiteral(was, []byte(strings.Join(rows, "\n")+"\n\n"))
	switch {
	case bytes.Equal(was, now):
	case os.Getenv("UPDATE_GOLDEN") != "":
		if err := os.WriteFile(page, now, 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date; UPDATE_GOLDEN=1 writes it:\n%s", page, strings.Join(rows, "\n"))
	}
}

var (
	head  = regexp.MustCompile(`^toolgraph: server "s": (?:did not start: the server's process )?(.*?) ?(?:during the handshake )?\(initialize\)(.*)$`)
	frame = regexp.MustCompile(`^\s+at |^Node\.js v|^\s*\^`)
	pid   = regexp.MustCompile(`^\[\d+\] `)
)

const anySecret = "UNRELATED_SECRET_OF_THE_USER"

// start starts a server with nothing but its file, asks for its tools, and returns the row of one that dies.
func (s server) start(t *testing.T, program, bin string) string {
	modules := installed(t, s.npm+"@"+s.version)
	dir, err := os.MkdirTemp("", "dying-") // some servers leave a process behind that still writes there
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	x := &trial{program: program, dir: dir}
	x.env = []string{"HOME=" + x.dir, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), anySecret + "=hunter2"}
	graph, err := json.Marshal(map[string]any{
		"version": "1.0", "server": map[string]string{"name": "servers", "version": "1.0.0"},
		"mcpServers": map[string]any{"s": map[string]any{"command": "node", "args": []string{filepath.Join(modules, s.npm, s.entry)}, "startTimeoutMs": 20000}},
		"tools": []any{map[string]any{"name": "t", "nodes": []any{
			map[string]any{"id": "entry", "type": "entry", "next": "exit"}, map[string]any{"id": "exit", "type": "exit"},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(x.dir, "graph.yaml"), graph, 0o600); err != nil {
		t.Fatal(err)
	}
	_, said, err := x.run("mcp", "tools", "s", "-g", "graph.yaml", "--live", "--json")
	t.Logf("%v\n%s", err, said)
	if err == nil {
		return ""
	}
	if strings.Contains(said, anySecret) || strings.Contains(said, "hunter2") {
		t.Errorf("a variable that the server does not speak of is named:\n%s", said)
	}
	lines := strings.Split(strings.TrimSpace(said), "\n")
	phase := head.FindStringSubmatch(lines[0])
	if phase == nil {
		t.Fatalf("the first line has no phase: %s", lines[0])
	}
	reason := "nothing"
	if len(lines) > 1 {
		var has bool
		if reason, has = strings.CutPrefix(lines[1], "  stderr: "); !has || frame.MatchString(reason) {
			t.Errorf("the reason does not come first:\n%s", said)
		}
	}
	reason = strings.NewReplacer(modules, "…", x.dir, "DIR", "|", "\\|", "<", "&lt;").Replace(pid.ReplaceAllString(reason, ""))
	return fmt.Sprintf("| `%s@%s` | initialize: %s%s | %s |", s.npm, s.version, phase[1], phase[2], reason)
}
