package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

// cases is what toolgraph test --format json prints of cases.
type cases struct {
	Passed, Failed int
	Results        []struct {
		Test, Status, Error string
		Value               json.RawMessage
		Path                []string
		Calls               []struct{ Source string }
	}
}

// testGraphs runs toolgraph test in a directory; without is with nothing on PATH.
func testGraphs(t *testing.T, dir string, without bool, args ...string) cases {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), append([]string{"test", "--format", "json"}, args...)...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	if without {
		cmd.Env = append(cmd.Env, "PATH=")
	}
	out, err := cmd.Output()
	var report cases
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil || err != nil {
		t.Fatalf("%v, %v: %s", err, jsonErr, out)
	}
	return report
}

// sameCases demands that replayed results are the recorded ones, answered by no server.
func sameCases(t *testing.T, recorded, replayed cases) {
	t.Helper()
	if len(recorded.Results) == 0 || len(recorded.Results) != len(replayed.Results) {
		t.Fatalf("recorded %d results, replayed %d", len(recorded.Results), len(replayed.Results))
	}
	for i, r := range recorded.Results {
		p := replayed.Results[i]
		if r.Status != "passed" || p.Status != r.Status || string(p.Value) != string(r.Value) || p.Error != r.Error ||
			fmt.Sprint(p.Path) != fmt.Sprint(r.Path) || len(p.Calls) != len(r.Calls) {
			t.Errorf("%s: replayed %+v, recorded %+v", r.Test, p, r)
		}
		for n := range p.Calls {
			if was, is := r.Calls[n].Source, p.Calls[n].Source; (was != "server" || is != "cassette") && (was != "mock" || is != was) {
				t.Errorf("%s: call %d was answered by %s, then by %s", r.Test, n, r.Calls[n].Source, p.Calls[n].Source)
			}
		}
	}
}

// recordAndReplay records the tests of a graph file on its servers, then runs them with
// nothing on PATH, so that no server could be started.
func recordAndReplay(t *testing.T, dir string) {
	t.Helper()
	recorded := testGraphs(t, dir, false, "--record")
	sameCases(t, recorded, testGraphs(t, dir, true))
	cassette, err := filepath.Glob(filepath.Join(dir, "*.cassette.json"))
	if err != nil || len(cassette) == 0 {
		t.Fatalf("%v: no cassette was written", err)
	}
	first, err := os.ReadFile(cassette[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(first), dir) {
		t.Errorf("the cassette names the directory of this machine: %s", first)
	}
	testGraphs(t, dir, false, "--record")
	if second, err := os.ReadFile(cassette[0]); err != nil || string(second) != string(first) {
		t.Errorf("%v: the second recording differs: %s", err, second)
	}
}

func writeAll(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil { // whole at once, for what watches it
			t.Fatal(err)
		}
	}
}

func TestRecordAndReplayOurDemoServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../examples")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"06-tree-stats", "07-remember-headings", "08-git-authors", "09-sql-report", "13-web-research"} { // they have other servers
		if err := os.Remove(filepath.Join(dir, name+".test.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	recordAndReplay(t, dir)
}

// The examples come with their recordings, those on servers from npm as well.
func TestExamplesWithoutServers(t *testing.T) {
	t.Parallel()
	if report := testGraphs(t, "../examples", true); report.Passed < 28 {
		t.Errorf("%d tests passed, want all of at least 28", report.Passed)
	}
}

func TestRecordAndReplayRealServers(t *testing.T) {
	t.Parallel()
	bin := modules(t)
	dir := t.TempDir()
	if dir, _ = filepath.EvalSymlinks(dir); runtime.GOOS == "windows" {
		t.Skip("the servers' programs are scripts")
	}
	servers := fmt.Sprintf("  files: {command: %[1]s/.bin/mcp-server-filesystem, args: [.]}\n  everything: {command: %[1]s/.bin/mcp-server-everything}\n", bin)
	writeAll(t, dir, map[string]string{
		"note.txt": "hello from a file",
		"g.yaml": graphOf(servers, []realCall{
			{"files", "read_text_file", "{path: note.txt}", ""},
			{"files", "read_text_file", "{path: /etc/hostname}", ""},
			{"everything", "get-sum", "{a: 2, b: 3}", ""},
			{"everything", "echo", "{message: to and fro}", ""},
			{"files", "list_allowed_directories", "{}", ""},
		}),
		"g.test.yaml": `tests:
  - {name: a file, tool: c0, expect: {contains: hello from a file}}
  - {name: a file elsewhere, tool: c1, expect: {isError: true, contains: outside allowed directories}}
  - {name: a sum, tool: c2, expect: {contains: "5"}}
  - {name: an echo, tool: c3, expect: {contains: to and fro}}
  - {name: a directory, tool: c4, expect: {path: [in, call, out]}}
`,
	})
	recordAndReplay(t, dir)
}

// --watch runs the tests again when one of their files has changed.
func TestTestsAreWatched(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	graph := "version: \"1.0\"\nserver: {name: g, version: \"1\"}\ntools:\n  - name: t\n    nodes:\n" +
		"      - {id: in, type: entry, next: x}\n      - {id: x, type: transform, transform: {expr: '\"one\"'}, next: out}\n      - {id: out, type: exit}\n"
	tests := "tests: [{name: it, tool: t, expect: {value: one}}]\n"
	writeAll(t, dir, map[string]string{"g.yaml": graph, "g.test.yaml": tests})
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "test", "--watch")
	cmd.Dir = dir
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	next := func(want string) {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "waiting for a change") {
				return
			}
			if !strings.Contains(lines.Text(), want) {
				t.Errorf("got %q, want %q", lines.Text(), want)
			}
		}
		t.Fatal("the tests are not watched any more")
	}
	next("1 passed, 0 failed")
	writeAll(t, dir, map[string]string{"g.yaml": strings.ReplaceAll(graph, "one", "two")})
	next("0 passed, 1 failed")
	writeAll(t, dir, map[string]string{"g.test.yaml": strings.ReplaceAll(tests, "one", "two")})
	next("1 passed, 0 failed")
	writeAll(t, dir, map[string]string{"more.test.yaml": "graph: g.yaml\n" + strings.ReplaceAll(tests, "one", "two")})
	next("2 files: 2 passed")
	if runtime.GOOS == "windows" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// The first test file that docs/testing.md shows is a good one.
func TestTestingPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	shown, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page shows no test file")
	}
	dir := t.TempDir()
	writeAll(t, dir, map[string]string{"notes.test.yaml": shown, "notes.yaml": `version: "1.0"
server: {name: notes, version: "1"}
mcpServers: {files: {command: toolgraph, args: [demo-server, .]}}
tools:
  - name: largest_note
    nodes:
      - {id: entry, type: entry, next: list}
      - {id: list, type: mcp, server: files, tool: list_directory, args: {path: {expr: $.entry.directory}}, next: pick}
      - {id: pick, type: transform, transform: {expr: '{"name": $.list.entries^(>size)[0].name}'}, next: exit}
      - {id: exit, type: exit}
`})
	if report := testGraphs(t, dir, true); report.Passed != 2 {
		t.Errorf("got %+v", report)
	}
}

// Hundreds of tests of graphs take little time; `go test -v` prints how much.
func TestManyGraphTests(t *testing.T) {
	const many = 500
	dir := t.TempDir()
	graph, err := os.ReadFile("../examples/03-collect-todos.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	tests.WriteString("mocks:\n  find: {result: {entries: [{name: a.md}, {name: b.md}]}}\n" +
		"  files.read_file: {sequence: [{result: {content: \"TODO x\\n\"}}, {result: {content: y}}]}\ntests:\n")
	for i := range many {
		fmt.Fprintf(&tests, "  - {name: test %d, tool: collect_lines, args: {directory: d}, expect: {partial: {files_read: 2}, executions: {read: 2}}}\n", i)
	}
	writeAll(t, dir, map[string]string{"g.yaml": string(graph), "g.test.yaml": tests.String()})
	if report := testGraphs(t, dir, true); report.Passed != many {
		t.Errorf("%d of %d tests passed", report.Passed, many)
	}
}
