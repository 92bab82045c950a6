package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Prompts are texts that clients can get. Safe for concurrent use.
type Prompts interface {
	// List returns all entries, each a JSON object without secrets.
	List() [][]byte
	// Get returns a prompt as the result of prompts/get, a JSON object; arguments is a JSON object, or nil. For an
	// unknown name the error is ErrNoPrompt. Secrets in the result are redacted.
	Get(ctx context.Context, name string, arguments []byte) (result []byte, err error)
}

// Complete returns the values of an argument of a prompt, or of a variable of a resource template, as the result of
// completion/complete; nil for none. The arguments are JSON, that of the context may be nil.
type Complete func(ctx context.Context, ref, argument, within []byte) (result []byte, err error)

// ErrNoPrompt is the error of a prompt that is not known.
var ErrNoPrompt = errors.New("prompt not found")

// InvalidError is the error of a request whose arguments another server refuses.
type InvalidError struct{ Err error }

func (e *InvalidError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *InvalidError) Unwrap() error { return e.Err }

// isOffered reports whether Resources, Prompts or Complete answer a method.
func (s *Server) isOffered(method string, m *message) bool {
	switch method {
	case "prompts/list", "prompts/get":
		return s.hasPrompts
	case "completion/complete":
		return s.opts.Complete != nil
	}
	return s.isResources(method, m)
}

// offered answers a request about resources, prompts or their arguments.
func (s *Server) offered(ctx context.Context, m *message, at era) (result []byte, fault *rpcError) {
	defer s.recovered(m, &fault)
	switch text(m.method) {
	case "prompts/list":
		return s.listPrompts(m, at)
	case "prompts/get":
		return s.getPrompt(ctx, m, at)
	case "completion/complete":
		return s.complete(ctx, m, at)
	}
	return s.resources(ctx, m, at)
}

func (s *Server) listPrompts(m *message, at era) ([]byte, *rpcError) {
	if cursor := text(m.cursor); cursor != "" {
		return nil, invalidParams("cursor: this server returns all prompts in one page and never gave the cursor " + wording.Quote(cursor))
	}
	dst := []byte(`{"prompts":[`)
	for i, entry := range s.promptEntries() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, entry...)
	}
	return s.appendPageEnd(append(dst, ']'), at), nil
}

func (s *Server) getPrompt(ctx context.Context, m *message, at era) ([]byte, *rpcError) {
	name := text(m.name)
	switch {
	case name == "":
		return nil, invalidParams("name: expected the name of a prompt, a string, got " + describeRaw(m.name))
	case m.arguments != nil && m.arguments[0] != '{':
		return nil, invalidParams("arguments: expected an object, got " + describeRaw(m.arguments))
	}
	if s.opts.Prompts == nil {
		return nil, invalidParams("unknown prompt " + wording.Quote(name) + s.nearPrompt(name))
	}
	raw, err := s.opts.Prompts.Get(ctx, name, m.arguments)
	if errors.Is(err, ErrNoPrompt) {
		return nil, invalidParams("unknown prompt " + wording.Quote(name) + s.nearPrompt(name))
	}
	return s.passedOn(ctx, raw, err, at, "messages", "description")
}

func (s *Server) complete(ctx context.Context, m *message, at era) ([]byte, *rpcError) {
	var params struct {
		Ref      json.RawMessage `json:"ref"`
		Argument json.RawMessage `json:"argument"`
		Context  json.RawMessage `json:"context"`
	}
	if json.Unmarshal(m.params, &params) != nil || params.Ref == nil || params.Argument == nil {
		return nil, invalidParams("expected ref and argument")
	}
	raw, err := s.opts.Complete(ctx, params.Ref, params.Argument, params.Context)
	if raw == nil && err == nil {
		raw = []byte(`{"completion":{"values":[]}}`)
	}
	return s.passedOn(ctx, raw, err, at, "completion")
}

// passedOn returns members of the result of another server as a result of this one; the first is required.
func (s *Server) passedOn(ctx context.Context, raw []byte, err error, at era, members ...string) ([]byte, *rpcError) {
	var invalid *InvalidError
	switch {
	case errors.As(err, &invalid):
		return nil, invalidParams(err.Error())
	case err != nil:
		return nil, &rpcError{code: codeInternal, message: err.Error()}
	}
	var result map[string]json.RawMessage
	if json.Unmarshal(compact(s.tools.Load().secrets.RedactJSON(raw)), &result) != nil || result[members[0]] == nil {
		return nil, &rpcError{code: codeInternal, message: "the server has answered without " + members[0]}
	}
	s.givenInMessages(SubjectOf(ctx), result["messages"])
	dst := []byte{'{'}
	for _, name := range members {
		if part := result[name]; part != nil {
			if len(dst) > 1 {
				dst = append(dst, ',')
			}
			dst = append(append(value.AppendString(dst, name), ':'), part...)
		}
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(result["_meta"], &meta) != nil {
		meta = nil
	}
	delete(meta, mcp.MetaKeyServerInfo) // that of this server takes its place
	var more []byte
	if encoded, err := json.Marshal(meta); err == nil && len(meta) > 0 {
		more = encoded[len("{") : len(encoded)-len("}")]
	}
	switch {
	case at == modern && more != nil:
		dst = append(append(dst, ','), s.identity[:len(s.identity)-len("}")]...)
		dst = append(append(append(dst, ','), more...), '}')
	case at == modern:
		dst = append(append(dst, ','), s.identity...)
	case more != nil:
		dst = append(append(append(dst, `,"_meta":{`...), more...), '}')
	}
	return append(dst, '}'), nil
}

// givenInMessages notes the links in the messages of a prompt for a subject.
func (s *Server) givenInMessages(subject string, messages []byte) {
	if s.opts.Resources == nil || messages == nil {
		return
	}
	decoded, err := value.Decode(messages)
	if err != nil {
		return
	}
	list, _ := decoded.([]any)
	for _, message := range list {
		s.given(subject, member(message, "content"))
	}
}
