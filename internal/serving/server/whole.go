package server

import (
	"bytes"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// appendWhole appends the answer line of a call whose result is passed on as its server gave it. What is no part of
// such a result, or not of the form that clients accept, is left out.
func (s *Server) appendWhole(dst, id []byte, c *call, a *Answer) []byte {
	var result struct {
		Content           json.RawMessage            `json:"content"`
		StructuredContent json.RawMessage            `json:"structuredContent"`
		IsError           bool                       `json:"isError"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	raw := compact(c.from.secrets.RedactJSON(a.Whole))
	if json.Unmarshal(raw, &result) != nil {
		return s.appendNotice(dst, id, c, failed("the server has answered with what is no result"), a.Usage)
	}
	if len(result.Content) == 0 || result.Content[0] != '[' {
		result.Content = []byte("[]")
	}
	s.givenIn(c.subject, result.Content)
	dst = append(append(appendHead(dst, id), `"result":{"content":`...), result.Content...)
	if len(result.StructuredContent) > 0 && result.StructuredContent[0] == '{' {
		dst = append(append(dst, `,"structuredContent":`...), result.StructuredContent...)
	}
	if result.IsError {
		c.outcome.Failed = true
		dst = append(dst, `,"isError":true`...)
	}
	delete(result.Meta, mcp.MetaKeyServerInfo) // that of this server takes its place
	delete(result.Meta, RunMeta)
	var more []byte
	if len(result.Meta) > 0 {
		if encoded, err := json.Marshal(result.Meta); err == nil {
			more = encoded[len("{") : len(encoded)-len("}")]
		}
	}
	return s.appendTailWith(dst, c.modern, a.Usage, len(result.Content)+len(result.StructuredContent), more)
}

// givenIn notes the links in content for a subject.
func (s *Server) givenIn(subject string, content []byte) {
	if s.opts.Resources == nil {
		return
	}
	decoded, err := value.Decode(content)
	if err != nil {
		return
	}
	items, _ := decoded.([]any)
	for _, item := range items {
		s.given(subject, item)
	}
}

// compact returns JSON without white space between its parts: a line of stdio must have no line end in it.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
