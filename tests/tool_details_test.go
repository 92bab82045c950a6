package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const detailed = `server: {name: g, version: 1.0.0, icons: [{src: "https://example.com/g.svg", sizes: [any]}]}
tools:
  - name: t
    icons: [{src: "https://example.com/t.svg", theme: dark, sizes: [any]}, {src: "data:image/png;base64,AA=="}]
    _meta: {z: 9007199254740993, anthropic/maxResultSizeChars: 200000, com.example/more: {b: [1.5, null], a: ok}}
    nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]
`

// everyDoor returns a function that sends a request and returns the answer, for each transport and
// era. The server is started once for each transport.
func everyDoor(t *testing.T, graph string, env ...string) map[string]func(method, name, params string) string {
	t.Helper()
	stdio := start(t, graph, env...)
	_, addr := startHTTP(t, graph, env)
	inModern := func(params string) string { return strings.TrimPrefix(params+","+modernMeta, ",") }
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
	}
	overStdio := func(method, params string) string {
		raw, err := json.Marshal(stdio.request(method, "{"+params+"}"))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return map[string]func(method, name, params string) string{
		"stdio":         func(method, _, params string) string { return overStdio(method, params) },
		"stdio, modern": func(method, _, params string) string { return overStdio(method, inModern(params)) },
		"HTTP": func(method, _, params string) string {
			_, body := post(t, addr, "", request(method, params))
			return body
		},
		"HTTP, modern": func(method, name, params string) string {
			return postModern(t, addr, method, name, request(method, inModern(params)))
		},
	}
}

// Clients of each era get icons and _meta of a tool as the file has them, and the icons of the server
// in the handshake.
func TestToolDetailsOnTheWire(t *testing.T) {
	t.Parallel()
	const want = `"icons":[{"src":"https://example.com/t.svg","theme":"dark","sizes":["any"]},{"src":"data:image/png;base64,AA=="}],` +
		`"_meta":{"z":9007199254740993,"anthropic/maxResultSizeChars":200000,"com.example/more":{"b":[1.5,null],"a":"ok"}}}]`
	for name, ask := range everyDoor(t, detailed) {
		if got := ask("tools/list", "", ""); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
		method, params := "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`
		if strings.Contains(name, "modern") {
			method, params = "server/discover", ""
		}
		if got := ask(method, "", params); !strings.Contains(got, `"icons":[{"src":"https://example.com/g.svg","sizes":["any"]}]`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
