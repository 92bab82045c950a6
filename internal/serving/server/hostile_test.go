package server

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"
)

func callAny(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"any","arguments":%s}}`, id, arguments)
}

// nested is an object that is n levels deep.
func nested(n int) string {
	return strings.Repeat(`{"a":`, n-1) + "{}" + strings.Repeat("}", n-1)
}

func TestG09Depth(t *testing.T) {
	h := connect(t, newBench(t, nil).server).handshake()
	h.send(callAny(1, nested(64)))
	if got := h.next(); !strings.Contains(got, `"structuredContent"`) {
		t.Errorf("64 levels: %s", got)
	}
	h.send(callAny(2, nested(65)))
	h.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"arguments: nested 65 levels deep, at most 64 are allowed"}}`)
	h.send(callAny(3, `{"a":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`))
	h.want(`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"arguments: nested 65 levels deep, at most 64 are allowed"}}`)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

func TestM03Depth(t *testing.T) {
	h := connect(t, newBench(t, nil).server).handshake()
	h.send(callAny(1, nested(20000)))
	h.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"invalid JSON at byte 5071: nested deeper than 1000 levels"}}`)
	h.send(strings.Repeat("[", 1<<20))
	if got := h.next(); !strings.Contains(got, `"code":-32600`) {
		t.Error(got)
	}
	h.send(ping)
	h.want(pong)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

// Text that is no Unicode is refused; \u0000 is a character like any other.
func TestM14Text(t *testing.T) {
	h := connect(t, newBench(t, nil).server).handshake()
	for i, c := range []struct{ arguments, want string }{
		{"{\"a\":\"\xff\"}", `{"jsonrpc":"2.0","id":0,"error":{"code":-32700,"message":"the line is not valid UTF-8"}}`},
		{"{\"\xc3\x28\":1}", `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"the line is not valid UTF-8"}}`},
		{"{\"a\":\"\x00\"}", `{"jsonrpc":"2.0","id":2,"error":{"code":-32700,"message":"invalid JSON at byte 87: found control character 0x00 in a string, expected its escape (\\u0000)"}}`},
		{`{"a":"\ud800"}`, `{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"a string contains half of a surrogate pair (\\ud800); write both halves"}}`},
		{`{"a":"\udc00\ud800"}`, `{"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"a string contains half of a surrogate pair (\\udc00); write both halves"}}`},
		{`{"\ud83dx":1}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"a string contains half of a surrogate pair (\\ud83d); write both halves"}}`},
		{`{"a":"\u0000"}`, `{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"{\"a\":\"\\u0000\"}"}],"structuredContent":{"a":"\u0000"}}}`},
		{`{"a":"\ud83d\ude00"}`, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"{\"a\":\"😀\"}"}],"structuredContent":{"a":"😀"}}}`},
	} {
		h.send(callAny(i, c.arguments))
		h.want(c.want)
	}
	h.send("\xff\xfe")
	if got := h.next(); !utf8.ValidString(got) || !strings.Contains(got, `"id":null`) {
		t.Errorf("got %q", got)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

func TestM10Panic(t *testing.T) {
	var log syncBuffer
	b := newBench(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	h := connect(t, b.server).handshake()
	h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panic"}}`)
	got := h.next()
	var id string
	rest, found := strings.CutPrefix(got, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"internal error, id `)
	if !found || strings.Contains(got, "secret") || !strings.Contains(got, `"isError":true`) {
		t.Fatalf("got %s", got)
	}
	id, _, _ = strings.Cut(rest, ";")
	if !strings.Contains(log.String(), id) || !strings.Contains(log.String(), "wire_test.go") {
		t.Errorf("the log does not tell of %q: %s", id, log.String())
	}
	h.send(ping)
	h.want(pong)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

func TestM16Order(t *testing.T) {
	h := connect(t, newBench(t, nil).server).handshake()
	list := `{"jsonrpc":"2.0","id":"list","method":"tools/list"}`
	h.send(list)
	first := h.next()
	at := 0
	for _, name := range []string{"echo", "give", "any", "fail", "panic", "hold", "walk", "typed", "listed"} {
		next := strings.Index(first, `{"name":"`+name+`"`)
		if next < at {
			t.Errorf("%s is not in the order of the file", name)
		}
		at = next
	}
	for range 100 {
		h.send(list)
		h.want(first)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}
