package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience guards tests against hanging; no test waits for it when it passes.
const patience = time.Minute

// client is an editor of a test: it speaks with a server in the same process.
type client struct {
	t      testing.TB
	server *Server
	dir    string
	wire   *wire
	ended  chan error

	mu      sync.Mutex
	changed *sync.Cond // of what follows
	last    int
	answers map[string]message
	shown   map[string]publishParams // by URI, what was published last
	counts  map[string]int           // published diagnostics by URI
	asked   []message                // requests of the server
	notices []message                // notifications of the server but diagnostics
	texts   map[string]string        // of open documents
	version map[string]int
	closed  bool // nothing more is waited for
	gone    bool // the server has ended the connection

	capabilities map[string]any // of the server
}

// start starts a server and initializes it. options may be nil; it is changed to what the client offers.
func start(t testing.TB, options func(params map[string]any)) *client {
	t.Helper()
	c := connect(t, Options{})
	params := map[string]any{"processId": nil, "rootUri": fileURI(c.dir), "capabilities": map[string]any{}, "initializationOptions": map[string]any{"debounceMs": 0}}
	if options != nil {
		options(params)
	}
	var result struct {
		Capabilities map[string]any `json:"capabilities"`
	}
	c.ask("initialize", params, &result)
	c.capabilities = result.Capabilities
	c.notify("initialized", map[string]any{})
	return c
}

// connect starts a server that is not initialized; it ends with the test.
func connect(t testing.TB, opts Options) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{
		t: t, server: New(opts), dir: t.TempDir(), wire: newWire(toClient, fromClient), ended: make(chan error, 1),
		answers: map[string]message{}, shown: map[string]publishParams{}, counts: map[string]int{}, texts: map[string]string{}, version: map[string]int{},
	}
	c.changed = sync.NewCond(&c.mu)
	go func() {
		err := c.server.Serve(context.WithoutCancel(t.Context()), toServer, fromServer)
		fromServer.Close()
		toServer.Close()
		c.ended <- err
	}()
	reading := make(chan struct{})
	go func() { defer close(reading); c.read() }()
	t.Cleanup(func() {
		fromClient.Close()
		<-reading
		toClient.Close()
	})
	return c
}

// read keeps what the server sends.
func (c *client) read() {
	for {
		body, err := c.wire.read()
		c.mu.Lock()
		var m message
		if err == nil {
			err = json.Unmarshal(body, &m)
		}
		switch {
		case err != nil:
			c.closed, c.gone = true, true
		case m.Method == "textDocument/publishDiagnostics":
			var p publishParams
			if err := json.Unmarshal(m.Params, &p); err != nil {
				c.t.Errorf("%s: %s", m.Params, err)
			}
			c.shown[p.URI] = p
			c.counts[p.URI]++
		case m.Method != "" && m.ID != nil:
			c.asked = append(c.asked, m)
		case m.Method != "":
			c.notices = append(c.notices, m)
		case m.ID != nil:
			c.answers[string(*m.ID)] = m
		default:
			c.answers["null"] = m
		}
		c.changed.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await waits until something holds; it is asked under the lock after each message of the server.
func (c *client) await(what string, holds func() bool) {
	c.t.Helper()
	guard := time.AfterFunc(patience, func() {
		c.mu.Lock()
		c.closed = true
		c.changed.Broadcast()
		c.mu.Unlock()
	})
	defer guard.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !holds() {
		if c.closed {
			c.t.Fatalf("the server has not sent %s", what)
		}
		c.changed.Wait()
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	raw, err := json.Marshal(params)
	if err == nil {
		err = c.wire.write(message{Method: method, Params: raw})
	}
	if err != nil {
		c.t.Fatalf("%s: %s", method, err)
	}
}

// send sends a request and returns its id.
func (c *client) send(method string, params any) string {
	c.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	c.last++
	id := strconv.Itoa(c.last)
	c.mu.Unlock()
	wireID := json.RawMessage(id)
	if err := c.wire.write(message{ID: &wireID, Method: method, Params: raw}); err != nil {
		c.t.Fatalf("%s: %s", method, err)
	}
	return id
}

// answer waits for the answer to a request.
func (c *client) answer(id string) message {
	c.t.Helper()
	var m message
	c.await("the answer to "+id, func() (ok bool) { m, ok = c.answers[id]; return ok })
	return m
}

// ask sends a request and decodes its result, which must not be an error.
func (c *client) ask(method string, params, result any) {
	c.t.Helper()
	m := c.answer(c.send(method, params))
	if m.Error != nil {
		c.t.Fatalf("%s: %s (%d)", method, m.Error.Message, m.Error.Code)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		c.t.Fatalf("%s: %s: %s", method, m.Result, err)
	}
}

// write writes a file of the workspace and returns its URI.
func (c *client) write(name, text string) string {
	c.t.Helper()
	path := filepath.Join(c.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	return c.uri(name)
}

func (c *client) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(c.dir, name))}).String()
}

// open opens a document of the workspace that need not be on disk, and returns its URI.
func (c *client) open(name, text string) string {
	c.t.Helper()
	return c.openAs(name, "yaml", text)
}

// openAs is open with a language.
func (c *client) openAs(name, language, text string) string {
	c.t.Helper()
	return c.openURI(c.uri(name), language, text)
}

func (c *client) openURI(uri, language, text string) string {
	c.t.Helper()
	c.version[uri], c.texts[uri] = 1, text
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": language, "version": 1, "text": text}})
	return uri
}

// edit replaces a range of an open document.
func (c *client) edit(uri string, r Range, with string) {
	c.t.Helper()
	c.version[uri]++
	c.texts[uri] = newText(c.texts[uri], utf16Units).edited(r, with).src
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": c.version[uri]},
		"contentChanges": []any{map[string]any{"range": r, "text": with}},
	})
}

// replace replaces a piece of an open document that it has once.
func (c *client) replace(uri, old, with string) {
	c.t.Helper()
	at := strings.Index(c.texts[uri], old)
	if at < 0 || strings.Count(c.texts[uri], old) > 1 {
		c.t.Fatalf("the document has %d times %q, expected once", strings.Count(c.texts[uri], old), old)
	}
	c.edit(uri, newText(c.texts[uri], utf16Units).Range(at, at+len(old)), with)
}

// place is the position of ‸ in a piece of an open document, which has the piece without it once.
func (c *client) place(uri, marked string) atPosition {
	c.t.Helper()
	before, after, ok := strings.Cut(marked, "‸")
	at := strings.Index(c.texts[uri], before+after)
	if !ok || at < 0 || strings.Count(c.texts[uri], before+after) > 1 {
		c.t.Fatalf("the document does not have %q once", before+after)
	}
	p := newText(c.texts[uri], utf16Units).Position(at + len(before))
	return atPosition{aboutDocument{documentID{URI: uri}}, p}
}

// findings waits for the diagnostics of the newest version of a document.
func (c *client) findings(uri string) []Diagnostic {
	c.t.Helper()
	var found []Diagnostic
	want := c.version[uri]
	c.await("the diagnostics of version "+strconv.Itoa(want), func() bool {
		p, ok := c.shown[uri]
		found = p.Diagnostics
		return ok && p.Version != nil && *p.Version == want
	})
	return found
}

// codes are the codes of the diagnostics of the newest version of a document.
func (c *client) codes(uri string) string {
	c.t.Helper()
	var codes []string
	for _, d := range c.findings(uri) {
		codes = append(codes, d.Code)
	}
	return strings.Join(codes, " ")
}

// textAt is the text in a range of an open document.
func (c *client) textAt(uri string, r Range) string {
	t := newText(c.texts[uri], utf16Units)
	from, to := t.Span(r)
	return t.src[from:to]
}

// graph is a graph file without findings.
const graph = `version: "1.0"
server: {name: test, version: 1.0.0}
tools:
  - name: greet
    description: Greets a person.
    inputSchema:
      type: object
      properties: {name: {type: string}}
      required: [name]
    nodes:
      - {id: entry, type: entry, next: make}
      - id: make
        type: transform
        transform:
          expr: '{"text": "Hello " & $.entry.name}'
        next: exit
      - {id: exit, type: exit}
`

func TestOpenChangeClose(t *testing.T) {
	c := start(t, nil)
	uri := c.open("graph.yaml", graph)
	if got := c.codes(uri); got != "" {
		t.Errorf("a valid file has findings: %s", got)
	}
	c.replace(uri, "next: exit", "next: exti")
	found := c.findings(uri)
	if len(found) != 1 || found[0].Code != "unknown-node" || c.textAt(uri, found[0].Range) != "exti" {
		t.Errorf("got %+v", found)
	}
	c.replace(uri, "exti", "exit")
	if got := c.codes(uri); got != "" {
		t.Errorf("a mended file has findings: %s", got)
	}
	var null any
	c.ask("shutdown", nil, &null)
	c.notify("exit", nil)
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	c := start(t, nil)
	c.notify("exit", nil)
	if err := <-c.ended; !errors.Is(err, ErrNoShutdown) {
		t.Errorf("got %v", err)
	}
}
