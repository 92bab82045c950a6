package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// era is the generation of the protocol that a request belongs to.
type era int

const (
	legacy  era = iota // initialize once, up to 2025-11-25
	modern             // _meta on each request, 2026-07-28
	refused            // a modern request that is not well made; the library says how
)

// era reads what _meta says.
func (m *message) era() era {
	version := text(m.version)
	switch {
	case !mcp.IsModernProtocol(version):
		return legacy
	case !mcp.IsValidProtocolVersion(version), m.capabilities == nil, m.capabilities[0] != '{':
		return refused
	}
	return modern
}

// request answers a request or begins to. The error is for the read loop to send.
func (c *conn) request(m *message) *rpcError {
	at := m.era()
	method := text(m.method)
	switch {
	case at == refused:
		return c.delegate(m)
	case method == "tools/call" && c.ready(at):
		return c.call(m, at)
	case method == "tools/list" && c.ready(at):
		return c.list(m, at)
	case method == "tools/call", method == "tools/list":
		return &rpcError{codeInvalidRequest, "not initialized: send initialize first, or name the protocol version " +
			"and your capabilities in _meta (" + mcp.LATEST_PROTOCOL_VERSION + ")"}
	case method == "ping" && at == legacy:
		c.reply(m.id, emptyArguments)
		return nil
	case method == "subscriptions/listen" && at == modern:
		return c.listen(m)
	case method == "initialize" && at == legacy:
		return c.initialize(m)
	}
	return c.delegate(m)
}

func (c *conn) ready(at era) bool { return at == modern || c.initialized }

func (c *conn) initialize(m *message) *rpcError {
	if fault := c.delegate(m); fault != nil {
		return fault
	}
	c.initialized = true
	c.mu.Lock()
	defer c.mu.Unlock()
	c.legacy = true
	return nil
}

// list answers tools/list. Nothing is asked of upstream servers.
func (c *conn) list(m *message, at era) *rpcError {
	if cursor := text(m.cursor); cursor != "" {
		return &rpcError{codeInvalidParams, "cursor: this server gives the whole list at once, so there is no cursor " + quoted(cursor)}
	}
	dst := []byte(`{"tools":`)
	dst = c.server.tools.Load().appendList(dst, c.server.opts.ToolHints)
	if at == modern {
		dst = append(dst, `,"ttlMs":0,"cacheScope":"`+string(mcp.CacheScopePrivate)+`",`...)
		dst = append(dst, c.server.identity...)
	}
	c.reply(m.id, append(dst, '}'))
	return nil
}

// lineBuffers are for answers; those of unusual size are not kept.
var lineBuffers = sync.Pool{New: func() any { return new([]byte) }}

// call begins a tools/call in a goroutine of its own.
func (c *conn) call(m *message, at era) *rpcError {
	call, fault := c.server.newCall(m)
	if fault != nil {
		return fault
	}
	call.modern = at == modern
	if !c.server.reserve() {
		_ = c.out.putLater(func(dst []byte) []byte {
			return c.server.appendFailure(dst, m.id, c.server.busy(), call.modern)
		})
		return nil
	}
	f, fault := c.begin(m)
	if fault != nil {
		c.server.release()
		return fault
	}
	call.arguments = bytes.Clone(call.arguments)
	if validID(m.progressToken) {
		call.observe = c.progress(f, bytes.Clone(m.progressToken))
	}
	go c.perform(f, call)
	return nil
}

// perform runs a call and answers it. The call has ended when its answer waits in
// the outbox; whether the client takes it is the outbox's business.
func (c *conn) perform(f *flight, call *call) {
	buffer := lineBuffers.Get().(*[]byte)
	line := c.server.answer(f.ctx, call, (*buffer)[:0], f.id)
	c.server.release()
	mine := false
	if c.end(f) {
		mine, _ = c.out.add(func(dst []byte) []byte { return append(dst, line...) })
	}
	c.calls.Done()
	if mine {
		c.out.flush()
	}
	if cap(line) <= 64<<10 {
		*buffer = line
		lineBuffers.Put(buffer)
	}
}

// progress tells the client of each node. The lines go out in order and before the
// answer, because the run's goroutine puts them and the answer after them.
func (c *conn) progress(f *flight, token []byte) func(string, int) {
	return func(nodeID string, index int) {
		if !c.wanted(f) {
			return
		}
		_ = c.out.put(func(dst []byte) []byte {
			dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
			dst = append(append(dst, token...), `,"progress":`...)
			dst = strconv.AppendInt(dst, int64(index)+1, 10)
			dst = appendString(append(dst, `,"message":`...), nodeID)
			return append(dst, "}}\n"...)
		})
	}
}

// delegate lets the library answer what is not ours: the handshakes, and which
// methods there are in which era. The id does not go through it, because it reads
// numbers as floats.
func (c *conn) delegate(m *message) (fault *rpcError) {
	defer func() {
		if p := recover(); p != nil {
			c.server.opts.Logger.Error("a request panicked", "method", shorten(text(m.method)),
				"panic", c.server.redact(fmt.Sprint(p)), "stack", c.server.redact(string(debug.Stack())))
			fault = &rpcError{codeInternal, "internal error"}
		}
	}()
	raw := append([]byte(`{"jsonrpc":"2.0","id":1,"method":`), m.method...)
	if m.params != nil {
		raw = append(append(raw, `,"params":`...), m.params...)
	}
	switch answer := c.server.library.HandleMessage(c.ctx, append(raw, '}')).(type) {
	case mcp.JSONRPCResponse:
		result, err := json.Marshal(answer.Result)
		if err != nil {
			return &rpcError{codeInternal, "internal error"}
		}
		c.reply(m.id, result)
		return nil
	case mcp.JSONRPCError:
		return c.relay(m, answer)
	}
	return &rpcError{codeMethodNotFound, "unknown method " + quoted(text(m.method))}
}

// relay passes on an error of the library, with its data.
func (c *conn) relay(m *message, answer mcp.JSONRPCError) *rpcError {
	if answer.Error.Data == nil {
		return &rpcError{answer.Error.Code, answer.Error.Message}
	}
	raw, err := json.Marshal(answer.Error)
	if err != nil {
		return &rpcError{answer.Error.Code, answer.Error.Message}
	}
	id := m.id
	_ = c.out.putLater(func(dst []byte) []byte {
		dst = append(appendHead(dst, id), `"error":`...)
		return append(append(dst, raw...), "}\n"...)
	})
	return nil
}
