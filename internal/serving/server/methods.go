package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	stack "runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/internal/base/wording"
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
	case s.isOffered(method, m) && at != refused:
		return s.offered(ctx, m, at)
	}
	return s.delegate(ctx, m)
}

// list answers tools/list, without requests to upstream servers.
func (s *Server) list(m *message, at era) (result []byte, fault *rpcError) {
	if cursor := text(m.cursor); cursor != "" {
		return nil, invalidParams("cursor: this server returns all tools in one page and never gave the cursor " + wording.Quote(cursor))
	}
	dst := []byte(`{"tools":`)
	dst = s.tools.Load().appendList(dst, s.opts.ToolHints, m.apps)
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
		result, err := json.Marshal(s.introduced(m, answer.Result))
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

// introduced adds to the answer of a handshake what the library does not know of.
func (s *Server) introduced(m *message, answer any) any {
	switch found := answer.(type) {
	case mcp.DiscoverResult:
		if s.opts.Tasks != nil { // not of initialize: earlier protocols do not have the extension
			found.Capabilities.Extensions = map[string]any{TasksExtension: map[string]any{}}
		}
		s.able(m, &found.Capabilities, true)
		return found
	case mcp.InitializeResult:
		s.able(m, &found.Capabilities, false)
		return found
	}
	return answer
}

// recovered, when deferred, turns a panic into an error for the client.
func (s *Server) recovered(m *message, fault **rpcError) {
	if p := recover(); p != nil {
		s.opts.Logger.Error("a request panicked", "method", wording.Shorten(text(m.method)),
			"panic", s.redact(fmt.Sprint(p)), "stack", s.redact(string(stack.Stack())))
		*fault = &rpcError{code: codeInternal, message: "internal error"}
	}
}

// answerLater answers a request about resources or prompts in a goroutine of its own, so that the read
// loop continues.
func (c *conn) answerLater(m *message, at era, o *observation) *rpcError {
	return c.later(m, o, func(ctx context.Context, own *message) ([]byte, *rpcError) { return c.server.offered(ctx, own, at) })
}

// later answers a request with what answer makes of it, in a goroutine of its own.
func (c *conn) later(m *message, o *observation, answer func(context.Context, *message) ([]byte, *rpcError)) *rpcError {
	f, fault := c.begin(m, o)
	if fault != nil {
		return fault
	}
	own := message{
		method: bytes.Clone(m.method), cursor: bytes.Clone(m.cursor), uri: bytes.Clone(m.uri), name: bytes.Clone(m.name), arguments: bytes.Clone(m.arguments),
		params: bytes.Clone(m.params), taskID: bytes.Clone(m.taskID), inputResponses: bytes.Clone(m.inputResponses), capabilities: bytes.Clone(m.capabilities), apps: m.apps,
	}
	go func() {
		result, fault := answer(f.ctx, &own)
		wanted := c.end(f)
		if fault != nil {
			o.refused(fault)
		} else {
			o.end(Outcome{Cancelled: !wanted})
		}
		if wanted {
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
