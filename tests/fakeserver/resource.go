package main

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// read answers resources/read in a goroutine of its own, and notes it in the diary. The URI says what
// comes:
//
//	none:…    an error: there is no such resource
//	binary:T  the text T as a blob
//	binarypart:…  the value of the mode "part" as a blob
//	big:N     N bytes
//	hold:…    nothing, until it is cancelled
//	…-binary  an empty image of the type image/png
//	…         two contents: a text about the URI, and the value of the mode "part"
func (s *server) read(m message) {
	var p struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(m.Params, &p)
	cancelled := make(chan struct{})
	s.mu.Lock()
	s.flying[string(m.ID)] = cancelled
	s.mu.Unlock()
	go func() {
		s.note("read %s", p.URI)
		kind, rest, _ := strings.Cut(p.URI, ":")
		text := func(uri, text string) map[string]any {
			return map[string]any{"uri": uri, "mimeType": "text/plain", "text": text, "_meta": map[string]any{"z": 1, "a": 2}}
		}
		var contents []any
		switch kind {
		case "none":
			code := -32002
			if s.has("modern") {
				code = -32602
			}
			s.reply(message{ID: m.ID, Error: &rpcError{Code: code, Message: "no such resource: " + p.URI}})
			return
		case "hold":
			select {
			case <-cancelled:
				s.note("cancelled %s", p.URI)
			case <-time.After(time.Minute):
			}
			return
		case "binarypart":
			contents = []any{map[string]any{"uri": p.URI, "blob": base64.StdEncoding.EncodeToString([]byte(s.modes["part"]))}}
		case "binary":
			contents = []any{map[string]any{"uri": p.URI, "blob": base64.StdEncoding.EncodeToString([]byte(rest))}}
		case "big":
			n, _ := strconv.Atoi(rest)
			contents = []any{text(p.URI, strings.Repeat("x", n))}
		default:
			if strings.HasSuffix(p.URI, "-binary") {
				contents = []any{map[string]any{"uri": p.URI, "mimeType": "image/png", "blob": "iVBORw0KGgo="}}
				break
			}
			contents = []any{text(p.URI, "about "+p.URI), map[string]any{"uri": p.URI + "/part", "text": s.modes["part"]}}
		}
		s.result(m.ID, map[string]any{"contents": contents})
	}()
}
