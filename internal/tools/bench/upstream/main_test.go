package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"echo","arguments":{"msg":"a\"b"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"inc","arguments":{"n":4}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"items","arguments":{"n":2}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"none","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"none"}`,
	}, "\n")
	var out bytes.Buffer
	if err := serve(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, part := range []string{
		`"protocolVersion":"2025-06-18"`, `"id":"b","result":{"content":[{"type":"text","text":"{\"msg\":\"a\\\"b\"}"}],"structuredContent":{"msg":"a\"b"}}`,
		`"structuredContent":{"n":5}`, `"value":919,"name":"item 0000001"`, `"code":-32602`, `"code":-32601`,
	} {
		if i >= len(lines) || !strings.Contains(lines[i], part) {
			t.Fatalf("line %d of %q lacks %s", i, lines, part)
		}
	}
	if err := serve(strings.NewReader("no JSON\n"), &out); err == nil {
		t.Error("a line that is no JSON was taken")
	}
}
