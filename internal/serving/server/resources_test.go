package server

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// shelf are resources: pages of one.
type shelf map[string]string

func (s shelf) List(_ context.Context, cursor string) ([]Resource, string, error) {
	switch cursor {
	case "":
		return []Resource{{URI: "run://a", Name: "a", Title: "A", MIMEType: "text/plain"}}, "more", nil
	case "more":
		return []Resource{{URI: "run://b", Name: `"b"`}}, "", nil
	}
	return nil, "", ErrNoCursor
}

func (s shelf) Templates() []Resource {
	return []Resource{{URI: "run://{id}", Name: "run", Description: "a run"}}
}

func (s shelf) Read(_ context.Context, uri string) ([]Content, error) {
	switch {
	case uri == "run://panic":
		panic("oh")
	case uri == "run://broken":
		return nil, fmt.Errorf("the shelf is broken")
	case s[uri] == "":
		return nil, fmt.Errorf("%w: %s", ErrNoResource, uri)
	}
	return []Content{{MIMEType: "text/plain", Text: s[uri]}}, nil
}

func (shelf) Given(_, _ string) {}

func TestResources(t *testing.T) {
	h := connect(t, newBench(t, func(o *Options) { o.Resources = shelf{"run://a": "the <text>"} }).server)
	h.send(`{"jsonrpc":"2.0","id":0,"method":"resources/list"}`)
	h.want(`{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"not initialized: send initialize first, or name the protocol version and your capabilities in _meta (2026-07-28)"}}`)
	h.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if got := h.next(); !strings.Contains(got, `"resources":{}`) {
		t.Errorf("initialize: %s", got)
	}
	modern := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	end := `"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.2.3","title":"Bench"}}}}`
	for _, c := range []struct{ method, params, want string }{
		{"resources/list", `{}`, `"result":{"resources":[{"uri":"run://a","name":"a","title":"A","mimeType":"text/plain"}],"nextCursor":"more"}}`},
		{"resources/list", `{"cursor":"more"}`, `"result":{"resources":[{"uri":"run://b","name":"\"b\""}]}}`},
		{"resources/list", `{"cursor":"x"}`, `"error":{"code":-32602,"message":"unknown cursor \"x\"; use the nextCursor of a page of this server"}}`},
		{"resources/templates/list", `{}`, `"result":{"resourceTemplates":[{"uriTemplate":"run://{id}","name":"run","description":"a run"}]}}`},
		{"resources/read", `{"uri":"run://a"}`, `"result":{"contents":[{"uri":"run://a","mimeType":"text/plain","text":"the <text>"}]}}`},
		{"resources/read", `{"uri":"run://none"}`, `"error":{"code":-32002,"message":"resource not found: run://none","data":{"uri":"run://none"}}}`},
		{"resources/read", `{"uri":5}`, `"error":{"code":-32602,"message":"uri: expected a string, got 5"}}`},
		{"resources/read", `{}`, `"error":{"code":-32602,"message":"uri: expected a string, got nothing"}}`},
		{"resources/read", `{"uri":"run://broken"}`, `"error":{"code":-32603,"message":"the shelf is broken"}}`},
		{"resources/read", `{"uri":"run://panic"}`, `"error":{"code":-32603,"message":"internal error"}}`},
		{"resources/list", `{` + modern + `}`, `"result":{"resources":[{"uri":"run://a","name":"a","title":"A","mimeType":"text/plain"}],"nextCursor":"more",` + end},
		{"resources/read", `{"uri":"run://a",` + modern + `}`, `"result":{"contents":[{"uri":"run://a","mimeType":"text/plain","text":"the <text>"}],` + end},
		{"resources/read", `{"uri":"run://none",` + modern + `}`, `"error":{"code":-32602,"message":"resource not found: run://none","data":{"uri":"run://none"}}}`},
	} {
		h.send(`{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":` + c.params + `}`)
		h.want(`{"jsonrpc":"2.0","id":1,` + c.want)
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
}

// A server without resources does not know the methods.
func TestNoResources(t *testing.T) {
	h := connect(t, newBench(t, nil).server).handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	if got := h.next(); !strings.Contains(got, `"code":-32601`) {
		t.Error(got)
	}
}

func TestHTTPResources(t *testing.T) {
	h := serveSite(t, newBench(t, func(o *Options) { o.Resources = shelf{"run://a": "text"} }).server, HTTPOptions{})
	status, body := h.post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"run://a"}}`)
	if want := `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"run://a","mimeType":"text/plain","text":"text"}]}}`; status != 200 || strings.TrimSpace(body) != want {
		t.Errorf("%d %s", status, body)
	}
}
