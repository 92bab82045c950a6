package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/mcpclient"
)

// calling calls a tool of a server, with a wrong argument.
var calling = strings.Replace(strings.Replace(graph, "type: transform\n        transform:\n          expr: '{\"text\": \"Hello \" & $.entry.name}'",
	"type: mcp\n        server: files\n        tool: read\n        args: {pth: a}", 1),
	"tools:", "mcpServers: {files: {command: read-files, args: [--token, \"${SECRET_TOKEN}\"]}}\ntools:", 1)

// answerQuestion waits for a question to the user and answers it with the text of an action; "": it is dismissed.
func (c *client) answerQuestion(title string) (question string) {
	c.t.Helper()
	var m message
	c.await("a question", func() bool {
		for i := range c.asked {
			if c.asked[i].Method == "window/showMessageRequest" {
				m = c.asked[i]
				c.asked = append(c.asked[:i], c.asked[i+1:]...)
				return true
			}
		}
		return false
	})
	answer := "null"
	if title != "" {
		answer = fmt.Sprintf(`{"title": %q}`, title)
	}
	if err := c.wire.write(message{ID: m.ID, Result: []byte(answer)}); err != nil {
		c.t.Fatal(err)
	}
	return string(m.Params)
}

// A relative path of more servers is below the folder of the workspace, for the list as for the checks.
func TestServersFileBelowTheFolder(t *testing.T) {
	listed := make(chan string, 9)
	c := connect(t, Options{List: func(_ context.Context, _ string, _ []byte, servers string) (map[string][]mcpclient.Tool, error) {
		listed <- servers
		return nil, nil //nolint:nilnil // nothing is listed
	}})
	c.failure("initialize", map[string]any{"rootUri": fileURI(c.dir), "initializationOptions": map[string]any{"debounceMs": 0, "mcp": "more.json", "live": true}})
	c.notify("initialized", nil)
	c.write("more.json", `{"mcpServers": {"files": {"command": "read-files"}}}`)
	text := strings.Replace(calling, "mcpServers: {files: {command: read-files, args: [--token, \"${SECRET_TOKEN}\"]}}\n", "", 1)
	c.write("graph.yaml", text)
	if got := c.codes(c.open("graph.yaml", text)); got != "" {
		t.Errorf("got %s", got)
	}
	if question := c.answerQuestion("Start them"); !strings.Contains(question, "read-files") {
		t.Errorf("the question is %s", question)
	}
	if got, want := <-listed, filepath.Join(c.dir, "more.json"); got != want {
		t.Errorf("the file of servers is %s, expected %s", got, want)
	}
}

// Servers are started only with the setting and after the user has agreed, and the user is asked once.
func TestServersAreListedAfterAQuestion(t *testing.T) {
	lists := make(chan string, 9)
	options := Options{List: func(_ context.Context, path string, src []byte, _ string) (map[string][]mcpclient.Tool, error) {
		lists <- string(src)
		return map[string][]mcpclient.Tool{"files": {{Name: "read", Description: "Reads a file.", InputSchema: []byte(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false}`)}}}, nil
	}}
	c := connect(t, options)
	c.failure("initialize", map[string]any{"rootUri": fileURI(c.dir), "initializationOptions": map[string]any{"debounceMs": 0}})
	c.notify("initialized", nil)
	c.write("graph.yaml", calling)
	uri := c.open("graph.yaml", calling+"# not saved\n")
	if got := c.codes(uri); got != "" {
		t.Fatalf("got %s", got)
	}
	live := func(on bool) {
		c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"toolgraph": map[string]any{"live": on}}})
	}
	live(true)
	if question := c.answerQuestion("Not now"); !strings.Contains(question, "read-files") || !strings.Contains(question, "${SECRET_TOKEN}") {
		t.Errorf("the question is %s", question)
	}
	changed := strings.Replace(calling, "read-files", "read-other-files", 1)
	c.write("graph.yaml", changed)
	c.notify("textDocument/didSave", aboutDocument{documentID{URI: uri}}) // other servers: another question
	c.answerQuestion("")
	c.write("graph.yaml", calling)
	c.notify("textDocument/didSave", aboutDocument{documentID{URI: uri}})
	c.answerQuestion("Start them")
	if src := <-lists; src != calling {
		t.Errorf("the servers of a text that was not saved were started: %s", src)
	}
	awaitCodes(c, uri, "argument-refused")
	for range 3 {
		c.notify("textDocument/didSave", aboutDocument{documentID{URI: uri}})
	}
	live(false)
	awaitCodes(c, uri, "")
	c.write("graph.yaml", strings.Replace(calling, "read-files", "read-more-files", 1)) // without the setting nothing is asked
	c.notify("textDocument/didSave", aboutDocument{documentID{URI: uri}})
	c.failure("shutdown", nil)
	c.notify("exit", nil)
	<-c.ended // with all work in the background
	c.await("the end", func() bool { return c.gone })
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(lists) != 0 || len(c.asked) != 0 {
		t.Errorf("%d more lists, and %+v", len(lists), c.asked)
	}
}
