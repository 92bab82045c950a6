package server

import (
	"context"
	"encoding/json"
	"fmt"
	stack "runtime/debug"

	"toolgraph/internal/wording"

	"github.com/mark3labs/mcp-go/mcp"
)

var emptyObject = []byte("{}")

// reply is the result of a request that costs nothing: of all but calls,
// subscriptions and the level of the log.
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

// list answers tools/list. Nothing is asked of upstream servers.
func (s *Server) list(m *message, at era) (result []byte, fault *rpcError) {
	if cursor := text(m.cursor); cursor != "" {
		return nil, invalidParams("cursor: this server gives the whole list at once, so there is no cursor " + wording.Quote(cursor))
	}
	dst := []byte(`{"tools":`)
	dst = s.tools.Load().appendList(dst, s.opts.ToolHints)
	if at == modern {
		dst = append(dst, `,"ttlMs":0,"cacheScope":"`+string(mcp.CacheScopePrivate)+`",`...)
		dst = append(dst, s.identity...)
	}
	return append(dst, '}'), nil
}

// delegate lets the library answer what is not ours: the handshakes, and which
// methods there are in which era. The id does not go through it, because it reads
// numbers as floats.
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
				fault.data = nil // the message has to do
			}
		}
		return nil, fault
	}
	return nil, &rpcError{code: codeMethodNotFound, message: "unknown method " + wording.Quote(text(m.method))}
}

// recovered turns a panic of whatever answers a request into an error, when it is
// deferred.
func (s *Server) recovered(m *message, fault **rpcError) {
	if p := recover(); p != nil {
		s.opts.Logger.Error("a request panicked", "method", wording.Shorten(text(m.method)),
			"panic", s.redact(fmt.Sprint(p)), "stack", s.redact(string(stack.Stack())))
		*fault = &rpcError{code: codeInternal, message: "internal error"}
	}
}
