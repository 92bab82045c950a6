package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolgraph/tests/testbin"
)

// graphFile is a graph file that changes while it is served.
type graphFile struct {
	t    testing.TB
	path string
	fake string
}

func newGraphFile(t testing.TB, graph string) *graphFile {
	t.Helper()
	f := &graphFile{t: t, path: filepath.Join(t.TempDir(), "graph.yaml"), fake: testbin.Build(t, "toolgraph/tests/fakeserver")}
	f.write(graph)
	return f
}

// write puts a new file in the place of the old, as editors do.
func (f *graphFile) write(graph string) {
	f.t.Helper()
	fresh := f.path + ".new"
	if err := os.WriteFile(fresh, []byte(strings.ReplaceAll(graph, "$FAKE", f.fake)), 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(fresh, f.path); err != nil {
		f.t.Fatal(err)
	}
}

// said is how often the server has sent a notification.
func (s *session) said(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, note := range s.notes {
		if note.Method == method {
			n++
		}
	}
	return n
}

const listChanged = "notifications/tools/list_changed"

// reloaded waits until the server has notified n changes.
func (s *session) reloaded(n int) {
	s.t.Helper()
	for end := time.Now().Add(answerTimeout); s.said(listChanged) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%d changes were reported, want %d; the server said: %s", s.said(listChanged), n, s.stderr)
		}
	}
}

// versioned serves a tool whose runs wait at the gate, if they are to, and then report the
// graph's version.
func versioned(g *gate, version, servers string) string {
	return `version: "1.0"
server: {name: test, version: 1.0.0}
mcpServers: {up: {command: $FAKE, args: [` + g.args() + `]` + servers + `}}
tools:
- name: go
  description: version ` + version + `
  inputSchema: {type: object, properties: {wait: {type: boolean}}}
  nodes:
  - {id: entry, type: entry, next: which}
  - {id: which, type: switch, conditions: [{rule: {"==": [{var: $.entry.wait}, true]}, next: nap}], next: pid}
  - {id: nap, type: mcp, server: up, tool: hold, args: {n: 1}, next: pid}
  - {id: pid, type: mcp, server: up, tool: pid, next: tell}
  - {id: tell, type: transform, transform: {expr: '{"version": "` + version + `", "pid": $.pid}'}, next: exit}
  - {id: exit, type: exit}
`
}

// A run keeps the graph that it began with; a broken file changes nothing and is reported.
func TestG16ReloadDuringARun(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	f := newGraphFile(t, versioned(g, "one", ""))
	s := startCommand(t, nil, "serve", "-g", f.path, "--watch")
	s.handshake()
	first := s.call("go", `{}`).text(t)
	_, running := s.sendCall("go", `{"wait": true}`)
	g.wait("in ", 1)
	f.write(versioned(g, "two", ""))
	s.reloaded(1)
	second := s.call("go", `{}`).text(t)
	if !strings.Contains(second, `"two"`) || strings.Replace(second, "two", "one", 1) != first {
		t.Errorf("before %s, after %s; want the new graph and the same server", first, second)
	}
	if list := string(s.request("tools/list", `{}`).Result); !strings.Contains(list, "version two") {
		t.Errorf("the list is %s", list)
	}

	f.write(strings.Replace(versioned(g, "three", ""), "next: pid}\n  - {id: pid", "next: pit}\n  - {id: pid", 1))
	eventually(t, "the broken file is reported", func() bool {
		return strings.Contains(s.stderr.String(), "graph.yaml:11:") && strings.Contains(s.stderr.String(), "still serving the previous version")
	})
	if got := s.call("go", `{}`).text(t); got != second {
		t.Errorf("with a broken file: %s", got)
	}
	g.open()
	if got := s.result(s.await(running)).text(t); got != first {
		t.Errorf("the run that was on its way gave %s, want %s", got, first)
	}
	f.write(versioned(g, "four", ""))
	s.reloaded(2)
	if got := s.call("go", `{}`).text(t); !strings.Contains(got, `"four"`) {
		t.Errorf("after the repair: %s", got)
	}
	if n := s.said(listChanged); n != 2 {
		t.Errorf("%d changes were reported, and 2 were good", n)
	}
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A server whose definition changes is started anew; the old one ends with its last
// run.
func TestG16ReloadOfServers(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	f := newGraphFile(t, versioned(g, "one", ""))
	s := startCommand(t, nil, "serve", "-g", f.path, "--watch")
	s.handshake()
	first := s.call("go", `{}`).text(t)
	_, running := s.sendCall("go", `{"wait": true}`)
	g.wait("in ", 1)
	f.write(versioned(g, "one", ", maxInFlight: 7"))
	s.reloaded(1)
	second := s.call("go", `{}`).text(t)
	if second == first {
		t.Errorf("the server is the old one: %s", second)
	}
	g.open()
	if got := s.result(s.await(running)).text(t); got != first {
		t.Errorf("the run that was on its way gave %s, want %s", got, first)
	}
	ended(t, first)
	if got := s.call("go", `{}`).text(t); got != second {
		t.Errorf("later: %s, want %s", got, second)
	}
}
