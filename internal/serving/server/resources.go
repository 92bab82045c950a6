package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Resources are documents that clients can read. Safe for concurrent use.
type Resources interface {
	// List returns the page at a cursor, "" for the first one, and the cursor of the next
	// page, "" after the last one. For an unknown cursor the error is ErrNoCursor.
	List(ctx context.Context, cursor string) (page []Resource, next string, err error)
	// Templates returns the URI templates of resources that need not be listed.
	Templates() []Resource
	// Read returns the contents of a resource. For an unknown URI the error is ErrNoResource.
	Read(ctx context.Context, uri string) ([]Content, error)
	// Given is called with the URI of each link and each embedded resource that a result gives a
	// client, before the client gets it, and with the subject of its access token, if it has one.
	Given(subject, uri string)
}

// Resource is one entry of resources/list; URI is a template (RFC 6570) in Templates.
type Resource struct {
	URI, Name, Title, Description, MIMEType string
	Size                                    int // bytes; 0: unknown

	// Raw is the whole entry as a JSON object, without secrets, in place of the other fields; nil: they count.
	Raw []byte
}

// Content is one content of a resource. Secrets in it are redacted.
type Content struct {
	URI      string // "" for the one that was asked for
	MIMEType string // "" when unknown
	Text     string
	Blob     string // base64
	Binary   bool   // the content is Blob, not Text
	Meta     []byte // _meta, a JSON object; nil for none
}

// Errors of Resources.
var (
	ErrNoResource = errors.New("resource not found")
	ErrNoCursor   = errors.New("unknown cursor")
)

// isResources reports whether Resources answer a method, or of a client with views App does.
func (s *Server) isResources(method string, m *message) bool {
	if s.opts.Resources == nil && !m.apps {
		return false
	}
	return method == "resources/list" || method == "resources/templates/list" || method == "resources/read"
}

// resources answers a request about resources.
func (s *Server) resources(ctx context.Context, m *message, at era) (result []byte, fault *rpcError) {
	defer s.recovered(m, &fault)
	switch text(m.method) {
	case "resources/list":
		result, fault = s.listResources(ctx, m)
	case "resources/templates/list":
		result = appendResources([]byte(`{"resourceTemplates":`), "uriTemplate", s.templates())
	default:
		result, fault = s.readResource(ctx, m, at)
	}
	if fault != nil {
		return nil, fault
	}
	return s.appendPageEnd(result, at), nil
}

// templates returns the templates of resources.
func (s *Server) templates() []Resource {
	if s.opts.Resources == nil {
		return nil
	}
	return s.opts.Resources.Templates()
}

// pageOf returns the page of resources at a cursor.
func (s *Server) pageOf(ctx context.Context, m *message, cursor string) (page []Resource, next string, err error) {
	switch {
	case s.opts.Resources != nil:
		page, next, err = s.opts.Resources.List(ctx, cursor)
	case cursor != "":
		err = ErrNoCursor
	}
	if m.apps && cursor == "" && err == nil {
		page = append([]Resource{s.opts.App.resource()}, page...)
	}
	return page, next, err
}

func (s *Server) listResources(ctx context.Context, m *message) ([]byte, *rpcError) {
	cursor := text(m.cursor)
	page, next, err := s.pageOf(ctx, m, cursor)
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
		if r.Raw != nil {
			dst = append(dst, r.Raw...)
			continue
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

// contentsOf returns the contents of a resource.
func (s *Server) contentsOf(ctx context.Context, m *message, uri string) ([]Content, error) {
	switch {
	case m.apps && uri == s.opts.App.URI:
		return []Content{s.opts.App.content()}, nil
	case s.opts.Resources == nil:
		return nil, fmt.Errorf("%w: %s", ErrNoResource, wording.Quote(uri))
	}
	return s.opts.Resources.Read(ctx, uri)
}

func (s *Server) readResource(ctx context.Context, m *message, at era) ([]byte, *rpcError) {
	uri := text(m.uri)
	if uri == "" {
		return nil, invalidParams("uri: expected a string, got " + describeRaw(m.uri))
	}
	contents, err := s.contentsOf(ctx, m, uri)
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
	dst := []byte(`{"contents":[`)
	for i, c := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		c.URI = cmp.Or(c.URI, uri)
		if dst, err = s.appendContentOf(dst, &c); err != nil {
			return nil, &rpcError{code: codeInternal, message: err.Error()}
		}
	}
	return append(dst, ']'), nil
}

// appendContentOf appends one content of a resource. A blob cannot be redacted, so one whose text
// has a secret is an error.
func (s *Server) appendContentOf(dst []byte, c *Content) ([]byte, error) {
	dst = value.AppendString(append(dst, `{"uri":`...), s.redact(c.URI))
	if c.MIMEType != "" {
		dst = value.AppendString(append(dst, `,"mimeType":`...), s.redact(c.MIMEType))
	}
	if c.Binary {
		raw, err := base64.StdEncoding.DecodeString(c.Blob)
		if err != nil {
			return nil, errors.New("the blob of the resource is not base64")
		}
		if text := string(raw); s.redact(text) != text || s.redact(c.Blob) != c.Blob {
			return nil, errors.New("the resource is binary and contains a secret, so it is not sent")
		}
		dst = value.AppendString(append(dst, `,"blob":`...), c.Blob)
	} else {
		dst = value.AppendString(append(dst, `,"text":`...), s.redact(c.Text))
	}
	if c.Meta != nil {
		dst = append(append(dst, `,"_meta":`...), s.tools.Load().secrets.RedactJSON(c.Meta)...)
	}
	return append(dst, '}'), nil
}

// LinkOf returns the URI of a value that is sent as a link to a resource, or as an embedded one; ""
// for any other value.
func LinkOf(v value.Value) string {
	of := v
	switch kind, _ := member(v, "type").(string); kind {
	case "resource_link":
	case "resource":
		of = member(v, "resource")
	default:
		return ""
	}
	if !isContent(v) {
		return ""
	}
	uri, _ := member(of, "uri").(string)
	return uri
}

// given notes the link in an item of a result for a subject, if it is one.
func (s *Server) given(subject string, item value.Value) {
	if s.opts.Resources == nil {
		return
	}
	if uri := LinkOf(item); uri != "" {
		s.opts.Resources.Given(subject, uri)
	}
}
