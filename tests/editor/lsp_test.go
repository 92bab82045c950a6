package editor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// client speaks the Language Server Protocol with a server over its standard streams.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	from chan message
	last int // id of the last request
}

// message is any message of the protocol.
type message struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   json.RawMessage  `json:"error,omitempty"`
}

// patience is a guard against hanging, and is never waited for when a test passes.
const patience = 2 * time.Minute

// start runs the server; it ends with the test.
func start(t *testing.T, command string, args ...string) *client {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, in: in, from: make(chan message, 64)}
	go c.read(bufio.NewReader(out))
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return c
}

// read hands on messages until the server's output ends.
func (c *client) read(from *bufio.Reader) {
	defer close(c.from)
	for {
		header, err := textproto.NewReader(from).ReadMIMEHeader()
		if err != nil {
			return
		}
		size, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		var m message
		if json.Unmarshal(body, &m) != nil {
			return
		}
		c.from <- m
	}
}

func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.send(map[string]any{"method": method, "params": params})
}

// call makes a request and reads its result into result.
func (c *client) call(method string, params, result any) {
	c.t.Helper()
	c.last++
	id := strconv.Itoa(c.last)
	c.send(map[string]any{"id": c.last, "method": method, "params": params})
	m := c.wait(method, func(m message) bool { return m.Method == "" && m.ID != nil && string(*m.ID) == id })
	if m.Error != nil {
		c.t.Fatalf("%s: %s", method, m.Error)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		c.t.Fatalf("%s: %v in %s", method, err, m.Result)
	}
}

// wait is the next message that is wanted. What the server asks meanwhile is answered.
func (c *client) wait(what string, wanted func(message) bool) message {
	c.t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case m, open := <-c.from:
			switch {
			case !open:
				c.t.Fatalf("the server has ended while %s was awaited", what)
			case wanted(m):
				return m
			case m.Method != "" && m.ID != nil:
				c.send(map[string]any{"id": m.ID, "result": answer(m)})
			}
		case <-deadline:
			c.t.Fatalf("no %s within %v", what, patience)
		}
	}
}

// answer is what an editor with default settings answers to a request of the server.
func answer(m message) any {
	if m.Method != "workspace/configuration" {
		return nil
	}
	var asked struct{ Items []any }
	if json.Unmarshal(m.Params, &asked) != nil {
		return nil
	}
	settings := make([]any, len(asked.Items))
	if len(settings) > 0 {
		settings[0] = map[string]any{
			"validate": true, "completion": true, "hover": true, "schemaStore": map[string]any{"enable": false},
		}
	}
	return settings
}
