package server

import (
	"context"
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// appendValue appends the answer line for the value of a run: its JSON as one text
// item, and as structuredContent when it is an object or the outputSchema requires it.
// Without an outputSchema, MCP content is sent as content. A tool with result: text sends
// a string without quotes. Of a call that has failed, the value says how far it came. The work ends with
// the context, unless that has ended before: the answer is of a run that was cancelled then.
func (s *Server) appendValue(ctx context.Context, dst, id []byte, c *call, a Answer, hasFailed bool) []byte {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	if c.tool.output == nil {
		if items := contentItems(&a); items != nil {
			return s.appendContent(ctx, dst, id, c, items, &a)
		}
	}
	raw, _, err := encode(ctx, c, a.Value)
	if err != nil {
		return s.appendNotice(dst, id, c, unencodable(c, err), a.Usage)
	}
	out, shown, mark := len(raw), raw, len(dst)
	if text, isText := a.Value.(string); isText && c.tool.def.Result == config.TextResult {
		text = c.from.secrets.Redact(text)
		out, shown = len(text), []byte(text)
	}
	dst = appendHead(grown(dst, len(raw)), id)
	dst = append(dst, `"result":{"content":[{"type":"text","text":`...)
	if dst, err = value.AppendText(value.Until(ctx), dst, shown); err != nil {
		return s.appendNotice(dst[:mark], id, c, unencodable(c, err), a.Usage)
	}
	if c.tool.output == nil {
		dst = appendDetails(dst, c, a.detailsOf(0, 1))
	}
	dst = append(dst, "}]"...)
	switch {
	case c.tool.output != nil && c.tool.output.Wrapped():
		dst = append(dst, `,"structuredContent":{"result":`...)
		dst = append(append(dst, raw...), '}')
	case raw[0] == '{':
		dst = append(append(dst, `,"structuredContent":`...), raw...)
	}
	if hasFailed {
		c.outcome.Failed = true
		dst = append(dst, `,"isError":true`...)
	}
	return s.appendTail(dst, c, a.Usage, out)
}

// encode returns a value as JSON without secrets; whole: it has none.
func encode(ctx context.Context, c *call, v value.Value) (shown []byte, whole bool, err error) {
	raw, err := value.EncodeWithin(value.Until(ctx), v)
	if err != nil {
		return nil, false, err
	}
	shown, err = c.from.secrets.RedactJSONWithin(ctx, raw)
	return shown, err == nil && len(shown) == len(raw) && &shown[0] == &raw[0], err
}

// grown returns dst with room for JSON of a length, as a text in which some characters are escaped and as
// it is. A short one may grow while it is written.
func grown(dst []byte, size int) []byte {
	if size < spareMost/4 {
		return dst
	}
	return slices.Grow(dst, 2*size+size/4)
}

// appendFailure appends the answer line of a call that has failed without a run.
func (s *Server) appendFailure(dst, id []byte, c *call, message string) []byte {
	return s.appendNotice(dst, id, c, failed(message), nil)
}

// appendText appends a text item.
func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(value.AppendString(append(dst, `{"type":"text","text":`...), text), '}')
}

// appendTail ends a result, of whose content a model reads so many bytes, and its line.
func (s *Server) appendTail(dst []byte, c *call, used *Usage, out int) []byte {
	return s.appendTailWith(dst, c.modern, used, out, c.shown)
}

// appendTailWith is appendTail with more members of _meta: JSON between the braces of an object.
func (s *Server) appendTailWith(dst []byte, modern bool, used *Usage, out int, more []byte) []byte {
	switch {
	case modern && (used != nil || len(more) > 0):
		dst = append(append(dst, ','), s.identity[:len(s.identity)-len("}")]...)
		dst = append(appendMembers(append(dst, ','), used, out, more), '}')
	case modern:
		dst = append(append(dst, ','), s.identity...)
	case used != nil || len(more) > 0:
		dst = append(appendMembers(append(dst, `,"_meta":{`...), used, out, more), '}')
	}
	return append(dst, "}}\n"...)
}

// appendMembers appends members of _meta.
func appendMembers(dst []byte, used *Usage, out int, more []byte) []byte {
	if dst = append(dst, more...); used == nil {
		return dst
	}
	if len(more) > 0 {
		dst = append(dst, ',')
	}
	return used.append(dst, out)
}

// A value may be MCP content of an upstream tool: an image, audio, a resource or a link to
// one. The client gets it as content, not as JSON text.

// contentItems returns the items of a value with MCP content, or of one that has several items with
// details, and nil for other values. Beside content, a list may have strings, which are sent as text, and
// other values, which are sent as JSON: the reverse of how items of an upstream result become a value.
func contentItems(a *Answer) []value.Value {
	if list, ok := a.Value.([]any); ok {
		if several := len(a.Details) > 1 && len(a.Details) == len(list); several || slices.ContainsFunc(list, isContent) {
			return list
		}
		return nil
	}
	if isContent(a.Value) {
		return []value.Value{a.Value}
	}
	return nil
}

// isContent reports whether a value is content by the protocol's definition: it has all
// required members and no others, since an object with more may be plain data.
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

// only reports whether an object has no members except these and those common to all content.
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

// appendContent appends the answer line of a run whose value is content.
func (s *Server) appendContent(ctx context.Context, dst, id []byte, c *call, items []value.Value, a *Answer) []byte {
	mark := len(dst)
	dst = append(appendHead(dst, id), `"result":{"content":[`...)
	from := len(dst)
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if text, ok := item.(string); ok {
			text, err := c.from.secrets.RedactWithin(ctx, text)
			if err != nil {
				return s.appendNotice(dst[:mark], id, c, unencodable(c, err), a.Usage)
			}
			dst = appendDetailed(dst, c, text, a.detailsOf(i, len(items)))
			continue
		}
		raw, whole, err := encode(ctx, c, item)
		if err != nil {
			return s.appendNotice(dst[:mark], id, c, unencodable(c, err), a.Usage)
		}
		if whole && isContent(item) { // redacted, it may no longer be valid content
			s.given(c.subject, item)
			dst = append(dst, raw...)
			continue
		}
		dst = appendDetailed(dst, c, raw, a.detailsOf(i, len(items)))
	}
	return s.appendTail(append(dst, ']'), c, a.Usage, len(dst)-from)
}

func unencodable(c *call, err error) *Notice {
	return failed("the value of tool " + wording.Quote(c.tool.name) + " cannot be written as JSON: " + err.Error())
}

// The JSON-RPC error codes of this server.
const (
	codeParse          = mcp.PARSE_ERROR
	codeInvalidRequest = mcp.INVALID_REQUEST
	codeMethodNotFound = mcp.METHOD_NOT_FOUND
	codeInvalidParams  = mcp.INVALID_PARAMS
	codeInternal       = mcp.INTERNAL_ERROR

	codeMissingCapability = mcp.MISSING_REQUIRED_CLIENT_CAPABILITY
)

// rpcError is the reason to refuse a request: a mistake of the client, not of the tool.
type rpcError struct {
	code    int
	message string
	data    []byte // its data as JSON, or nil
}

func invalidRequest(message string) *rpcError {
	return &rpcError{code: codeInvalidRequest, message: message}
}

func invalidParams(message string) *rpcError {
	return &rpcError{code: codeInvalidParams, message: message}
}

func (e *rpcError) Error() string { return e.message }

// appendRefusal appends a complete error line.
func (s *Server) appendRefusal(dst, id []byte, e *rpcError) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.code), 10)
	dst = append(dst, `,"message":`...)
	dst = value.AppendString(dst, s.redact(e.message))
	if e.data != nil {
		dst = append(append(dst, `,"data":`...), e.data...)
	}
	return append(dst, "}}\n"...)
}

// appendAnswer appends a complete result line; result is a JSON object.
func appendAnswer(dst, id, result []byte) []byte {
	dst = appendHead(dst, id)
	dst = append(dst, `"result":`...)
	dst = append(dst, result...)
	return append(dst, "}\n"...)
}

func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return append(dst, ',')
}
