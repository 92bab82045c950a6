package server

import (
	"encoding/base64"
	"io"
	"slices"
	"strings"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

// A value may hold content that is more than JSON: an image, a sound, a resource or a
// link to one, as an upstream tool has given it. Such content reaches the client as what
// it is, and not as text that describes it.

// contentItems are the items that a value is given as, or nil when it is JSON as any
// other. Beside content, texts stand as they are and the rest as JSON: the way in which
// items of an upstream result become a value, backwards.
func contentItems(v value.Value) []value.Value {
	if list, ok := v.([]any); ok {
		if slices.ContainsFunc(list, isContent) {
			return list
		}
		return nil
	}
	if isContent(v) {
		return []value.Value{v}
	}
	return nil
}

// isContent reports whether a value is content by the protocol's definition: nothing
// that is needed is missing, and nothing stands there that could be meant otherwise.
func isContent(value any) bool {
	kind, _ := member(value, "type").(string)
	switch kind {
	case "image", "audio":
		data, _ := member(value, "data").(string)
		return texts(value, "data", "mimeType") && only(value, "data", "mimeType") && isBase64(data)
	case "resource":
		resource := member(value, "resource")
		blob, isBlob := member(resource, "blob").(string)
		return only(value, "resource") && texts(resource, "uri") &&
			(texts(resource, "text") != isBlob) && (!isBlob || isBase64(blob))
	case "resource_link":
		return texts(value, "uri", "name") && only(value, "uri", "name", "title", "description", "mimeType", "size", "icons")
	}
	return false
}

func member(object any, key string) any {
	switch o := object.(type) {
	case value.Object:
		v, _ := o.Get(key)
		return v
	case map[string]any:
		return o[key]
	}
	return nil
}

// texts reports whether all these members are strings.
func texts(object any, keys ...string) bool {
	for _, key := range keys {
		if _, ok := member(object, key).(string); !ok {
			return false
		}
	}
	return true
}

// only reports whether an object has no members but these and those of all content.
func only(object any, keys ...string) bool {
	count := 0
	for _, key := range append(keys, "type", "annotations", "_meta") {
		if member(object, key) != nil {
			count++
		}
	}
	switch o := object.(type) {
	case value.Object:
		return o.Len() == count
	case map[string]any:
		return len(o) == count
	}
	return false
}

// isBase64 reports whether clients can decode a text; one that cannot drops the whole result.
func isBase64(text string) bool {
	_, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	return err == nil && text != "" && !strings.ContainsAny(text, "\r\n")
}

// appendContent appends the answer of a run whose value is content.
func (s *Server) appendContent(dst, id []byte, c *call, items []value.Value) []byte {
	mark := len(dst)
	dst = append(appendHead(dst, id), `"result":{"content":[`...)
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if text, ok := item.(string); ok {
			dst = append(value.AppendString(append(dst, `{"type":"text","text":`...), c.from.secrets.Redact(text)), '}')
			continue
		}
		raw, err := value.Encode(item)
		if err != nil {
			return s.appendFailure(dst[:mark], id, c, unencodable(c, err))
		}
		shown := c.from.secrets.RedactJSON(raw)
		whole := len(shown) == len(raw) && &shown[0] == &raw[0] // else it may be no content any more
		if raw = shown; whole && isContent(item) {
			dst = append(dst, raw...)
			continue
		}
		dst = append(value.AppendString(append(dst, `{"type":"text","text":`...), raw), '}')
	}
	return s.appendTail(append(dst, ']'), c.modern)
}

func unencodable(c *call, err error) string {
	return "the value of tool " + wording.Quote(c.tool.name) + " cannot be written as JSON: " + err.Error()
}
