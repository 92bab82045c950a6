package lsp

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// While the text is no YAML, the findings of a file stay whose import cannot be read.
func TestBrokenTextWithFaultyImport(t *testing.T) {
	c := start(t, nil)
	c.write("other.yaml", "a: [")
	text := strings.Replace(graph, "tools:", "imports: {other: ./other.yaml}\ntools:", 1)
	text = strings.Replace(text, "next: make", "next: sub", 1)
	text = strings.Replace(text, "      - id: make", "      - {id: sub, type: graph, tool: other.greet, args: {name: {expr: $.entry.name}}, next: make}\n      - id: make", 1)
	uri := c.open("graph.yaml", strings.Replace(text, "required: [name]", "required: [nam]", 1))
	if got := c.codes(uri); got != "not-a-graph schema-required" {
		t.Fatalf("got %s", got)
	}
	c.replace(uri, "description: Greets", "description: Greets: ") // no YAML above
	if got := c.codes(uri); got != "not-a-graph yaml-syntax schema-required" {
		t.Errorf("got %s", got)
	}
}

// After a change in one tool the others are not followed again, also while the text is no YAML for a moment.
func TestEditorFollowsWhatHasChanged(t *testing.T) {
	c := start(t, nil)
	const most = 3
	text := graph
	_, tool, _ := strings.Cut(graph, "tools:\n")
	for _, name := range []string{"second", "third", "fourth"} {
		text += strings.Replace(tool, "greet", name, 1)
	}
	uri := c.open("graph.yaml", text)
	if got := c.codes(uri); got != "" {
		t.Fatalf("got %s", got)
	}
	if followed, of := c.server.clean.Counts(); followed != 1+most || of != followed {
		t.Fatalf("at first %d of %d graphs are followed, want %d", followed, of, 1+most)
	}
	for i, change := range [][2]string{{"name: third\n    description: Greets a", "name: third\n    description: Greets: a"}, {"description: Greets: a", "description: Greets any"}} {
		c.replace(uri, change[0], change[1])
		c.codes(uri)
		if followed, _ := c.server.clean.Counts(); followed > 1+most+1+i {
			t.Errorf("%s: %d graphs are followed, want %d at most", change[1], followed, 1+most+1+i)
		}
	}
}

// Two files that import each other do so no longer when one of them is deleted, although both are open.
func TestRingThatIsDeleted(t *testing.T) {
	c := start(t, nil)
	one := strings.Replace(graph, "tools:", "imports: {two: ./two.yaml}\ntools:", 1)
	two := strings.Replace(graph, "tools:", "imports: {one: ./one.yaml}\ntools:", 1)
	c.write("one.yaml", one)
	c.write("two.yaml", two)
	first, second := c.open("one.yaml", one), c.open("two.yaml", two)
	awaitCodes(c, first, "import-ring unused-import")
	awaitCodes(c, second, "import-ring unused-import")
	if err := os.Remove(filepath.Join(c.dir, "one.yaml")); err != nil {
		t.Fatal(err)
	}
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": first, "type": 3}}})
	awaitCodes(c, second, "unreadable-import")
}

// A panic in a check is an error of the check.
func TestPanicInCheck(t *testing.T) {
	log := &lockedBuffer{}
	c := connect(t, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	c.failure("initialize", map[string]any{})
	uri := c.open("graph.yaml", graph)
	c.codes(uri)
	c.server.mu.Lock()
	snap := c.server.newSnapshot(c.server.docs[uri], graphFile, newText(graph, utf16Units), nil)
	c.server.mu.Unlock()
	snap.doc = nil // which notes the files that a check reads
	if _, err := snap.findings(t.Context()); err == nil {
		t.Error("the check has no error")
	}
	if !strings.Contains(log.String(), "a check failed") {
		t.Errorf("the log is %s", log.String())
	}
}
