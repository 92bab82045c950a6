package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// call is one tools/call being served.
type call struct {
	*server
	id        json.RawMessage
	cancelled chan struct{}
	params    json.RawMessage
	args      json.RawMessage
	in        struct {
		N       float64 `json:"n"`
		MS      int     `json:"ms"`
		Code    int     `json:"code"`
		Size    int     `json:"size"`
		Message string  `json:"message"`
		Text    string  `json:"text"`
		Method  string  `json:"method"`
		Name    string  `json:"name"`

		Params json.RawMessage `json:"params"`
	}
}

// tools are the tools by name; each answers its call, or not, itself.
//
//	echo          structuredContent: the arguments
//	inc           {n} as text: n+1
//	text          {text} as it is
//	meta          structuredContent: the _meta of the call
//	sleep         {ms}; answers {slept}, or nothing when cancelled
//	items         {n, size}: n objects as text
//	structured    {n, size}: {items} as structuredContent and again as text
//	several image unknowntype nothing nocontent nullstructured: shapes of content
//	contents      the content items {params};  answer: the result {params}
//	links         a resource link and an embedded resource, both at {text}
//	fail          {message}: isError;  failstructured {message, text}: with structuredContent
//	rpcerror: a JSON-RPC error;  inputrequired: a modern result
//	count pid canceled(count of cancellations so far)
//	more: misbehave.go (protocol), process.go (processes), ledger.go and diary.go (files), community.go
var tools map[string]func(*call)

func init() {
	tools = map[string]func(*call){
		"echo": func(c *call) { c.structured(c.args) },
		"inc":  func(c *call) { c.text(fmt.Sprint(c.in.N + 1)) },
		"text": func(c *call) { c.text(c.in.Text) },
		"meta": func(c *call) {
			var p struct {
				Meta json.RawMessage `json:"_meta"`
			}
			_ = json.Unmarshal(c.params, &p)
			if p.Meta == nil {
				p.Meta = json.RawMessage("{}")
			}
			c.structured(p.Meta)
		},
		"sleep": (*call).sleep,
		"items": func(c *call) { c.text(itemList(int(c.in.N), c.in.Size)) },
		"structured": func(c *call) {
			list := `{"items":` + itemList(int(c.in.N), c.in.Size) + `}`
			c.result(c.id, map[string]any{"structuredContent": json.RawMessage(list), "content": texts(list)})
		},
		"several": func(c *call) { c.result(c.id, map[string]any{"content": texts(`{"a":1}`, "plain", "3")}) },
		"image": func(c *call) {
			c.contents(`[{"type":"text","text":"a picture"},{"type":"image","data":"aGk=","mimeType":"image/png"}]`)
		},
		"unknowntype": func(c *call) { c.contents(`[{"type":"hologram","planes":[1,2]}]`) },
		"contents":    func(c *call) { c.contents(string(c.in.Params)) },
		"answer":      func(c *call) { c.result(c.id, c.in.Params) },
		"links": func(c *call) {
			c.result(c.id, map[string]any{"content": []any{
				map[string]any{"type": "resource_link", "uri": c.in.Text, "name": "a link"},
				map[string]any{"type": "resource", "resource": map[string]any{"uri": c.in.Text, "text": "embedded"}},
			}})
		},
		"nothing":   func(c *call) { c.contents(`[]`) },
		"nocontent": func(c *call) { c.result(c.id, map[string]any{}) },
		"nullstructured": func(c *call) {
			c.result(c.id, json.RawMessage(`{"structuredContent":null,"content":[{"type":"text","text":"7"}]}`))
		},
		"fail": func(c *call) {
			c.result(c.id, map[string]any{"isError": true, "content": texts(c.in.Message)})
		},
		"failstructured": func(c *call) {
			c.result(c.id, map[string]any{"isError": true, "content": texts(c.in.Message), "structuredContent": map[string]any{"status": 429, "wait": c.in.Text}})
		},
		"rpcerror":      func(c *call) { c.refuse(-32050, "quota used up: "+c.in.Message) },
		"inputrequired": func(c *call) { c.result(c.id, json.RawMessage(`{"resultType":"input_required","inputRequests":{}}`)) },
		"count":         func(c *call) { c.text(fmt.Sprint(c.calls.Load())) },
		"pid":           func(c *call) { c.text(fmt.Sprint(os.Getpid())) },
		"canceled": func(c *call) {
			c.mu.Lock()
			n := len(c.canceled)
			c.mu.Unlock()
			c.text(fmt.Sprint(n))
		},
		"bigtool": func(c *call) { c.structured(json.RawMessage(`{"ok":true}`)) },
		"oddtool": func(c *call) { c.text("odd") },
	}
	maps.Copy(tools, misbehaving())
	maps.Copy(tools, processTools())
	maps.Copy(tools, ledgerTools())
	maps.Copy(tools, diaryTools())
	maps.Copy(tools, communityTools())
	maps.Copy(tools, promptTools())
}

func toolNames() []string { return slices.Sorted(maps.Keys(tools)) }

// call serves a tools/call in its own goroutine.
func (s *server) call(m message) {
	c := &call{server: s, id: m.ID, params: m.Params, cancelled: make(chan struct{})}
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.refuse(-32602, err.Error())
		return
	}
	c.args = p.Arguments
	_ = json.Unmarshal(p.Arguments, &c.in)
	f := tools[p.Name]
	if f == nil {
		c.refuse(-32602, "unknown tool: "+p.Name)
		return
	}
	s.calls.Add(1)
	s.mu.Lock()
	s.flying[string(m.ID)] = c.cancelled
	s.mu.Unlock()
	go func() {
		f(c)
		s.note("done %s", p.Name)
		s.mu.Lock()
		delete(s.flying, string(m.ID))
		s.mu.Unlock()
	}()
}

func (c *call) sleep() {
	select {
	case <-time.After(time.Duration(c.in.MS) * time.Millisecond):
		c.structured(json.RawMessage(fmt.Sprintf(`{"slept":%d}`, c.in.MS)))
	case <-c.cancelled:
	}
}

func (c *call) text(text string) { c.result(c.id, map[string]any{"content": texts(text)}) }

func (c *call) contents(list string) {
	c.result(c.id, json.RawMessage(`{"content":`+list+`}`))
}

func (c *call) structured(v json.RawMessage) {
	c.result(c.id, map[string]any{"structuredContent": v, "content": texts(string(v))})
}

func (c *call) refuse(code int, text string) {
	c.reply(message{ID: c.id, Error: &rpcError{Code: code, Message: text}})
}

func texts(list ...string) []any {
	items := make([]any, len(list))
	for i, text := range list {
		items[i] = map[string]string{"type": "text", "text": text}
	}
	return items
}

// itemList is a JSON array of n objects of about size bytes each.
func itemList(n, size int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"item %d","size":%d,"pad":"%s"}`, i, i, i*10, strings.Repeat("x", max(0, size-50)))
	}
	b.WriteByte(']')
	return b.String()
}
