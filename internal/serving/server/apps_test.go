package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"toolgraph/config"
)

const (
	viewAt    = "ui://bench/run.html"
	declaring = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`
)

// viewing returns a server whose tool echo, and one with _meta of its own, have a view, and how often what it shows was made.
func viewing(t *testing.T, with bool, more ...func(*Options)) (s *Server, made *atomic.Int64) {
	made = new(atomic.Int64)
	b := newBench(t, func(o *Options) {
		own, theirs := toolOf(t, "own", "", ""), toolOf(t, "theirs", "", "")
		own.Def.Meta = dataOf(t, `{"a":1}`)
		theirs.Def.Meta = dataOf(t, `{"ui":{"resourceUri":"ui://author/view.html"}}`)
		o.Tools = append(o.Tools, own, theirs)
		o.Secrets = config.NewSecrets("hunter2-secret")
		for _, change := range more {
			change(o)
		}
		if !with {
			return
		}
		o.App = &App{URI: viewAt, Name: "run", Title: "Run", HTML: func() string { return "<!doctype html><title>run</title>" }}
		for i := range o.Tools {
			if slices.Contains([]string{"echo", "fail", "own", "theirs"}, o.Tools[i].Def.Name.Value) {
				o.Tools[i].View = viewAt
			}
		}
	})
	b.shown = func(context.Context) []byte {
		made.Add(1)
		return []byte("{\"run\": {\"id\": \"R\"},\n \"note\": \"hunter2-secret\"}\n")
	}
	return b.server, made
}

// talk sends the same requests in an era over a transport, by a client with these capabilities, and returns the answers.
func talk(t *testing.T, s *Server, modern, overHTTP bool, capabilities string) (all []string) {
	t.Helper()
	meta, version := "", []string(nil)
	var messages [][2]string
	if modern {
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}`
		version = []string{"MCP-Protocol-Version: 2026-07-28"}
		messages = append(messages, [2]string{"server/discover", ""})
	} else {
		messages = append(messages, [2]string{"initialize", `"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}`})
	}
	messages = append(messages, [][2]string{
		{"tools/list", ""},
		{"resources/list", ""},
		{"resources/list", `"cursor":"x"`},
		{"resources/templates/list", ""},
		{"resources/read", `"uri":"` + viewAt + `"`},
		{"resources/read", `"uri":"ui://bench/other.html"`},
		{"tools/call", `"name":"echo","arguments":{"msg":"a"}`},
		{"tools/call", `"name":"fail","arguments":{}`},
		{"tools/call", `"name":"give","arguments":{}`},
	}...)
	var send func(message, method, name string) string
	if overHTTP {
		h := serveSite(t, s, HTTPOptions{})
		session := ""
		send = func(message, method, name string) string {
			headers := slices.Clone(version)
			if modern {
				headers = append(headers, "Mcp-Method: "+method)
				if name != "" {
					headers = append(headers, "Mcp-Name: "+name)
				}
			} else if session != "" {
				headers = append(headers, "Mcp-Session-Id: "+session)
			}
			_, body, header := h.do(h.request(t.Context(), message, headers...))
			if id := header.Get("Mcp-Session-Id"); id != "" {
				session = id
			}
			return strings.TrimSpace(body)
		}
	} else {
		h := connect(t, s)
		send = func(message, _, _ string) string {
			h.send(message)
			return h.next()
		}
	}
	for _, m := range messages {
		params := m[1]
		if meta != "" && params != "" {
			params += ","
		}
		name := ""
		for _, key := range []string{`"name":"`, `"uri":"`} {
			if _, rest, has := strings.Cut(m[1], key); has && m[0] != "initialize" {
				name, _, _ = strings.Cut(rest, `"`)
			}
		}
		all = append(all, send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, m[0], params, meta), m[0], name))
	}
	return all
}

// each calls f for both eras over both transports.
func each(t *testing.T, f func(t *testing.T, modern, overHTTP bool)) {
	for _, modern := range []bool{false, true} {
		for _, overHTTP := range []bool{false, true} {
			t.Run(fmt.Sprintf("modern %v http %v", modern, overHTTP), func(t *testing.T) { f(t, modern, overHTTP) })
		}
	}
}

// Clients that do not show views get byte for byte what a server without views gives them, and nothing is made for them.
func TestAppsChangeNothingElse(t *testing.T) {
	each(t, func(t *testing.T, modern, overHTTP bool) {
		for _, capabilities := range []string{
			`{}`, `{"elicitation":{}}`, `{"extensions":{}}`, `{"extensions":{"io.modelcontextprotocol/ui":{}}}`, `{"extensions":{"io.modelcontextprotocol/ui":null}}`,
			`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`, `{"experimental":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`,
		} {
			for _, more := range []func(*Options){func(*Options) {}, func(o *Options) { o.Resources = shelf{} }} {
				with, made := viewing(t, true, more)
				without, _ := viewing(t, false, more)
				got, want := talk(t, with, modern, overHTTP, capabilities), talk(t, without, modern, overHTTP, capabilities)
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("%s:\nwith views:    %s\nwithout views: %s", capabilities, got[i], want[i])
					}
				}
				if n := made.Load(); n > 0 {
					t.Errorf("%s: what a view shows was made %d times", capabilities, n)
				}
			}
		}
	})
}

// A host that shows views gets their address with the tools, the document, and what it shows with each result.
func TestApps(t *testing.T) {
	each(t, func(t *testing.T, modern, overHTTP bool) {
		s, made := viewing(t, true)
		got := talk(t, s, modern, overHTTP, declaring)
		named := `"_meta":{"ui":{"resourceUri":"` + viewAt + `"}}`
		for i, want := range []string{
			`"resources":{}`,
			`"name":"echo","inputSchema":{"type":"object","properties":{"msg":{"type":"string"},"count":{"type":"integer"}},"required":["msg"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false},` + named,
			`"resources":[{"uri":"` + viewAt + `","name":"run","title":"Run","mimeType":"text/html;profile=mcp-app"}]`,
			`"error":{"code":-32602,"message":"unknown cursor`,
			`"resourceTemplates":[]`,
			`"contents":[{"uri":"` + viewAt + `","mimeType":"text/html;profile=mcp-app","text":"<!doctype html><title>run</title>","_meta":{"ui":{"prefersBorder":true}}}]`,
			`resource not found`,
			`"toolgraph/view":{"run":{"id":"R"},"note":"[redacted]"}`,
			`"toolgraph/view":{"run":{"id":"R"}`,
			`"content"`,
		} {
			if !strings.Contains(got[i], want) {
				t.Errorf("answer %d: %s\nwant %s", i, got[i], want)
			}
		}
		if strings.Contains(strings.Join(got, ""), "hunter2") {
			t.Error("a secret was sent")
		}
		if has := strings.Contains(got[0], `"extensions":{"io.modelcontextprotocol/ui":{}}`); has != modern {
			t.Errorf("the handshake: %s", got[0])
		}
		if !strings.Contains(got[1], `"_meta":{"a":1,"ui":{"resourceUri":"`+viewAt+`"}}`) || strings.Count(got[1], viewAt) != 3 || !strings.Contains(got[1], "ui://author/view.html") {
			t.Errorf("_meta of authors: %s", got[1])
		}
		if made.Load() != 2 || strings.Contains(got[9], ShownMeta) {
			t.Errorf("made %d times; of a tool without a view: %s", made.Load(), got[9])
		}
	})
}

// The view is beside the resources that the server has, on their first page.
func TestAppBesideResources(t *testing.T) {
	s, _ := viewing(t, true, func(o *Options) { o.Resources = shelf{"run://a": "a"} })
	got := talk(t, s, true, false, declaring)
	if !strings.Contains(got[2], `{"resources":[{"uri":"`+viewAt) || !strings.Contains(got[2], `{"uri":"run://a"`) || !strings.Contains(got[5], "<!doctype html>") || !strings.Contains(got[4], "run://{id}") {
		t.Errorf("%s\n%s\n%s", got[2], got[4], got[5])
	}
}

// The name of a session says what its client has declared, also to processes of before.
func TestSessionNames(t *testing.T) {
	asks := `{"elicitation":{"form":{},"url":{}}`
	for declared, want := range map[string]struct {
		apps bool
		can  abilities
	}{
		`{}`:                       {},
		declaring:                  {apps: true},
		asks + `}`:                 {can: abilities{form: true, url: true}},
		asks + `,` + declaring[1:]: {apps: true, can: abilities{form: true, url: true}},
	} {
		name := newSession([]byte(declared))
		if appsIn(name) != want.apps || abilitiesIn(name) != want.can {
			t.Errorf("%s: %s, apps %v, can %+v", declared, name, appsIn(name), abilitiesIn(name))
		}
	}
}
