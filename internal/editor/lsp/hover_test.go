package lsp

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hovered returns the description of the word at the ‸ of a piece of a document; "" for none.
func (c *client) hovered(uri, marked string) string {
	c.t.Helper()
	var h *hoverResult
	c.ask("textDocument/hover", c.place(uri, marked), &h)
	if h == nil {
		return ""
	}
	return c.textAt(uri, h.Range) + " " + h.Contents.Kind + "\n" + h.Contents.Value
}

func TestHover(t *testing.T) {
	c := start(t, nil)
	c.write("graph.lock.yaml", locked(t, written))
	uri := c.open("graph.yaml", written)
	for marked, want := range map[string][]string{
		"$.list.it‸ems":         {"items plaintext\n", "items array of {size: integer}", "size: integer", "type from: outputSchema of files.list, graph.lock.yaml"},
		"id: li‸st\n":           {"list plaintext\n", "output: {items: array of {size: integer}}", "reads: $.entry.directory", "read by: sum"},
		"        tool: li‸st\n": {"Lists ![a](https://a.example) <b>files</b>.", "arguments: path: string", "returns: {items: array of {size: integer}}"},
		"$su‸m(":                {"Adds the numbers", "Example: $sum([1, 2, 3]) is 6"},
		"type: tr‸ansform":      {"Computes a value with JSONata"},
		"        ty‸pe: mcp":    {"What the node does."},
	} {
		got := c.hovered(uri, marked)
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %q in\n%s", marked, line, got)
			}
		}
	}
	if got := c.hovered(uri, "version: \"1‸.0\""); got != "" {
		t.Errorf("of a number: %s", got)
	}
	c.write("graph.test.yaml", "")
	tests := c.open("graph.test.yaml", "tests:\n  - name: a\n    tool: sizes\n    args: {directory: .}\n    expect: {isError: true}\n")
	if got := c.hovered(tests, "isEr‸ror"); !strings.Contains(got, "The run fails.") {
		t.Errorf("of a test: %s", got)
	}
}

// What others have written is shown as it is: Markdown of an upstream description is no Markdown of the hover.
func TestHoverIsEscaped(t *testing.T) {
	c := start(t, modern)
	c.write("graph.lock.yaml", locked(t, written))
	uri := c.open("graph.yaml", written)
	got := c.hovered(uri, "        tool: li‸st\n")
	if !strings.Contains(got, `Lists \!\[a\](https://a.example) \<b\>files\</b\>.`) || !strings.Contains(got, "- *arguments*: path: string") {
		t.Error(got)
	}
}

// recordedStore answers for a store of runs.
type recordedStore struct {
	asked atomic.Int32
	value string
	err   error
	block chan struct{} // nil: it answers at once
}

func (s *recordedStore) last(ctx context.Context, _, file, tool, node string) (*Output, error) {
	s.asked.Add(1)
	if s.block != nil {
		<-s.block
	}
	if s.err != nil || tool != "sizes" || node != "list" || !strings.HasSuffix(file, "graph.yaml") {
		return nil, s.err
	}
	return &Output{Run: "5GNFQ", Started: time.Unix(0, 0), JSON: []byte(s.value), Truncated: strings.HasSuffix(s.value, "…")}, nil
}

// shown starts a client of a server that reads runs from a store, with a setting.
func shown(t *testing.T, s *recordedStore, values bool) (*client, string) {
	t.Helper()
	c := connect(t, Options{LastOutput: s.last})
	var ignored struct{}
	c.ask("initialize", map[string]any{"capabilities": map[string]any{}, "initializationOptions": map[string]any{"hoverValues": values}}, &ignored)
	c.notify("initialized", map[string]any{})
	c.write("graph.lock.yaml", locked(t, written))
	return c, c.open("graph.yaml", written)
}

// Hovers show the value of the last run, in short, with its run; of a field, the part of the output.
func TestHoverShowsTheLastValue(t *testing.T) {
	s := &recordedStore{value: `{"items":[{"size":1},{"size":2}],"long":"` + strings.Repeat("x", 1000) + `"}`}
	c, uri := shown(t, s, true)
	if got := c.hovered(uri, "$.list.items.si‸ze"); !strings.Contains(got, "value in the last run, 5GNFQ of ") || !strings.Contains(got, ": [1,2]") {
		t.Error(got)
	}
	if got := c.hovered(uri, "id: li‸st\n"); !strings.Contains(got, `{"items":[{"size":1},{"size":2}],"long":"xxx`) || len(got) > 1500 {
		t.Error(got)
	}
	if got := c.hovered(uri, "id: su‸m,"); strings.Contains(got, "last run") {
		t.Errorf("a node without a value: %s", got)
	}
	if n := s.asked.Load(); n != 2 {
		t.Errorf("the store was read %d times for two nodes", n)
	}
}

func TestHoverWithoutValues(t *testing.T) {
	off := &recordedStore{value: "{}"}
	if c, uri := shown(t, off, false); strings.Contains(c.hovered(uri, "id: li‸st\n"), "last run") || off.asked.Load() > 0 {
		t.Error("the setting is ignored")
	}
	broken := &recordedStore{err: errors.New("the store cannot be opened")}
	if c, uri := shown(t, broken, true); !strings.Contains(c.hovered(uri, "id: li‸st\n"), "output: ") {
		t.Error("a broken store hides the rest")
	}
	part := &recordedStore{value: `{"items":[…`}
	c, uri := shown(t, part, true)
	if got := c.hovered(uri, "$.list.items.si‸ze"); strings.Contains(got, "last run") {
		t.Errorf("of the beginning of a value no part is known: %s", got)
	}
	if got := c.hovered(uri, "id: li‸st\n"); !strings.Contains(got, `{"items":[…`) {
		t.Errorf("the beginning of a value is shown: %s", got)
	}
}

// A store that does not answer does not hold a hover up, and is not asked again meanwhile.
func TestHoverDoesNotWaitForTheStore(t *testing.T) {
	s := &recordedStore{value: "{}", block: make(chan struct{})}
	c, uri := shown(t, s, true)
	for range 3 {
		if got := c.hovered(uri, "id: li‸st\n"); !strings.Contains(got, "output: ") || strings.Contains(got, "last run") {
			t.Error(got)
		}
	}
	if n := s.asked.Load(); n != 1 {
		t.Errorf("the store was asked %d times", n)
	}
	close(s.block)
	c.server.answers.Wait()
	s.block = make(chan struct{})
	answered := make(chan *Output)
	go func() { answered <- c.server.output(context.Background(), outputKey{node: "other"}) }()
	select {
	case out := <-answered:
		if out != nil {
			t.Errorf("an answer without the store: %+v", out)
		}
	case <-time.After(patience):
		t.Error("the answer waits for the store")
	}
	close(s.block)
	c.server.answers.Wait()
	if got := c.hovered(uri, "id: li‸st\n"); !strings.Contains(got, "last run") {
		t.Errorf("the late answer is lost: %s", got)
	}
}
