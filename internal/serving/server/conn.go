package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/internal/base/wording"
)

// conn is one client on a stream of lines. Its read loop answers most requests at once;
// calls run in goroutines of their own.
type conn struct {
	server *Server
	in     *lineReader
	out    *outbox
	ctx    context.Context // ends all calls of the connection
	msg    message         // of the line at hand
	keys   [][]byte        // memory of the scanner, reused for each line

	initialized bool      // by initialize; only the read loop uses it
	level       severity  // the least severe log messages to send; likewise
	can         abilities // the questions that it can show its user; likewise
	apps        bool      // it shows views; likewise

	calls sync.WaitGroup

	mu      sync.Mutex // guards what follows
	legacy  bool       // initialized, for other goroutines
	version string     // of the protocol, from initialize; "" when nothing observes; only the read loop sets it
	flights map[string]*flight
	closed  bool // no more calls may start

	questions questions
	gone      chan struct{} // closed when no more answers can arrive
}

// flight is a request that is not answered yet.
type flight struct {
	id        []byte
	key       string
	ctx       context.Context
	cancel    context.CancelFunc
	cancelled bool  // by the client; guarded by conn.mu
	listen    Lists // subscriptions/listen, which lasts until the connection ends: of changes of these; 0 for other requests
	watches   bool  // likewise, of tasks; guarded by conn.mu
}

var errClosing = errors.New("the connection is closing")

// begin registers a request, whose id is not in use, before the next line is read, so that a
// cancellation always finds it.
func (c *conn) begin(m *message, o *observation) (*flight, *rpcError) {
	key := idKey(m.id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &rpcError{code: codeInternal, message: errClosing.Error()}
	}
	f := &flight{id: bytes.Clone(m.id), key: key}
	f.ctx, f.cancel = context.WithCancel(o.context(c.ctx))
	c.flights[key] = f
	c.calls.Add(1)
	return f, nil
}

// inUse reports whether a request with this id is in flight.
func (c *conn) inUse(m *message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.flights) > 0 && c.flights[idKey(m.id)] != nil
}

// end removes a request and reports whether the client still expects the answer.
func (c *conn) end(f *flight) bool {
	f.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, f.key)
	return !f.cancelled
}

// wanted reports whether the client still waits for the request.
func (c *conn) wanted(f *flight) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !f.cancelled
}

// cancel cancels a request of the client, which then gets no answer. Unknown and answered
// requests are ignored, as the protocol requires.
func (c *conn) cancel(requestID []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flights[idKey(requestID)]; f != nil {
		f.cancelled = true
		f.cancel()
	}
}

// stopListening ends the subscriptions.
func (c *conn) stopListening() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.flights {
		if f.listen != 0 || f.watches {
			f.cancel()
		}
	}
}

// shut makes sure that no more calls start.
func (c *conn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	close(c.gone)
}

func (c *conn) isShut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// read handles lines until the input ends; the error is nil at end of file.
func (c *conn) read() error {
	for {
		line, err := c.in.next()
		if c.isShut() {
			return nil
		}
		switch {
		case errors.Is(err, errLineTooLong):
			c.refuse([]byte("null"), invalidRequest(fmt.Sprintf("the line is longer than %d bytes", c.in.limit)))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case len(bytes.TrimSpace(line)) > 0:
			c.handle(line)
		}
	}
}

// handle handles one line, which is valid until handle returns.
func (c *conn) handle(line []byte) {
	m := &c.msg
	*m = message{}
	keys, fault := m.parse(line, c.keys)
	c.keys = keys[:0]
	switch {
	case fault != nil:
		c.refuse(m.answerID(), fault)
	case !m.isRequest():
		switch {
		case string(m.method) == `"notifications/cancelled"`:
			c.cancel(m.requestID)
		case m.method == nil:
			c.questions.answered(session{}, m)
		}
	case c.inUse(m):
		c.refuse(m.id, invalidRequest("a request with the id "+wording.Shorten(string(m.id))+" is still in flight"))
	default:
		if fault := c.request(m); fault != nil {
			c.refuse(m.id, fault)
		}
	}
}

// refuse answers a request with an error.
func (c *conn) refuse(id []byte, e *rpcError) {
	_ = c.out.putLater(func(dst []byte) []byte { return c.server.appendRefusal(dst, id, e) })
}

// reply answers a request with a result, which is a JSON object.
func (c *conn) reply(id, result []byte) {
	_ = c.out.putLater(func(dst []byte) []byte { return appendAnswer(dst, id, result) })
}

// era is the generation of the protocol that a request belongs to.
type era int

const (
	legacy  era = iota // initialize once, up to 2025-11-25
	modern             // _meta in each request, 2026-07-28
	refused            // an invalid modern request; the library describes the error
)

// era returns the era that _meta names.
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

// request answers a request or starts to. The read loop sends the error.
func (c *conn) request(m *message) *rpcError {
	o := c.server.observe(m, c.version, nil)
	fault := c.route(m, o)
	if fault != nil {
		o.refused(fault)
	}
	return fault
}

// route answers a request or starts to. Who answers it ends its observation, but for that of an
// error.
func (c *conn) route(m *message, o *observation) *rpcError {
	at := m.era()
	c.server.showsApps(m, at, c.apps)
	method := text(m.method)
	if at == legacy && !c.initialized && (method == "tools/call" || method == "tools/list" || c.server.isOffered(method, m)) {
		return invalidRequest("not initialized: send initialize first, or name the protocol version " +
			"and your capabilities in _meta (" + mcp.LATEST_PROTOCOL_VERSION + ")")
	}
	switch {
	case c.server.isCall(method, m) && at != refused:
		return c.call(m, at, o)
	case method == "subscriptions/listen" && at == modern:
		return c.listen(m)
	case method == "logging/setLevel" && at == legacy:
		return c.setLevel(m, o)
	case c.server.isTask(method, at):
		return c.answerTask(m, o)
	case c.server.isOffered(method, m) && at != refused:
		return c.answerLater(m, at, o)
	}
	result, fault := c.server.reply(o.context(c.ctx), m, at)
	if fault != nil {
		return fault
	}
	c.reply(m.id, result)
	agreed := ""
	if method == "initialize" {
		c.initialized = true
		c.introduce(m)
		c.mu.Lock()
		c.legacy, c.version = true, o.agreed(result)
		c.mu.Unlock()
		agreed = c.version
	}
	o.end(Outcome{Version: agreed})
	return nil
}

// setLevel sets the level of the log messages for later calls.
func (c *conn) setLevel(m *message, o *observation) *rpcError {
	level, fault := parseLevel(m.level)
	if fault != nil {
		return fault
	}
	c.level = level
	c.reply(m.id, emptyObject)
	o.end(Outcome{})
	return nil
}

// lineBuffers are buffers for answers; large ones are not reused.
var lineBuffers = sync.Pool{New: func() any { return new([]byte) }}

// call starts a tools/call in a goroutine of its own.
func (c *conn) call(m *message, at era, o *observation) *rpcError {
	call, fault := c.server.newCall(m, at, "")
	if fault != nil {
		return fault
	}
	if !c.server.reserve(call) {
		_ = c.out.putLater(func(dst []byte) []byte {
			return c.server.appendFailure(dst, m.id, call, c.server.busy())
		})
		call.from.release()
		o.end(call.outcome)
		return nil
	}
	if at == legacy {
		call.level, call.can = c.level, c.can
		if c.can != (abilities{}) {
			call.user = &legacyUser{&c.questions, session{}, c.out.put, c.gone}
		}
	}
	call.life, call.gone, call.running, call.leaves = o.context(c.ctx), c.gone, &c.calls, true
	f, fault := c.begin(m, o)
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
	go c.perform(f, call, o)
	return nil
}

// perform runs a call and answers it. The call holds its place among the runs until its
// answer is in the outbox, so that the number of answers outside the outbox is limited too.
func (c *conn) perform(f *flight, call *call, o *observation) {
	buffer := lineBuffers.Get().(*[]byte)
	line := c.server.perform(f.ctx, call, (*buffer)[:0], f.id)
	mine, put := false, false
	wanted := c.end(f)
	call.outcome.Cancelled = !wanted
	o.end(call.outcome)
	if wanted {
		mine, _ = c.out.add(len(line), func(dst []byte) []byte {
			c.server.finished(call)                                 // before the client gets the answer and calls again
			if put = true; len(dst) == 0 && len(line) > spareMost { // it is written from where it is
				return line
			}
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
