package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/tests/testbin"
)

// The tests here, TestF27Seed000 and TestSeed004 do what the documents publish from which the
// systems of docs/coming-from.md are known.

// A graph of the form that mcpGraph publishes, with one list of nodes for all tools, runs unchanged.
func TestSeed001CountFiles(t *testing.T) {
	t.Parallel()
	const graph = `version: "1.0"
server: {name: counter, version: 1.0.0, description: Counts}
executionLimits: {maxNodeExecutions: 1000, maxExecutionTimeMs: 300000}
tools:
  - name: count_files
    description: Counts the files of a directory
    inputSchema: {type: object, properties: {directory: {type: string}}, required: [directory]}
    outputSchema: {type: object, properties: {count: {type: number}, size: {type: string}}}
mcpServers: {filesystem: {command: files-server}}
nodes:
  - {id: entry_count_files, type: entry, tool: count_files, next: list_directory_node}
  - {id: list_directory_node, type: mcp_tool, server: filesystem, tool: list_directory, args: {path: $.entry_count_files.directory}, next: count_node}
  - {id: count_node, type: transform, transform: {expr: '{"count": $count($split($previousNode(), "\n"))}'}, next: size_node}
  - id: size_node
    type: switch
    conditions:
      - {rule: {">": [{var: $.count_node.count}, 2]}, target: many}
      - {target: few}
  - {id: many, type: transform, transform: {expr: '$merge([$.count_node, {"size": "many"}])'}, next: exit_count_files}
  - {id: few, type: transform, transform: {expr: '$merge([$.count_node, {"size": "few"}])'}, next: exit_count_files}
  - {id: exit_count_files, type: exit, tool: count_files}
`
	path := filepath.Join(t.TempDir(), "graph.yaml")
	for listing, want := range map[string]string{`"a\nb\nc"`: `{"count":3,"size":"many"}`, `"a"`: `{"count":1,"size":"few"}`} {
		got, _ := comesFrom(t, path, graph, config.Options{}, "count_files", `{"directory": "."}`, map[string]string{"list_directory": listing})
		if got != want {
			t.Errorf("%s gives %s, expected %s", listing, got, want)
		}
	}
}

// What async-pipeline publishes as tools has its counterpart in inspect: seven that only read, and
// one that runs, which is there with --allow-run alone.
func TestSeed002Questions(t *testing.T) {
	t.Parallel()
	binary := testbin.Build(t, "toolgraph")
	graph := filepath.Join("testdata", "history.yaml")
	for _, allowed := range []bool{false, true} {
		args := []string{"-g", graph, "--state", t.TempDir()}
		if allowed {
			args = append(args, "--allow-run")
		}
		listed, err := inspector(t, binary, args...).ListTools(t.Context(), mcp.ListToolsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		reads := map[string]bool{}
		for _, tool := range listed.Tools {
			hint := tool.Annotations.ReadOnlyHint
			reads[tool.Name] = hint != nil && *hint
		}
		for _, name := range []string{"list_tools", "graph", "explain_tool", "metadata", "list_runs", "read_run", "diff_inputs"} {
			if !reads[name] {
				t.Errorf("there is no %s that only reads", name)
			}
		}
		if reads, runs := reads["run_tool"]; runs != allowed || reads {
			t.Errorf("with --allow-run %v, run_tool is listed: %v, as one that reads: %v", allowed, runs, reads)
		}
	}
}

// A server that is managed as pflow does: added once, asked for its tools once, then called by a graph
// that only names it, and from the shell.
func TestSeed003ServersOfARegistry(t *testing.T) {
	t.Parallel()
	binary := testbin.Build(t, "toolgraph")
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{
		"file.txt": "hello\n",
		"graph.yaml": `version: "1.0"
server: {name: reader, version: 1.0.0}
mcpServers: {files: {registry: true}}
tools:
  - name: read
    description: Reads a file.
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    nodes:
      - {id: entry, type: entry, next: read}
      - {id: read, type: mcp, server: files, tool: read_file, args: {path: {expr: $.entry.path}}, next: exit}
      - {id: exit, type: exit}
`,
	})
	do := func(want string, args ...string) {
		t.Helper()
		cmd := programCommand(t, binary, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%v: %v, expected %s in %s", args, err, want, out)
		}
	}
	do("added files", "mcp", "add", "files", "--env", "PLACE=${HOME}", "--cwd", dir, "--", binary, "demo-server", ".")
	do("files", "mcp", "list")
	do("3 tools", "mcp", "sync")
	do("no problems found", "check", "graph.yaml")
	do(`hello\n`, "run", "graph.yaml", "read", "path=file.txt")
	do(`hello\n`, "mcp", "call", "files.read_file", "path=file.txt")
	do("removed", "mcp", "remove", "files")
	kept, err := os.ReadFile(filepath.Join(dir, "config", "toolgraph", "servers.json"))
	if err != nil || slices.Contains(strings.Fields(string(kept)), "files") {
		t.Errorf("%v: %s", err, kept)
	}
}
