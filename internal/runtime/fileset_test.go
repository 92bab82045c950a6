package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/internal/serving/server"
)

// atPaths serves graph files at the paths of one address.
type atPaths struct {
	t       *testing.T
	address string
	ready   chan struct{}
}

func (a *atPaths) Serve(ctx context.Context, s *runtime.Served) error {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	site := server.NewSite(ctx, server.HTTPOptions{State: s.State, Metrics: s.Metrics}, s.Log, time.Second, 0)
	if s.Server != nil {
		site.Put(server.Endpoint, s.Server)
	}
	s.Each(site)
	a.address = on.Addr().String()
	close(a.ready)
	return site.Serve(ctx, on)
}

// call calls a tool at a path, and returns the answer, or the status and the text of a refusal.
func (a *atPaths) call(path, tool string) string {
	a.t.Helper()
	return a.ask(http.MethodPost, path, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool))
}

func (a *atPaths) ask(method, path, message string) string {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), method, "http://"+a.address+path, strings.NewReader(message))
	if err != nil {
		a.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Sprintf("%d %s", resp.StatusCode, body)
	}
	return string(body)
}

// until asks until the answer has a text.
func until(t *testing.T, text string, ask func() string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		last := ask()
		if strings.Contains(last, text) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("got %s, want %s", last, text)
		}
	}
}

// logs is a log that can be read while it is written.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// says writes a graph file whose tool gives a text.
func says(t *testing.T, path, tool, text string) {
	t.Helper()
	src := fmt.Sprintf(`version: "1.0"
server: {name: %[1]s, version: 1.0.0}
tools:
- name: %[1]s
  description: says a text
  nodes: [{id: entry, type: entry, next: say}, {id: say, type: transform, transform: {expr: '%[2]q'}, next: exit}, {id: exit, type: exit}]
`, tool, text)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serveAll serves the graph files of a directory until the test ends.
func serveAll(t *testing.T, dir string, how runtime.Service, change func(*runtime.Options)) (*atPaths, *logs) {
	t.Helper()
	at, log := &atPaths{t: t, ready: make(chan struct{})}, &logs{}
	how.Transport, how.HTTP, how.HTTPGrace = at, true, time.Second
	o := runtime.Options{Log: runtime.Logging{To: log, Level: "info"}, Directories: []string{dir}, Graphs: func() (all []runtime.GraphFile, err error) {
		found, err := project.Find(t.Context(), project.NotGraphs, dir)
		if err != nil {
			return nil, err
		}
		for _, path := range found.Files {
			below, _ := filepath.Rel(dir, path)
			all = append(all, runtime.GraphFile{Name: filepath.ToSlash(strings.TrimSuffix(below, ".yaml")), Path: path})
		}
		return all, nil
	}}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- runtime.Serve(ctx, o, how) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case <-at.ready:
	case err := <-ended:
		t.Fatal(err)
	}
	return at, log
}

// The files of a directory are served each at its path, and at one path together. With Watch they come and go, and a version with
// errors leaves the one before it.
func TestGraphFilesOfADirectory(t *testing.T) {
	dir := t.TempDir()
	says(t, filepath.Join(dir, "one.yaml"), "one", "1")
	says(t, filepath.Join(dir, "team", "two.yaml"), "two", "2")
	at, log := serveAll(t, dir, runtime.Service{Watch: true, Together: true}, func(o *runtime.Options) { o.Metrics = true })
	for path, tool := range map[string]string{"/one/mcp": "one", "/team/two/mcp": "two"} {
		if got := at.call(path, tool); !strings.Contains(got, `"content"`) || strings.Contains(got, "isError") {
			t.Errorf("%s: %s", path, got)
		}
		if got := at.call("/mcp", tool); !strings.Contains(got, `"content"`) || strings.Contains(got, "isError") {
			t.Errorf("together, %s: %s", tool, got)
		}
	}
	if got := at.call("/one/mcp", "two"); !strings.Contains(got, "two") || !strings.Contains(got, "error") {
		t.Errorf("a file has the tool of another: %s", got)
	}
	if got := at.call("/none/mcp", "one"); !strings.Contains(got, "404") || !strings.Contains(got, "/mcp, /one/mcp, /team/two/mcp") {
		t.Errorf("no such path: %s", got)
	}

	says(t, filepath.Join(dir, "one.yaml"), "one", "one again")
	for _, path := range []string{"/one/mcp", "/mcp"} {
		until(t, "one again", func() string { return at.call(path, "one") })
	}
	if err := os.WriteFile(filepath.Join(dir, "one.yaml"), []byte("version: '1.0'\nserver: {name: one, version: 1.0.0}\ntools: [{name: one, nodes: 7}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ready := func() string { return at.ask(http.MethodGet, "/readyz?verbose", "") }
	until(t, "/one/mcp serves the version before", ready)
	if got := at.ask(http.MethodGet, "/metrics", ""); !strings.Contains(got, `toolgraph_graph_files{state="current"} 1`) || !strings.Contains(got, `toolgraph_graph_files{state="previous"} 1`) {
		t.Errorf("the metrics have %s", got)
	}
	if got := at.call("/one/mcp", "one"); !strings.Contains(got, "one again") {
		t.Errorf("a version with errors is served: %s", got)
	}
	if got := log.String(); !strings.Contains(got, "one.yaml") || !strings.Contains(got, "still serving the previous version") {
		t.Errorf("the log has %s", got)
	}

	says(t, filepath.Join(dir, "three.yaml"), "three", "3")
	until(t, `"content"`, func() string { return at.call("/three/mcp", "three") })
	until(t, `"content"`, func() string { return at.call("/mcp", "three") })
	says(t, filepath.Join(dir, "four.yaml"), "three", "another three")
	until(t, "/four/mcp serves nothing", ready)
	if got := log.String(); !strings.Contains(got, "four.yaml") || !strings.Contains(got, `both have a tool \"three\"`) {
		t.Errorf("the log has %s", got)
	}
	says(t, filepath.Join(dir, "four.yaml"), "four", "4")
	until(t, `"content"`, func() string { return at.call("/four/mcp", "four") })
	if err := os.Remove(filepath.Join(dir, "three.yaml")); err != nil {
		t.Fatal(err)
	}
	until(t, "404", func() string { return at.call("/three/mcp", "three") })
	until(t, "error", func() string { return at.call("/mcp", "three") })
	if got := at.call("/mcp", "four"); !strings.Contains(got, `"content"`) {
		t.Errorf("the others: %s", got)
	}
}

// Two files with one tool are no server together, and the error names both; each by itself is served.
func TestEqualNamesOfFilesTogether(t *testing.T) {
	dir := t.TempDir()
	says(t, filepath.Join(dir, "a.yaml"), "same", "a")
	says(t, filepath.Join(dir, "b.yaml"), "same", "b")
	files := func() ([]runtime.GraphFile, error) {
		return []runtime.GraphFile{{Name: "a", Path: filepath.Join(dir, "a.yaml")}, {Name: "b", Path: filepath.Join(dir, "b.yaml")}}, nil
	}
	err := runtime.Serve(t.Context(), runtime.Options{Graphs: files}, runtime.Service{Together: true, Transport: &client{}})
	if err == nil || !strings.Contains(err.Error(), "a.yaml and ") || !strings.Contains(err.Error(), `b.yaml both have a tool "same"`) {
		t.Errorf("got %v", err)
	}
	at, _ := serveAll(t, dir, runtime.Service{}, nil)
	for name, text := range map[string]string{"a": `\"a\"`, "b": `\"b\"`} {
		if got := at.call("/"+name+"/mcp", "same"); !strings.Contains(got, text) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Without Watch every file must be valid, and what is wrong with all of them is said.
func TestInvalidFilesOfADirectory(t *testing.T) {
	dir := t.TempDir()
	says(t, filepath.Join(dir, "good.yaml"), "good", "1")
	var files []runtime.GraphFile
	for _, name := range []string{"good", "bad", "worse"} {
		path := filepath.Join(dir, name+".yaml")
		files = append(files, runtime.GraphFile{Name: name, Path: path})
		if name != "good" {
			if err := os.WriteFile(path, []byte("version: '1.0'\nserver: {name: x, version: 1.0.0}\ntools: [{name: one, nodes: 7}]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := runtime.Serve(t.Context(), runtime.Options{Graphs: func() ([]runtime.GraphFile, error) { return files, nil }}, runtime.Service{Transport: &client{}})
	if err == nil || !strings.Contains(err.Error(), "bad.yaml") || !strings.Contains(err.Error(), "worse.yaml") {
		t.Errorf("got %v", err)
	}
}
