package graphtest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
)

// echoServers answer each call with its path, and with that of the directory they see.
type echoServers struct{ sees string }

func (e *echoServers) connect(*project.Project) (execution.ToolCaller, func(), error) {
	return e, func() {}, nil
}

func (e *echoServers) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	path, _ := c.Args.(value.Object).Get("path")
	return value.NewObject([]string{"path", "root"}, []value.Value{path, e.sees}), nil
}

const echoYAML = `version: "1.0"
server: {name: g, version: "1"}
mcpServers:
  files: {command: no-such-program}
tools:
  - name: say
    nodes:
      - {id: entry, type: entry, next: read}
      - {id: read, type: mcp, server: files, tool: read, args: {path: {expr: $.entry.dir}}, next: exit}
      - {id: exit, type: exit}
`

// absolute is a test file whose paths are those of a directory, in every part of it.
const absolute = `tests:
  - name: absolute
    tool: say
    args: {dir: DIR/notes}
    expect:
      value: {path: DIR/notes, root: DIR}
      contains: DIR/notes
      calls: [{args: {path: DIR/notes}}]
      nodes: {entry: {dir: DIR/notes}}
  - name: named
    tool: say
    args: {dir: "{directory}/notes"}
    expect: {value: {path: DIR/notes, root: "{directory}"}}
  - name: mocked
    tool: say
    args: {dir: DIR/notes}
    mocks: {read: [{when: {path: DIR/notes}, result: 1}]}
    expect: {value: 1}
`

// echoSuite is a test file in a directory, which it names by this path.
func echoSuite(t *testing.T, dir, named string) *Suite {
	t.Helper()
	write(t, filepath.Join(dir, "g.yaml"), echoYAML)
	write(t, filepath.Join(dir, "g.test.yaml"), strings.ReplaceAll(absolute, "DIR", named))
	s, err := Load(filepath.Join(dir, "g.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func allPass(t *testing.T, what string, report *Report) {
	t.Helper()
	for _, r := range report.Results {
		if r.Status != Passed {
			t.Errorf("%s: %s: %s", what, r.Case.Name, problems(r))
		}
	}
}

// A recording made with absolute paths below the graph's directory replays, there and in
// a directory to which all of it was moved.
func TestRecordingOfAbsolutePaths(t *testing.T) {
	dir := t.TempDir()
	s := echoSuite(t, dir, dir)
	servers := &echoServers{sees: dir}
	allPass(t, "recording", reportOf(t, s, Options{Mode: Record, Connect: servers.connect}))
	recorded, err := os.ReadFile(s.Cassette())
	if err != nil || strings.Contains(string(recorded), dir) || !strings.Contains(string(recorded), `"path": "{directory}/notes"`) {
		t.Fatalf("%v: the cassette is %s", err, recorded)
	}
	allPass(t, "replaying", reportOf(t, s, Options{}))
	moved := t.TempDir()
	write(t, filepath.Join(moved, "g.cassette.json"), string(recorded))
	allPass(t, "moved", reportOf(t, echoSuite(t, moved, moved), Options{}))
	// A cassette that has the paths themselves, as one written by hand may.
	write(t, s.Cassette(), strings.ReplaceAll(string(recorded), "{directory}", dir))
	allPass(t, "written by hand", reportOf(t, s, Options{}))
	// A path that is not below the directory is another one, and the difference is reported.
	write(t, filepath.Join(moved, "g.test.yaml"), strings.ReplaceAll(absolute, "DIR", dir))
	elsewhere, err := Load(filepath.Join(moved, "g.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := problems(reportOf(t, elsewhere, Options{}).Results[0]); !strings.Contains(got, `recorded "{directory}/notes", now "`+dir+`/notes"`) || !strings.Contains(got, "write {directory} for the directory of the graph file") {
		t.Errorf("got %s", got)
	}
}

// A server that knows the directory by where its links lead to says the same.
func TestRecordingThroughLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no symbolic links here")
	}
	s := echoSuite(t, link, link)
	servers := &echoServers{sees: dir}
	allPass(t, "recording", reportOf(t, s, Options{Mode: Record, Connect: servers.connect}))
	if recorded, err := os.ReadFile(s.Cassette()); err != nil || strings.Contains(string(recorded), dir) {
		t.Errorf("%v: the cassette is %s", err, recorded)
	}
	allPass(t, "replaying", reportOf(t, s, Options{}))
}

// What --update writes has the name of the directory, not its path.
func TestUpdateOfAbsolutePaths(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "g.yaml"), echoYAML)
	src := "tests:\n  - {name: a, tool: say, args: {dir: " + dir + "/notes}, mocks: {read: {result: " + dir + "/notes}}}\n"
	write(t, filepath.Join(dir, "g.test.yaml"), src)
	s, err := Load(filepath.Join(dir, "g.test.yaml"), WithDrafts())
	if err != nil {
		t.Fatal(err)
	}
	updated, _, err := reportOf(t, s, Options{}).Update([]byte(src))
	if err != nil || !strings.Contains(string(updated), `value: "{directory}/notes"`) {
		t.Errorf("got %s, %v", updated, err)
	}
	write(t, s.Path, string(updated))
	if s, err = Load(s.Path); err != nil {
		t.Fatal(err)
	}
	allPass(t, "updated", reportOf(t, s, Options{}))
}
