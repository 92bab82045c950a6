package lsp

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
)

const importing = `version: "1.0"
server: {name: main, version: 1.0.0}
imports: {texts: ./texts.yaml}
tools:
  - name: welcome
    description: Greets a person.
    nodes:
      - {id: entry, type: entry, next: call}
      - {id: call, type: graph, tool: texts.greet, args: {name: you}, next: exit}
      - {id: exit, type: exit}
`

// A text that is not saved counts in the checks of a file that imports it; closed, the file counts.
func TestUnsavedImport(t *testing.T) {
	c := start(t, nil)
	c.write("texts.yaml", graph)
	main := c.open("main.yaml", importing)
	if got := c.codes(main); got != "" {
		t.Fatalf("got %s", got)
	}
	texts := c.open("texts.yaml", graph)
	c.replace(texts, "name: greet", "name: salute")
	awaitCodes(c, main, "unknown-graph")
	c.notify("textDocument/didClose", aboutDocument{documentID{URI: texts}})
	awaitCodes(c, main, "")
	// A mistake in the import is shown there, although only the other file is open; also when it changes on disk.
	c.write("texts.yaml", strings.Replace(graph, "next: make", "next: mak", 1))
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": texts, "type": 2}}})
	awaitCodes(c, texts, "unknown-node")
	c.write("texts.yaml", graph)
	c.notify("textDocument/didSave", aboutDocument{documentID{URI: texts}})
	awaitCodes(c, texts, "")
	// It may be deleted and come back.
	for _, change := range []struct {
		make  func() error
		found string
	}{
		{func() error { return os.Remove(filepath.Join(c.dir, "texts.yaml")) }, "unreadable-import"},
		{func() error { c.write("texts.yaml", graph); return nil }, ""},
	} {
		if err := change.make(); err != nil {
			t.Fatal(err)
		}
		c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": texts, "type": 2}}})
		awaitCodes(c, main, change.found)
	}
}

// What several documents find at a place is shown once, as the check of the file itself words it.
func TestFindingsAreNotDoubled(t *testing.T) {
	found := func(line int, code, message string) config.Diagnostic {
		return config.Diagnostic{Pos: config.Pos{File: "/texts.yaml", Line: line, Column: 3}, Code: code, Message: message}
	}
	s := New(Options{})
	s.checker.found = map[string]map[string]config.Diagnostics{
		"file:///a.yaml":     {"/texts.yaml": {found(1, "x", "of a"), found(2, "y", "of a"), found(2, "y", "of a, another")}},
		"file:///main.yaml":  {"/texts.yaml": {found(1, "x", "of main"), found(2, "y", "of main"), found(3, "y", "of main")}},
		"file:///texts.yaml": {"/texts.yaml": {found(1, "x", "of itself"), found(1, "x", "of itself, another")}},
	}
	var got []string
	for _, f := range s.foundIn("/texts.yaml", "file:///texts.yaml") {
		got = append(got, f.Message)
	}
	if got := strings.Join(got, "; "); got != "of itself; of itself, another; of a; of a, another; of main" {
		t.Errorf("got %s", got)
	}
}

// awaitCodes waits until a document is shown with these findings.
func awaitCodes(c *client, uri, want string) {
	c.t.Helper()
	c.await("the findings "+want, func() bool {
		var codes []string
		for _, d := range c.shown[uri].Diagnostics {
			codes = append(codes, d.Code)
		}
		return strings.Join(codes, " ") == want
	})
}

const tests = `tests:
  - name: greets
    tool: greet
    args: {name: Ada}
    expect: {value: {text: Hello Ada}, path: [entry, make, exit]}
`

// A test file is checked against its graph file, saved or not.
func TestTestFile(t *testing.T) {
	c := start(t, nil)
	c.write("graph.yaml", graph)
	uri := c.open("graph.test.yaml", tests)
	if got := c.codes(uri); got != "" {
		t.Fatalf("got %s", got)
	}
	g := c.open("graph.yaml", graph)
	c.replace(g, "next: make", "next: build")
	c.replace(g, "id: make", "id: build")
	awaitCodes(c, uri, "unknown-test-name")
	found := c.findings(uri)[0]
	if got := c.textAt(uri, found.Range); got != "make" {
		t.Errorf("the range is %q", got)
	}
	c.replace(g, "id: build", "id: build ]") // no YAML: the names of the last valid version count
	c.findings(g)
	c.replace(uri, "make", "build")
	awaitCodes(c, uri, "")
	if other := c.open("other.test.yaml", "name: of another program\n"); c.codes(other) != "" {
		t.Error("a file of another program has findings")
	}
}

// Findings stay while a line is no YAML, and the ones that the line causes do not come.
func TestFindingsStayInBrokenText(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", strings.Replace(graph, "required: [name]", "required: [nam]", 1))
	if got := c.codes(uri); got != "schema-required" {
		t.Fatalf("got %s", got)
	}
	c.replace(uri, "description: Greets", "description: Greets: ") // no YAML above
	if got := c.codes(uri); got != "yaml-syntax schema-required" {
		t.Errorf("got %s", got)
	}
	if found := c.findings(uri); c.textAt(uri, found[len(found)-1].Range) != "nam" {
		t.Errorf("the finding has moved to %q", c.textAt(uri, found[len(found)-1].Range))
	}
	c.replace(uri, "Greets: ", "Greets")
	c.replace(uri, "- id: make", "- id: {make") // without the line there is no node
	if got := c.codes(uri); got != "schema-required yaml-syntax" {
		t.Errorf("got %s", got)
	}
}

// Each broken tool has its finding, up to the eighth that is left out and the one at which that ends.
func TestManyBrokenLines(t *testing.T) {
	c := start(t, nil)
	text := graph + "  - name: last\n    description: d\n    nodes: 7\n" + strings.Repeat("  - {[}\n", 30)
	uri := c.open("graph.yaml", strings.Replace(graph, "required: [name]", "required: [nam]", 1))
	c.codes(uri)
	c.edit(uri, Range{Position{}, Position{Line: 99}}, text)
	if got := c.codes(uri); got != strings.TrimSpace(strings.Repeat("yaml-syntax ", 9)) {
		t.Errorf("got %s", got)
	}
}

// A version is checked once: for what is shown and for all who ask.
func TestOneCheckPerVersion(t *testing.T) {
	log := &lockedBuffer{}
	c := connect(t, Options{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	c.failure("initialize", map[string]any{"initializationOptions": map[string]any{"debounceMs": 0}})
	c.notify("initialized", nil)
	uri := c.open("graph.yaml", graph)
	for range 5 {
		var report struct{ Items []Diagnostic }
		c.ask("textDocument/diagnostic", aboutDocument{documentID{URI: uri}}, &report)
	}
	c.findings(uri)
	if got := strings.Count(log.String(), "msg=checked"); got != 1 {
		t.Errorf("got %d checks", got)
	}
}

// Changes in the pause are checked once, and who asks does not wait for its end.
func TestPause(t *testing.T) {
	c := start(t, func(p map[string]any) { p["initializationOptions"] = map[string]any{"debounceMs": 1_000_000} })
	uri := c.open("graph.yaml", graph)
	c.findings(uri)
	for range 50 {
		c.replace(uri, "next: exit", "next: exti")
		c.replace(uri, "next: exti", "next: exit")
	}
	c.replace(uri, "next: exit", "next: exti")
	var report struct{ Items []Diagnostic }
	c.ask("textDocument/diagnostic", aboutDocument{documentID{URI: uri}}, &report)
	if len(report.Items) != 1 || report.Items[0].Code != "unknown-node" {
		t.Errorf("got %+v", report.Items)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[uri] != 1 {
		t.Errorf("findings came %d times", c.counts[uri])
	}
}

// A lock that is not saved counts, and what is wrong in it is shown in it.
func TestLock(t *testing.T) {
	c := start(t, nil)
	const server = "mcpServers: {files: {command: none}}\ntools:"
	text := strings.Replace(graph, "tools:", server, 1)
	text = strings.Replace(text, "type: transform\n        transform:\n          expr: '{\"text\": \"Hello \" & $.entry.name}'", "type: mcp\n        server: files\n        tool: read\n        args: {}", 1)
	uri := c.open("graph.yaml", text)
	if got := c.codes(uri); got != "" {
		t.Fatalf("got %s", got)
	}
	lock := c.open("graph.lock.yaml", "version: 1\nservers: {}\n")
	c.replace(lock, "version: 1", "version: 99")
	awaitCodes(c, lock, "bad-lock")
	awaitCodes(c, uri, "")
	c.notify("textDocument/didClose", aboutDocument{documentID{URI: lock}})
	c.await("no findings in the lock", func() bool { return len(c.shown[lock].Diagnostics) == 0 })
}

// Files that are no graph files have no findings; one that was a graph file keeps them.
func TestOtherFiles(t *testing.T) {
	c := start(t, nil)
	if got := c.codes(c.open("compose.yaml", "services: {web: {image: x}}\n")); got != "" {
		t.Errorf("got %s", got)
	}
	uri := c.open("graph.yaml", graph)
	c.edit(uri, Range{Position{}, Position{Line: 99}}, "")
	if got := c.codes(uri); got != "empty-file" {
		t.Errorf("got %s", got)
	}
	tests := c.open("graph.test.yaml", "graph: graph.yaml\ntests: []\n")
	c.codes(tests)
	c.edit(tests, Range{Position{}, Position{Line: 99}}, "t:\n") // about to be a key
	if got := c.codes(tests); got == "" {
		t.Error("a test file is none while its first key is written")
	}
	untitled := c.openURI("untitled:Untitled-1", "yaml", strings.Replace(graph, "next: make", "next: mak", 1))
	if got := c.codes(untitled); got != "unknown-node" {
		t.Errorf("got %s", got)
	}
}

// The position encoding that the client offers, cheapest first; old clients count UTF-16.
func TestPositionEncoding(t *testing.T) {
	for _, offer := range []struct {
		encodings []string
		chosen    any
		character int
	}{{nil, nil, 22}, {[]string{"utf-16"}, "utf-16", 22}, {[]string{"utf-32", "utf-16", "utf-8"}, "utf-8", 24}} {
		c := start(t, func(p map[string]any) {
			if offer.encodings != nil {
				p["capabilities"] = map[string]any{"general": map[string]any{"positionEncodings": offer.encodings}}
			}
		})
		if got := c.capabilities["positionEncoding"]; got != offer.chosen {
			t.Errorf("%v: chosen %v", offer.encodings, got)
		}
		uri := c.open("graph.yaml", strings.Replace(graph, `{name: test, version: 1.0.0}`, `{title: "𝄞", nam: test, name: test, version: 1.0.0}`, 1))
		if found := c.findings(uri); len(found) != 1 || found[0].Range.Start.Character != offer.character {
			t.Errorf("%v: got %+v", offer.encodings, found)
		}
	}
}

// No value of an environment variable is shown, and the server reads none.
func TestEnvironmentStaysUnread(t *testing.T) {
	t.Setenv("TOOLGRAPH_TEST_SECRET", "s3cret-value")
	c := start(t, nil)
	text := strings.Replace(graph, "tools:", "mcpServers: {files: {command: none, env: {A: \"${TOOLGRAPH_TEST_SECRET}\", B: \"${NOT_SET_ANYWHERE}\"}}}\ntools:", 1)
	uri := c.open("graph.yaml", text)
	if got := c.codes(uri); got != "" {
		t.Errorf("got %s", got)
	}
}

// Limits on what is open: a document over them is not opened, and has no findings.
func TestManyDocuments(t *testing.T) {
	log := &lockedBuffer{}
	c := connect(t, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	c.failure("initialize", map[string]any{})
	for i := range mostDocuments + 1 {
		c.open(strings.Repeat("x", i+1)+".yaml", "")
	}
	if got := c.failure("textDocument/diagnostic", aboutDocument{documentID{URI: c.uri(strings.Repeat("x", mostDocuments+1) + ".yaml")}}); got != codeInvalidParams {
		t.Errorf("got %d", got)
	}
	c.open("other.yaml", "")
	c.ask("shutdown", nil, new(any))
	if got := strings.Count(log.String(), "200 documents are open"); got != 2 {
		t.Errorf("the log is %s", log.String())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.notices) != 1 || !strings.Contains(string(c.notices[0].Params), "200 documents are open") {
		t.Errorf("the user got the notices %v", c.notices)
	}
}

// A document that was not closed is forgotten when it is opened again with a text that is too large.
func TestOpenedAgainTooLarge(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", strings.Replace(graph, "next: make", "next: mak", 1))
	if got := c.codes(uri); got != "unknown-node" {
		t.Fatalf("got %s", got)
	}
	c.server.mu.Lock()
	c.server.docs["big"] = &document{uri: "big", now: &snapshot{text: &text{src: strings.Repeat("x", mostBytes)}}}
	c.server.mu.Unlock()
	c.openURI(uri, "yaml", graph)
	awaitCodes(c, uri, "")
	if got := c.failure("textDocument/diagnostic", aboutDocument{documentID{URI: uri}}); got != codeInvalidParams {
		t.Errorf("got %d", got)
	}
}

// A change of a file that a check under way has read already is not missed.
func TestChangeDuringCheck(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", graph)
	c.findings(uri)
	s := c.server
	s.mu.Lock()
	snap := s.docs[uri].now
	s.mu.Unlock()
	path := filepath.Join(c.dir, "other.yaml")
	_, _ = snap.reader(&result{reads: map[string]bool{}})(path) // there is none
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fileChanged(path); s.docs[uri].now == snap {
		t.Error("the document is not checked again")
	}
}

// Settings that cannot be read are reported, and the others count.
func TestSettings(t *testing.T) {
	got, err := readSettings([]byte(`{"toolgraph": {"debounceMs": "fast", "hoverValues": false, "state": "/s"}}`), settings{MCP: "a"})
	if err == nil || got.hoverValues() || got.State != "/s" || got.MCP != "a" || got.debounce() != usualDebounce || !got.inlayHints() {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, none := range []string{"", "null", "[]", `{"other": {}}`} {
		if got, _ := readSettings([]byte(none), settings{MCP: "a"}); got.MCP != "a" {
			t.Errorf("%s: got %+v", none, got)
		}
	}
}

// A client that waits to be asked for its settings is asked, and the new ones count.
func TestAskedSettings(t *testing.T) {
	c := start(t, func(p map[string]any) {
		p["capabilities"] = map[string]any{"workspace": map[string]any{"configuration": true, "didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}}
	})
	servers := filepath.Join(c.dir, "servers.json")
	if err := os.WriteFile(servers, []byte(`{"mcpServers": {"files": {"command": "none"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	uri := c.open("graph.yaml", strings.Replace(graph, "type: transform\n        transform:\n          expr: '{\"text\": \"Hello \" & $.entry.name}'", "type: mcp\n        server: files\n        tool: read\n        args: {}", 1))
	awaitCodes(c, uri, "unknown-server")
	c.await("two requests", func() bool { return len(c.asked) == 2 })
	for _, m := range c.asked {
		answer := message{ID: m.ID, Result: []byte("null")}
		if m.Method == "workspace/configuration" {
			answer.Result = []byte(`[{"mcp": "servers.json", "debounceMs": 0}]`) // relative to the workspace
		}
		if err := c.wire.write(answer); err != nil {
			t.Fatal(err)
		}
	}
	awaitCodes(c, uri, "")
}
