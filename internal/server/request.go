package server

import (
	"bytes"
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
	if at == legacy && !c.initialized && (method == "tools/call" || method == "tools/list" || c.server.isResources(method)) {
		return invalidRequest("not initialized: send initialize first, or name the protocol version " +
			"and your capabilities in _meta (" + mcp.LATEST_PROTOCOL_VERSION + ")")
	}
	switch {
	case method == "tools/call" && at != refused:
		return c.call(m, at)
	case method == "subscriptions/listen" && at == modern:
		return c.listen(m)
	case method == "logging/setLevel" && at == legacy:
		return c.setLevel(m)
	case c.server.isResources(method) && at != refused:
		return c.answerLater(m, at)
	}
	result, fault := c.server.reply(c.ctx, m, at)
	if fault != nil {
		return fault
	}
	c.reply(m.id, result)
	if method == "initialize" {
		c.initialized = true
		c.introduce(m)
		c.mu.Lock()
		c.legacy = true
		c.mu.Unlock()
	}
	return nil
}

// setLevel notes which log messages the client wants with its calls from now on.
func (c *conn) setLevel(m *message) *rpcError {
	level, fault := parseLevel(m.level)
	if fault != nil {
		return fault
	}
	c.level = level
	c.reply(m.id, emptyObject)
	return nil
}

// lineBuffers are for answers; those of unusual size are not kept.
var lineBuffers = sync.Pool{New: func() any { return new([]byte) }}

// call begins a tools/call in a goroutine of its own.
func (c *conn) call(m *message, at era) *rpcError {
	call, fault := c.server.newCall(m, at)
	if fault != nil {
		return fault
	}
	if !c.server.reserve(call) {
		_ = c.out.putLater(func(dst []byte) []byte {
			return c.server.appendFailure(dst, m.id, call, c.server.busy())
		})
		call.from.release()
		return nil
	}
	if at == legacy {
		call.level, call.can = c.level, c.can
		if c.can != (abilities{}) {
			call.ask = c.ask
		}
	}
	call.life = c.ctx
	f, fault := c.begin(m)
	if fault != nil {
		c.server.finished(call)
		return fault
	}
	call.arguments = bytes.Clone(call.arguments)
	call.token = bytes.Clone(call.token)
	call.notify = func(fill func([]byte) []byte) {
		if c.wanted(f) {
			_ = c.out.put(fill)
		}
	}
	go c.perform(f, call)
	return nil
}

// perform runs a call and answers it. The call has ended when its answer waits in
// the outbox; whether the client takes it is the outbox's business. It keeps its place
// among the runs until then, so that no more of them hold answers than there are places.
func (c *conn) perform(f *flight, call *call) {
	buffer := lineBuffers.Get().(*[]byte)
	line := c.server.perform(f.ctx, call, (*buffer)[:0], f.id)
	mine, put := false, false
	if c.end(f) {
		mine, _ = c.out.add(len(line), func(dst []byte) []byte {
			c.server.finished(call) // before the client has the answer, and calls again
			put = true
			return append(dst, line...)
		})
	}
	if !put {
		c.server.finished(call)
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
