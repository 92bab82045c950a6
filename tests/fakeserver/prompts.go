package main

import (
	"encoding/json"
	"os"
)

// A server with the mode offers=PATH has the lists of the file PATH, as it is when they are asked for: {"prompts": […],
// "resources": […], "resourceTemplates": […]}. A prompt says what it was asked for, and links doc:prompt; a completion is
// that of the name. The tool notify sends the notification {method}, and answers.
func promptTools() map[string]func(*call) {
	return map[string]func(*call){"notify": func(c *call) {
		c.raw(`{"jsonrpc":"2.0","method":"` + c.in.Method + `"}` + "\n")
		c.text("notified")
	}}
}

// offers answers a request about prompts and resources, and reports whether it has.
func (s *server) offers(m message) bool {
	if !s.has("offers") {
		return false
	}
	var lists map[string]json.RawMessage
	src, _ := os.ReadFile(s.modes["offers"])
	_ = json.Unmarshal(src, &lists)
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Ref       json.RawMessage `json:"ref"`
		Argument  struct{ Value string }
	}
	_ = json.Unmarshal(m.Params, &p)
	list := func(key string) {
		items := lists[key]
		if items == nil {
			items = json.RawMessage("[]")
		}
		s.result(m.ID, map[string]any{key: items})
	}
	switch m.Method {
	case "prompts/list":
		list("prompts")
	case "resources/list":
		list("resources")
	case "resources/templates/list":
		list("resourceTemplates")
	case "prompts/get":
		s.note("prompt %s", p.Name)
		if len(p.Arguments) == 0 {
			s.reply(message{ID: m.ID, Error: &rpcError{Code: -32602, Message: "topic is missing"}})
			break
		}
		s.result(m.ID, map[string]any{"description": "about", "_meta": map[string]any{"own": 1}, "messages": []any{
			map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": p.Name + " " + string(p.Arguments)}},
			map[string]any{"role": "user", "content": map[string]any{"type": "resource_link", "uri": "doc:prompt", "name": "a link"}},
		}})
	case "completion/complete":
		s.result(m.ID, map[string]any{"completion": map[string]any{"values": []string{p.Argument.Value + "!", string(p.Ref)}}})
	default:
		return false
	}
	return true
}
