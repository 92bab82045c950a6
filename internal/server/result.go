package server

import (
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
	raw = c.from.secrets.RedactJSON(raw)
	dst = appendHead(dst, id)
	dst = append(dst, `"result":{"content":[{"type":"text","text":`...)
	if text, isText := v.(string); isText && c.tool.def.Result == config.TextResult {
		dst = value.AppendString(dst, c.from.secrets.Redact(text))
	} else {
		dst = value.AppendString(dst, raw)
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
	dst = value.AppendString(dst, c.from.secrets.Redact(message))
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
