package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

const (
	readMethod   = string(mcp.MethodResourcesRead)
	resourceMost = 8 << 20 // bytes of the contents of a resource
)

// ErrNoResource is in the chain of the error of a server that does not have a resource.
var ErrNoResource = errors.New("the server does not have the resource")

// Content is a part of a resource, as its server gives it: with either Text or Blob. Nothing in it is
// redacted.
type Content struct {
	URI      string          `json:"uri"`
	MIMEType string          `json:"mimeType"`
	Text     *string         `json:"text"`
	Blob     *string         `json:"blob"` // base64
	Meta     json.RawMessage `json:"_meta"`
}

// ReadResource asks a server for a resource, with the timeout, the slots and the rate of its calls;
// meta goes into the request's _meta. Contents of more than 8 MiB are an error. The error is an
// *Error. When ctx ends, the server is notified and ReadResource returns at once.
func (p *Pool) ReadResource(ctx context.Context, server, uri string, meta map[string]any) (contents []Content, err error) {
	if p.shared[server] != nil {
		ctx = context.WithValue(ctx, sharedKey{}, server)
	}
	err = p.use(server, "", func(u *upstream) (fail *Error) {
		contents, fail = u.readResource(ctx, uri, meta)
		return fail
	})
	return contents, err
}

func (u *upstream) readResource(ctx context.Context, uri string, meta map[string]any) ([]Content, *Error) {
	waited := false
	raw, s, fail := u.request(ctx, readMethod, func(s *session) (request, *Error) {
		if !waited {
			if fail := u.byRate(ctx); fail != nil {
				return request{}, fail
			}
			waited = true
		}
		params, err := s.endParams(value.AppendString([]byte(`{"uri":`), uri), meta)
		if err != nil {
			return request{}, unencoded(err)
		}
		return request{name: uri, params: params}, nil
	})
	if fail != nil {
		return nil, noResource(s, fail)
	}
	contents, err := readContents(raw)
	if err != nil {
		return nil, &Error{Code: CodeBadResult, Message: "invalid resources/read result: " + s.note.shown(err.Error(), 300)}
	}
	size := 0
	for _, c := range contents {
		size += len(c.Bytes())
	}
	if size > resourceMost {
		return nil, &Error{Code: CodeTooLarge, Message: fmt.Sprintf("the resource has %d bytes, expected at most %d", size, resourceMost)}
	}
	return contents, nil
}

// noResource adds ErrNoResource to the failure of a server that does not have a resource. Such an
// error has another code in the modern era.
func noResource(s *session, fail *Error) *Error {
	var rpc *rpcError
	if errors.As(fail, &rpc) && (rpc.code == mcp.RESOURCE_NOT_FOUND || s != nil && s.meta != nil && rpc.code == mcp.INVALID_PARAMS) {
		fail.Err = errors.Join(ErrNoResource, fail.Err)
	}
	return fail
}

// readContents reads a result of resources/read.
func readContents(raw []byte) ([]Content, error) {
	var result struct {
		Type     string    `json:"resultType"`
		Contents []Content `json:"contents"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	if result.Type == string(mcp.ResultTypeInputRequired) {
		return nil, errors.New("the server asks for input, expected contents")
	}
	for i, c := range result.Contents {
		if (c.Text == nil) == (c.Blob == nil) {
			return nil, fmt.Errorf("content %d has not exactly one of text and blob", i)
		}
	}
	if result.Contents == nil {
		return nil, errors.New("it has no contents")
	}
	return result.Contents, nil
}

// Binary reports whether the content is base64.
func (c *Content) Binary() bool { return c.Blob != nil }

// Bytes returns the content: text, or base64.
func (c *Content) Bytes() string {
	if c.Blob != nil {
		return *c.Blob
	}
	return *c.Text
}
