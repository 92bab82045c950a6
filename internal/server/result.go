package server

import (
	"encoding/json"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// appendValue appends the answer of a run that gave a value: its JSON as one text
// item, and as structuredContent when it is an object or the outputSchema wants it.
// Without an outputSchema, content is given as content. A tool with result: text sends
// a string as it is.
func (s *Server) appendValue(dst, id []byte, c *call, v value.Value) []byte {
	if c.tool.output == nil {
		if items := contentItems(v); items != nil {
			return s.appendContent(dst, id, c, items)
		}
	}
	raw, err := value.Encode(v)
	if err != nil {
		return s.appendFailure(dst, id, c, unencodable(c, err))
	}
	raw = c.from.redactJSON(raw, v)
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"content":[{"type":"text","text":`...)
	if text, isText := v.(string); isText && c.tool.def.Result == config.TextResult {
		dst = appendString(dst, c.from.redact(text))
	} else {
		dst = appendString(dst, raw)
	}
	dst = append(dst, "}]"...)
	switch {
	case c.tool.output != nil && c.tool.output.Wrapped():
		dst = append(dst, `,"structuredContent":{"result":`...)
		dst = append(append(dst, raw...), '}')
	case raw[0] == '{':
		dst = append(append(dst, `,"structuredContent":`...), raw...)
	}
	return s.appendTail(dst, c.modern)
}

// appendFailure appends the answer of a call that gave no value: a result that the
// model sees, so that it can do better.
func (s *Server) appendFailure(dst, id []byte, c *call, message string) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"content":[{"type":"text","text":`...)
	dst = appendString(dst, c.from.redact(message))
	dst = append(dst, `}],"isError":true`...)
	return s.appendTail(dst, c.modern)
}

// appendTail ends a result and its line.
func (s *Server) appendTail(dst []byte, modern bool) []byte {
	if modern {
		dst = append(append(dst, ','), s.identity...)
	}
	return append(dst, "}}\n"...)
}

// RedactJSON is the JSON of a value without secrets, and still JSON.
func RedactJSON(secrets *config.Secrets, raw []byte, value value.Value) []byte {
	if secrets == nil {
		return raw
	}
	return (&catalog{hide: secrets.Redact}).redactJSON(raw, value)
}

// redactJSON hides secrets in a value. A secret that stands outside a string, such
// as a number, would leave broken JSON behind; then each part is redacted by itself.
func (from *catalog) redactJSON(raw []byte, v value.Value) []byte {
	if from.hide == nil {
		return raw
	}
	before := string(raw)
	after := from.hide(before)
	if after == before {
		return raw
	}
	if json.Valid([]byte(after)) {
		return []byte(after)
	}
	parts, err := json.Marshal(from.redactParts(value.Plain(v)))
	if err != nil {
		return []byte(`"[redacted]"`)
	}
	return parts
}

func (from *catalog) redactParts(v any) any {
	switch v := v.(type) {
	case string:
		return from.redact(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = from.redactParts(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[from.redact(key)] = from.redactParts(item)
		}
		return out
	case bool, nil:
		return v
	}
	raw, err := json.Marshal(v)
	if err != nil || from.redact(string(raw)) != string(raw) {
		return "[redacted]"
	}
	return v
}
