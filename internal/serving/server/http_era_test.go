package server

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

func TestHTTPLegacy(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	status, body, header := h.do(h.request(context.Background(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	if status != http.StatusOK || !strings.Contains(body, `"protocolVersion":"2025-11-25"`) || header.Get("Mcp-Session-Id") == "" || header.Get("Content-Type") != "application/json" {
		t.Errorf("initialize: %d %s %v", status, body, header)
	}
	for _, c := range []struct {
		name, message string
		headers       []string
		status        int
		want          string // "" is an empty body
	}{
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, `"id":null,"error":{"code":-32600,"message":"no open question of this session`},
		{"without a session", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, nil, 200, `{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`},
		{"an unheard session", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Mcp-Session-Id: of another process"}, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"call", `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"msg":"hi"}}}`, []string{"MCP-Protocol-Version: 2025-06-18"}, 200, `{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"{\"msg\":\"hi\"}"}],"structuredContent":{"msg":"hi"}}}`},
		{"failure", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, nil, 200, `"isError":true`},
		{"M11 unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ecko"}}`, nil, 200, `"code":-32602,"message":"unknown tool \"ecko\"; did you mean \"echo\"?"`},
		{"M11 unknown method", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, nil, 200, `"code":-32601`},
		{"M01 twin key", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any","Name":"panic"}}`, nil, 400, `"code":-32600`},
		{"M03 no JSON", `{nope`, nil, 400, `"id":null,"error":{"code":-32700`},
		{"M03 batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, 400, `"code":-32600`},
		{"empty", ``, nil, 400, `"code":-32700`},
		{"unknown version", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"MCP-Protocol-Version: 2020-01-01"}, 400, `"code":-32600,"message":"the protocol version \"2020-01-01\" is unknown`},
		{"level", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`, nil, 200, `"code":-32602`},
		{"no stream wanted", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"walk","arguments":{"n":2},"_meta":{"progressToken":"p"}}}`, []string{"Accept:", "Accept: application/json"}, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"2"}]}}`},
		{"neither wanted", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Accept:", "Accept: text/html"}, 406, "expected Accept"},
		{"too large", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 16<<20) + `"}}`, nil, 413, "longer than 16777216 bytes"},
	} {
		status, body := h.post(c.message, c.headers...)
		if status != c.status || !strings.Contains(body, c.want) || c.want == "" && body != "" {
			t.Errorf("%s: %d %.300s\nwant %d %s", c.name, status, body, c.status, c.want)
		}
	}
}

func TestHTTPModern(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Tools = append(o.Tools, toolOf(t, "place", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, ""))
	})
	h := serveSite(t, b.server, HTTPOptions{})
	call, headers := modernCall(1, "echo", `{"msg":"hi"}`)
	place, _ := modernCall(1, "place", `{"region":"eu"}`)
	nowhere, _ := modernCall(1, "place", `{}`)
	withPlace := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: place"}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`
	version := "MCP-Protocol-Version: 2026-07-28"
	for _, c := range []struct {
		name, message string
		headers       []string
		status        int
		want          string
	}{
		{"call", call, headers, 200, `"structuredContent":{"msg":"hi"},"resultType":"complete"`},
		{"name in base64", call, []string{version, "Mcp-Method: tools/call", "Mcp-Name: =?base64?ZWNobw==?="}, 200, `"resultType":"complete"`},
		{"list", list, []string{version, "Mcp-Method: tools/list"}, 200, `"ttlMs":0`},
		{"no version in the header", list, []string{"Mcp-Method: tools/list"}, 400, `"code":-32020`},
		{"no version in _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{version, "Mcp-Method: tools/list"}, 400, `"code":-32602`},
		{"another version in the header", list, []string{"MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/list"}, 400, `"code":-32020`},
		{"two versions", list, []string{version, "MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/list"}, 400, `"code":-32020`},
		{"unknown version", strings.Replace(list, "2026-07-28", "2031-01-01", 1), []string{"MCP-Protocol-Version: 2031-01-01", "Mcp-Method: tools/list"}, 400, `"code":-32022`},
		{"no method", call, []string{version, "Mcp-Name: echo"}, 400, `"code":-32020`},
		{"another method", call, []string{version, "Mcp-Method: tools/list", "Mcp-Name: echo"}, 400, `"code":-32020`},
		{"no name", call, []string{version, "Mcp-Method: tools/call"}, 400, `"code":-32020`},
		{"another name", call, []string{version, "Mcp-Method: tools/call", "Mcp-Name: any"}, 400, `"code":-32020`},
		{"removed method", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + modernMeta + `}}`, []string{version, "Mcp-Method: ping"}, 404, `"code":-32601`},
		{"no capabilities", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, []string{version, "Mcp-Method: tools/list"}, 400, `"code":-32602`},
		{"unknown tool", strings.Replace(call, `"echo"`, `"ecko"`, 1), []string{version, "Mcp-Method: tools/call", "Mcp-Name: ecko"}, 200, `"code":-32602`},
		{"argument in its header", place, append(withPlace, "Mcp-Param-Region: eu"), 200, `"region":"eu"`},
		{"argument not in its header", place, withPlace, 400, `"code":-32020`},
		{"another argument in its header", place, append(withPlace, "Mcp-Param-Region: us"), 400, `"code":-32020`},
		{"argument only in its header", nowhere, append(withPlace, "Mcp-Param-Region: us"), 400, `"code":-32020`},
	} {
		status, body := h.post(c.message, c.headers...)
		if status != c.status || !strings.Contains(body, c.want) || !strings.Contains(body, `"id":1,`) {
			t.Errorf("%s: %d %.300s\nwant %d %s", c.name, status, body, c.status, c.want)
		}
	}
}

// What one process has begun another goes on with: they share nothing.
func TestHTTPProcessesShareNothing(t *testing.T) {
	one, other := serveSite(t, newBench(t, nil).server, HTTPOptions{}), serveSite(t, newBench(t, nil).server, HTTPOptions{})
	_, _, header := one.do(one.request(context.Background(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	session := "Mcp-Session-Id: " + header.Get("Mcp-Session-Id")
	status, body := other.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any"}}`, session)
	if status != http.StatusOK || !strings.Contains(body, `"structuredContent":{}`) {
		t.Errorf("%d %s", status, body)
	}
}

func TestHTTPMethods(t *testing.T) {
	h := serveSite(t, newBench(t, nil).server, HTTPOptions{})
	for _, c := range []struct {
		method, path string
		headers      []string
		status       int
		allow        string
	}{
		{"GET", healthPath, nil, 200, ""},
		{"GET", healthPath, []string{"Host: lb.example.com"}, 200, ""},
		{"HEAD", healthPath, nil, 200, ""},
		{"POST", healthPath, nil, 405, "GET, HEAD"},
		{"GET", Endpoint, nil, 405, "POST"},
		{"GET", Endpoint, []string{"Accept: text/event-stream", "MCP-Protocol-Version: 2026-07-28"}, 405, "POST"},
		{"DELETE", Endpoint, []string{"Mcp-Session-Id: x"}, 405, "GET, POST"},
		{"PUT", Endpoint, nil, 405, "GET, POST"},
		{"OPTIONS", Endpoint, nil, 405, "GET, POST"},
		{"GET", "/", nil, 404, ""},
		{"POST", Endpoint + "/", nil, 404, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+h.addr+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		setHeaders(r, c.headers)
		if status, body, header := h.do(r); status != c.status || header.Get("Allow") != c.allow {
			t.Errorf("%s %s %v: %d, Allow %q: %s", c.method, c.path, c.headers, status, header.Get("Allow"), body)
		}
	}
}
