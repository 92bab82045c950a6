package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	stack "runtime/debug"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
)

var emptyObject = []byte("{}")

// reply returns the result of a request that needs no run: any except calls, subscriptions
// and logging/setLevel.
func (s *Server) reply(ctx context.Context, m *message, at era) (result []byte, fault *rpcError) {
	switch method := text(m.method); {
	case method == "tools/list" && at != refused:
		return s.list(m, at)
	case method == "ping" && at == legacy:
		return emptyObject, nil
	case s.isResources(method) && at != refused:
		return s.resources(ctx, m, at)
	}
	return s.delegate(ctx, m)
}

// list answers tools/list, without requests to upstream servers.
func (s *Server) list(m *message, at era) (result []byte, fault *rpcError) {
	if cursor := text(m.cursor); cursor != "" {
		return nil, invalidParams("cursor: this server returns all tools in one page and never gave the cursor " + wording.Quote(cursor))
	}
	dst := []byte(`{"tools":`)
	dst = s.tools.Load().appendList(dst, s.opts.ToolHints)
	return s.appendPageEnd(dst, at), nil
}

// appendPageEnd ends the result of a list or of a resource.
func (s *Server) appendPageEnd(dst []byte, at era) []byte {
	if at == modern {
		dst = append(dst, `,"ttlMs":0,"cacheScope":"`+string(mcp.CacheScopePrivate)+`",`...)
		dst = append(dst, s.identity...)
	}
	return append(dst, '}')
}

// delegate lets the library answer: the handshakes, and unknown methods of each era. The
// library does not get the id, because it reads numbers as floats.
func (s *Server) delegate(ctx context.Context, m *message) (result []byte, fault *rpcError) {
	defer s.recovered(m, &fault)
	raw := append([]byte(`{"jsonrpc":"2.0","id":1,"method":`), m.method...)
	if m.params != nil {
		raw = append(append(raw, `,"params":`...), m.params...)
	}
	switch answer := s.library.HandleMessage(ctx, append(raw, '}')).(type) {
	case mcp.JSONRPCResponse:
		result, err := json.Marshal(answer.Result)
		if err != nil {
			return nil, &rpcError{code: codeInternal, message: "internal error"}
		}
		return result, nil
	case mcp.JSONRPCError:
		fault := &rpcError{code: answer.Error.Code, message: answer.Error.Message}
		if answer.Error.Data != nil {
			var err error
			if fault.data, err = json.Marshal(answer.Error.Data); err != nil {
				fault.data = nil // the message alone is sent
			}
		}
		return nil, fault
	}
	return nil, &rpcError{code: codeMethodNotFound, message: "unknown method " + wording.Quote(text(m.method))}
}

// recovered, when deferred, turns a panic into an error for the client.
func (s *Server) recovered(m *message, fault **rpcError) {
	if p := recover(); p != nil {
		s.opts.Logger.Error("a request panicked", "method", wording.Shorten(text(m.method)),
			"panic", s.redact(fmt.Sprint(p)), "stack", s.redact(string(stack.Stack())))
		*fault = &rpcError{code: codeInternal, message: "internal error"}
	}
}

// Resources are documents that clients can read. Safe for concurrent use.
type Resources interface {
	// List returns the page at a cursor, "" for the first one, and the cursor of the next
	// page, "" after the last one. For an unknown cursor the error is ErrNoCursor.
	List(ctx context.Context, cursor string) (page []Resource, next string, err error)
	// Templates returns the URI templates of resources that need not be listed.
	Templates() []Resource
	// Read returns the content of a resource. For an unknown URI the error is ErrNoResource.
	Read(ctx context.Context, uri string) (Content, error)
}

// Resource is one entry of resources/list; URI is a template (RFC 6570) in Templates.
type Resource struct {
	URI, Name, Title, Description, MIMEType string
	Size                                    int // bytes; 0: unknown
}

// Content is the content of a resource.
type Content struct {
	MIMEType string
	Text     string
}

// Errors of Resources.
var (
	ErrNoResource = errors.New("resource not found")
	ErrNoCursor   = errors.New("unknown cursor")
)

// isResources reports whether Resources answer a method.
func (s *Server) isResources(method string) bool {
	if s.opts.Resources == nil {
		return false
	}
	return method == "resources/list" || method == "resources/templates/list" || method == "resources/read"
}

// resources answers a request about resources.
func (s *Server) resources(ctx context.Context, m *message, at era) (result []byte, fault *rpcError) {
	defer s.recovered(m, &fault)
	switch text(m.method) {
	case "resources/list":
		result, fault = s.listResources(ctx, text(m.cursor))
	case "resources/templates/list":
		result = appendResources([]byte(`{"resourceTemplates":`), "uriTemplate", s.opts.Resources.Templates())
	default:
		result, fault = s.readResource(ctx, m, at)
	}
	if fault != nil {
		return nil, fault
	}
	return s.appendPageEnd(result, at), nil
}

func (s *Server) listResources(ctx context.Context, cursor string) ([]byte, *rpcError) {
	page, next, err := s.opts.Resources.List(ctx, cursor)
	if errors.Is(err, ErrNoCursor) {
		return nil, invalidParams("unknown cursor " + wording.Quote(cursor) + "; use the nextCursor of a page of this server")
	}
	if err != nil {
		return nil, &rpcError{code: codeInternal, message: err.Error()}
	}
	dst := appendResources([]byte(`{"resources":`), "uri", page)
	if next != "" {
		dst = value.AppendString(append(dst, `,"nextCursor":`...), next)
	}
	return dst, nil
}

func appendResources(dst []byte, address string, page []Resource) []byte {
	dst = append(dst, '[')
	for i, r := range page {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(r.appendMembers(append(dst, '{'), address), '}')
	}
	return append(dst, ']')
}

// appendMembers appends the members of an entry, with the URI or template under the key address.
func (r *Resource) appendMembers(dst []byte, address string) []byte {
	dst = value.AppendString(append(dst, `"`+address+`":`...), r.URI)
	dst = value.AppendString(append(dst, `,"name":`...), r.Name)
	for _, field := range [][2]string{{"title", r.Title}, {"description", r.Description}, {"mimeType", r.MIMEType}} {
		if field[1] != "" {
			dst = value.AppendString(append(dst, `,"`+field[0]+`":`...), field[1])
		}
	}
	if r.Size > 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), int64(r.Size), 10)
	}
	return dst
}

func (s *Server) readResource(ctx context.Context, m *message, at era) ([]byte, *rpcError) {
	uri := text(m.uri)
	if uri == "" {
		return nil, invalidParams("uri: expected a string, got " + describeRaw(m.uri))
	}
	content, err := s.opts.Resources.Read(ctx, uri)
	if errors.Is(err, ErrNoResource) {
		code := mcp.RESOURCE_NOT_FOUND
		if at == modern {
			code = codeInvalidParams // required by revision 2026-07-28
		}
		return nil, &rpcError{code: code, message: err.Error(), data: append(value.AppendString([]byte(`{"uri":`), s.redact(uri)), '}')}
	}
	if err != nil {
		return nil, &rpcError{code: codeInternal, message: err.Error()}
	}
	dst := value.AppendString([]byte(`{"contents":[{"uri":`), uri)
	dst = value.AppendString(append(dst, `,"mimeType":`...), content.MIMEType)
	dst = value.AppendString(append(dst, `,"text":`...), s.redact(content.Text))
	return append(dst, "}]"...), nil
}

// answerLater answers a request about resources in a goroutine of its own, so that the read
// loop continues.
func (c *conn) answerLater(m *message, at era) *rpcError {
	f, fault := c.begin(m)
	if fault != nil {
		return fault
	}
	own := message{method: bytes.Clone(m.method), cursor: bytes.Clone(m.cursor), uri: bytes.Clone(m.uri)}
	go func() {
		result, fault := c.server.resources(f.ctx, &own, at)
		if c.end(f) {
			if fault != nil {
				c.refuse(f.id, fault)
			} else {
				c.reply(f.id, result)
			}
		}
		c.calls.Done()
	}()
	return nil
}
