package temporal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// mcp is a client of a serve over stdio.
type mcp struct {
	*process
	t *testing.T

	mu      sync.Mutex // guards what follows
	id      int
	answers map[string]chan message
	asks    chan message // requests and notifications of the server
}

// message is what a server sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// serve starts a serve with a client of the legacy era that can ask its user.
func (p *place) serve(t *testing.T, file string, more ...string) *mcp {
	t.Helper()
	c := &mcp{
		process: p.command(t, append([]string{"serve", file}, more...)...), t: t,
		answers: map[string]chan message{}, asks: make(chan message, 1000),
	}
	go c.read()
	got := c.wait(c.send("initialize", `{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}`))
	if got.Result == nil {
		t.Fatalf("initialize: %s", got.Error)
	}
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *mcp) read() {
	lines := bufio.NewScanner(c.out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if m.Method != "" {
			c.asks <- m
			continue
		}
		c.mu.Lock()
		answer := c.answers[string(m.ID)]
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

func (c *mcp) write(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.in, line+"\n")
}

// send sends a request and returns its id.
func (c *mcp) send(method, params string) string {
	c.mu.Lock()
	c.id++
	id := fmt.Sprint(c.id)
	c.answers[id] = make(chan message, 1)
	c.mu.Unlock()
	c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// call calls a tool and returns the id of the request.
func (c *mcp) call(tool, args string) string {
	return c.send("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"progressToken":"p"}}`, tool, args))
}

// wait waits for the answer to a request.
func (c *mcp) wait(id string) message {
	c.t.Helper()
	c.mu.Lock()
	answer := c.answers[id]
	c.mu.Unlock()
	select {
	case m := <-answer:
		return m
	case <-c.exited:
		c.t.Errorf("serve has ended")
	case <-time.After(hang):
		c.t.Errorf("hangs: request %s", id)
	}
	return message{}
}

// asked waits for a request of the server, or a notification, of a method.
func (c *mcp) asked(method string) message {
	c.t.Helper()
	guard := time.After(hang)
	for {
		select {
		case m := <-c.asks:
			if m.Method == method {
				return m
			}
		case <-guard:
			c.t.Fatalf("hangs: the server does not send %s", method)
		}
	}
}

// text returns the text of a tool's result.
func (m message) text() string {
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = json.Unmarshal(m.Result, &result)
	if len(result.Content) == 0 {
		return string(m.Error)
	}
	return result.Content[0].Text
}

// write writes a graph file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cancel cancels a request.
func (c *mcp) cancel(id string) {
	c.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}
