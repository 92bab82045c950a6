package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// failure is the error code of the answer to a request; 0: it has none.
func (c *client) failure(method string, params any) int {
	c.t.Helper()
	m := c.answer(c.send(method, params))
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

func TestRequestsOutOfOrder(t *testing.T) {
	c := connect(t, Options{})
	if got := c.failure("textDocument/hover", nil); got != codeNotInitialized {
		t.Errorf("before initialize: %d", got)
	}
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///early.yaml", "text": "a: b"}}) // is dropped
	if got := c.failure("initialize", map[string]any{"capabilities": 7}); got != codeInvalidParams {
		t.Errorf("initialize with wrong parameters: %d", got)
	}
	if got := c.failure("initialize", map[string]any{"capabilities": map[string]any{}}); got != 0 {
		t.Errorf("initialize: %d", got)
	}
	if got := c.failure("initialize", map[string]any{}); got != codeInvalidRequest {
		t.Errorf("the second initialize: %d", got)
	}
	for method, want := range map[string]int{"no/such": codeMethodNotFound, "$/no": codeMethodNotFound, "textDocument/diagnostic": codeInvalidParams} {
		if got := c.failure(method, map[string]any{"textDocument": map[string]any{"uri": "file:///early.yaml"}}); got != want {
			t.Errorf("%s: %d, want %d", method, got, want)
		}
	}
	if got := c.failure("textDocument/diagnostic", []int{7}); got != codeInvalidParams {
		t.Errorf("parameters that are a list: %d", got)
	}
	c.notify("no/such", nil)
	c.notify("$/setTrace", map[string]any{"value": "off"})
	if got := c.failure("shutdown", nil); got != 0 {
		t.Errorf("shutdown: %d", got)
	}
	if got := c.failure("textDocument/hover", nil); got != codeInvalidRequest {
		t.Errorf("after shutdown: %d", got)
	}
	c.notify("exit", nil)
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// Messages that are none, and the ends of a connection.
func TestWire(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for name, c := range map[string]struct{ in, out, err string }{
		"no JSON":                     {frame("{"), `"code":-32700`, "shutdown"},
		"a list":                      {frame("[]"), `"code":-32700`, "shutdown"},
		"no header":                   {"{}\n\n", "", "no header Content-Length"},
		"a wrong length":              {"Content-Length: x\r\n\r\n", "", `is "x"`},
		"a negative length":           {"Content-Length: -1\r\n\r\n", "", `is "-1"`},
		"a long header":               {strings.Repeat("x", maxHeader+1), "", "more than 8192 bytes"},
		"many headers":                {strings.Repeat("x: y\r\n", maxHeader), "", "more than 8192 bytes"},
		"an end in a header":          {"Content-Length: 1", "", "unexpected EOF"},
		"an end in a body":            {"Content-Length: 9\r\n\r\n{", "", "unexpected EOF"},
		"more headers":                {"content-type: x\r\ncontent-length: 2\r\n\r\n{}", "", "shutdown"},
		"too large":                   {fmt.Sprintf("Content-Length: %d\r\n\r\n%s", maxMessage+1, strings.Repeat(" ", maxMessage+1)), "window/showMessage", "shutdown"},
		"an answer without a request": {frame(`{"jsonrpc":"2.0","id":9,"result":1}`), "", "shutdown"},
		"an end":                      {"", "", "shutdown"},
	} {
		var out bytes.Buffer
		err := New(Options{}).Serve(t.Context(), strings.NewReader(c.in), &out)
		if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(out.String(), c.out) {
			t.Errorf("%s: got %v and %q", name, err, out.String())
		}
	}
}

// A client that does not read ends the connection when too much waits for it.
func TestClientThatDoesNotRead(t *testing.T) {
	in, toServer := io.Pipe()
	_, full := io.Pipe()
	s := New(Options{})
	s.handlers["test/flood"] = func(_ context.Context, r *request) (any, error) {
		for range maxQueue>>20 + 2 {
			r.server.notify("test/message", strings.Repeat("x", 1<<20))
		}
		return nil, nil
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context(), in, full) }()
	for _, method := range []string{"initialize", "test/flood"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":{}}`, method, method)
		if _, err := fmt.Fprintf(toServer, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; !errors.Is(err, errStalled) {
		t.Errorf("got %v", err)
	}
}

// with adds a method for a test.
func (c *client) with(method string, answer handler) { c.server.handlers[method] = answer }

func TestCancelledRequest(t *testing.T) {
	c := connect(t, Options{})
	began := make(chan bool, 1)
	c.with("test/wait", func(ctx context.Context, _ *request) (any, error) {
		began <- true
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	c.failure("initialize", map[string]any{})
	c.notify("$/cancelRequest", map[string]any{"id": "nothing"})
	id := c.send("test/wait", nil)
	<-began
	again := json.RawMessage(id)
	if err := c.wire.write(message{ID: &again, Method: "test/wait"}); err != nil { // the same id
		t.Fatal(err)
	}
	if m := c.answer(id); m.Error == nil || m.Error.Code != codeInvalidRequest {
		t.Errorf("an id that is in use: %+v", m)
	}
	c.mu.Lock()
	delete(c.answers, id)
	c.mu.Unlock()
	c.notify("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
	if m := c.answer(id); m.Error == nil || m.Error.Code != codeCancelled {
		t.Errorf("got %+v", m)
	}
	// More requests wait, and can be cancelled; those over the limit are refused; all end with the connection.
	for range answersAtOnce {
		c.send("test/wait", nil)
		<-began
	}
	id = c.send("test/wait", nil)
	c.notify("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
	if m := c.answer(id); m.Error == nil || m.Error.Code != codeCancelled {
		t.Errorf("a request that waits: %+v", m)
	}
	for range mostRequests - answersAtOnce {
		c.send("test/wait", nil)
	}
	if len(began) > 0 {
		t.Error("more requests are answered at once")
	}
	if m := c.answer(c.send("test/wait", nil)); m.Error == nil || !strings.Contains(m.Error.Message, "which is the limit") {
		t.Errorf("one request too many: %+v", m)
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	log := &lockedBuffer{}
	c := connect(t, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	c.with("test/panic", func(context.Context, *request) (any, error) { panic("secret text of the user") })
	c.failure("initialize", map[string]any{})
	if got := c.failure("test/panic", nil); got != codeInternal {
		t.Errorf("got %d", got)
	}
	if got := c.failure("shutdown", nil); got != 0 {
		t.Errorf("the server has not survived: %d", got)
	}
	if log := log.String(); !strings.Contains(log, "test/panic") || strings.Contains(log, "secret text") {
		t.Errorf("the log is %s", log)
	}
}
