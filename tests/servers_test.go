package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/examplefile"
	"toolgraph/tests/npm"
	"toolgraph/tests/testbin"
)

// realServers are servers of others, with the versions that the test is written for.
// One of them speaks the newer era only when it is asked to, and wants a newer Node.
var realServers = []string{
	"@modelcontextprotocol/server-filesystem@2026.8.31", "@modelcontextprotocol/server-memory@2026.8.31",
	"@modelcontextprotocol/server-everything@2026.8.31", "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
	"@cyanheads/git-mcp-server@2.15.3", "@bytebase/dbhub@1.4.0", "node@22",
}

// modules is a node_modules with the servers of others. The test is skipped where it
// may not or cannot have them.
func modules(t *testing.T) string {
	t.Helper()
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("downloads servers from npm; set TOOLGRAPH_CLIENTS=1")
	}
	if err := npm.Available(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	dir, err := npm.Install(ctx, realServers...)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

// realCall is a call of a graph of one node, and what its value has in it.
type realCall struct{ server, tool, args, want string }

// graphOf is a graph file with these servers and a tool c0, c1, … for each call.
func graphOf(servers string, calls []realCall) string {
	var b strings.Builder
	b.WriteString("version: \"1.0\"\nserver: {name: real, version: \"1\"}\nmcpServers:\n" + servers + "tools:\n")
	for i, c := range calls {
		fmt.Fprintf(&b, "  - name: c%d\n    nodes:\n      - {id: in, type: entry, next: call}\n"+
			"      - {id: call, type: mcp, server: %s, tool: %s, args: %s, next: out}\n      - {id: out, type: exit}\n", i, c.server, c.tool, c.args)
	}
	return b.String()
}

func callAll(t *testing.T, servers string, calls []realCall) *session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graph.yaml")
	if err := os.WriteFile(path, []byte(graphOf(servers, calls)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, nil, "-g", path)
	s.handshake()
	for i, c := range calls {
		if r := s.call(fmt.Sprint("c", i), "{}"); r.IsError || !strings.Contains(r.text(t), c.want) {
			t.Errorf("%s of %s: %q is missing in %s", c.tool, c.server, c.want, r.text(t))
		}
	}
	return s
}

func TestRealServers(t *testing.T) {
	t.Parallel()
	bin := modules(t)
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "note.txt"), []byte("hello from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := fmt.Sprintf(`  files: {command: %[1]s/.bin/mcp-server-filesystem, args: [%[2]s]}
  memory: {command: %[1]s/.bin/mcp-server-memory, env: {MEMORY_FILE_PATH: %[2]s/memory.jsonl}}
  everything: {command: %[1]s/.bin/mcp-server-everything}
  thinking: {command: %[1]s/.bin/mcp-server-sequential-thinking}
  database:
    command: %[1]s/node/bin/node
    args: [%[1]s/@bytebase/dbhub/dist/index.js, --demo, --transport, stdio]
    protocol: modern
`, bin, files)
	calls := []realCall{
		{"files", "read_text_file", "{path: " + files + "/note.txt}", "hello from a file"},
		{"memory", "create_entities", "{entities: [{name: Ada, entityType: person, observations: [writes programs]}]}", "Ada"},
		{"memory", "read_graph", "{}", "writes programs"},
		{"everything", "echo", "{message: to and fro}", "to and fro"},
		{"everything", "get-sum", "{a: 2, b: 3}", "5"},
		{"thinking", "sequentialthinking", "{thought: one, nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1}", "thoughtHistoryLength"},
		{"database", "execute_sql", "{sql: select count(*) as n from employee}", "1000"},
	}
	if _, err := exec.LookPath("git"); err == nil {
		repository := t.TempDir()
		if err := examplefile.Repository(t.Context(), repository); err != nil {
			t.Fatal(err)
		}
		servers += fmt.Sprintf("  git: {command: %s/.bin/git-mcp-server}\n", bin)
		calls = append(calls, realCall{"git", "git_log", "{path: " + repository + "}", "second"})
	}
	callAll(t, servers, calls)
}

// Arguments that a real server would refuse are refused by the program, and not sent.
func TestRealServersAreNotSentWhatTheyRefuse(t *testing.T) {
	t.Parallel()
	bin := modules(t)
	servers := fmt.Sprintf("  everything: {command: %s/.bin/mcp-server-everything}\n", bin)
	for _, c := range []struct{ call, want string }{
		{"tool: get-sum, args: {a: two, b: 3}", `arguments.a: expected a number, got the string "two"`},
		{"tool: get-summ, args: {}", `did you mean "get-sum"?`},
	} {
		path := filepath.Join(t.TempDir(), "graph.yaml")
		graph := strings.ReplaceAll(graphOf(servers, []realCall{{"everything", "X", "{}", ""}}), "tool: X, args: {}", c.call)
		if err := os.WriteFile(path, []byte(graph), 0o600); err != nil {
			t.Fatal(err)
		}
		s := startCommand(t, nil, "-g", path)
		s.handshake()
		if r := s.call("c0", "{}"); !r.IsError || !strings.Contains(r.text(t), c.want) {
			t.Errorf("%q is missing in %s", c.want, r.text(t))
		}
	}
}

// The example server of another library speaks every era; nothing but Go is needed.
func TestServerOfAnotherLibraryInEveryEra(t *testing.T) {
	program := testbin.Build(t, "github.com/mark3labs/mcp-go/examples/everything")
	for _, era := range []string{"auto", "legacy", "modern"} {
		servers := fmt.Sprintf("  other: {command: %s, protocol: %s}\n", program, era)
		callAll(t, servers, []realCall{
			{"other", "add", "{a: 2, b: 3}", "5.000000"},
			{"other", "echo", "{message: to and fro}", "to and fro"},
		})
	}
}
