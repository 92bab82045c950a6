package mcpclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/value"
)

// errUnsent marks a request of which the server has not seen a byte.
var errUnsent = errors.New("not sent")

// conn is a connection to a child process: the library's transport over its pipes. One
// goroutine reads; callers write, one at a time, and never wait for a server that does
// not read.
type conn struct {
	lifetime
	s     *session
	proc  *process
	limit int // longest line in bytes

	slot    chan struct{} // holds one token: its owner may write
	answers chan struct{} // bounds the requests of the server being answered, except open questions

	mu      sync.Mutex // guards the fields below
	pending map[int64]chan *transport.JSONRPCResponse
	forgone map[int64]bool // calls that have ended without an answer
	last    int64
}

var _ link = (*conn)(nil)

// newConn returns a connection that already reads.
func newConn(proc *process, limit int, s *session) *conn {
	c := &conn{
		s: s, proc: proc, limit: limit, slot: make(chan struct{}, 1), answers: make(chan struct{}, 16),
		pending: map[int64]chan *transport.JSONRPCResponse{}, forgone: map[int64]bool{},
	}
	c.begin()
	c.tasks.Go(c.read)
	c.tasks.Go(func() {
		// A descendant that left the process group may hold the pipe open for ever.
		<-proc.gone
		_ = proc.stdout.SetReadDeadline(time.Now().Add(drainGrace)) // pipes have deadlines
	})
	c.tasks.Go(func() {
		<-c.dead()
		proc.end(c.failure() != errClosed)
	})
	return c
}

// Start does nothing: newConn has begun to read.
func (c *conn) Start(context.Context) error { return nil }

// SendRequest sends a request and waits for its response; the request's own id is
// replaced. When ctx ends first, the server is notified and the error is that of ctx.
func (c *conn) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := rawParams(req.Params)
	if err != nil {
		return nil, err
	}
	id, answer := c.expect()
	defer c.take(id)
	line := make([]byte, 0, len(params)+len(req.Method)+64)
	line = strconv.AppendInt(append(line, `{"jsonrpc":"2.0","id":`...), id, 10)
	line = value.AppendString(append(line, `,"method":`...), req.Method)
	if len(params) > 0 {
		line = append(append(line, `,"params":`...), params...)
	}
	if err := c.write(ctx, append(line, "}\n"...)); err != nil {
		return nil, err
	}
	select {
	case resp := <-answer:
		return resp, nil
	case <-ctx.Done():
		c.forgo(ctx, req.Method, id)
		c.cancel(req.Method, id, context.Cause(ctx))
		return nil, ctx.Err()
	case <-c.dead():
	}
	select {
	case resp := <-answer: // it came before the end
		return resp, nil
	default:
		return nil, c.failure()
	}
}

func rawParams(params any) (json.RawMessage, error) {
	switch p := params.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return p, nil
	}
	return json.Marshal(params)
}

// expect returns the id of the next request, and the channel of its response.
func (c *conn) expect() (int64, chan *transport.JSONRPCResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	answer := make(chan *transport.JSONRPCResponse, 1)
	c.pending[c.last] = answer
	return c.last, answer
}

// take ends the wait for the response to id, and returns its channel; nil when no
// request waits for it.
func (c *conn) take(id int64) chan *transport.JSONRPCResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := c.pending[id]
	delete(c.pending, id)
	return answer
}

// cancel notifies the server, in the background, that no caller waits any more. The
// protocol does not allow it for the handshake.
func (c *conn) cancel(method string, id int64, cause error) {
	if isHandshake(method) {
		return
	}
	reason := "cancelled"
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, errCallTimeout) {
		reason = "timed out"
	}
	c.background(func() {
		c.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"%s"}}`, id, reason))
	})
}

func isHandshake(method string) bool {
	return method == string(mcp.MethodInitialize) || method == string(mcp.MethodServerDiscover)
}

// SendNotification sends a notification.
func (c *conn) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return c.write(ctx, append(line, '\n'))
}

// send sends a message for which no caller waits, as well as it can.
func (c *conn) send(message []byte) {
	ctx, stop := context.WithTimeout(context.Background(), courtesy)
	defer stop()
	_ = c.write(ctx, append(message, '\n')) // best effort
}

// SetNotificationHandler does nothing: dispatch calls session.received.
func (c *conn) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

// GetSessionId returns "": a pipe is its session.
func (c *conn) GetSessionId() string { return "" }

// Close ends the child and returns when its whole process group has ended.
func (c *conn) Close() error {
	c.fail(errClosed)
	c.tasks.Wait()
	return nil
}

// read reads lines until the end, and fails the connection with the reason of the end.
func (c *conn) read() {
	lines := bufio.NewReaderSize(c.proc.stdout, readBuffer)
	usual := 0
	for {
		line, err := readLine(lines, c.limit, &usual)
		if err != nil {
			c.ended(err)
			break
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.dispatch(line)
		}
	}
	// The child may still write; its pipe is closed when it has ended.
	<-c.proc.gone
	_ = c.proc.stdout.Close()
}

// ended turns the end of the output into the failure that callers see.
func (c *conn) ended(err error) {
	if errors.Is(err, errLineTooLong) {
		message := fmt.Sprintf("the server sent a line of more than %d bytes, expected one message a line below that", c.limit)
		c.fail(&Error{Code: CodeTooLarge, Message: message})
		_ = c.proc.stdout.Close() // its writes must not block its end
		return
	}
	select {
	case <-c.dead():
		return
	case <-c.proc.exited:
	case <-c.proc.clock.after(2 * drainGrace):
		c.fail(&Error{
			Code: CodeTransport, Message: "the server closed its output but its process still runs",
			Stderr: c.proc.stderr.tail(0, c.s.note),
		})
		return
	}
	code := c.proc.status.code
	c.fail(&Error{
		Code: CodeServerExited, Message: "the server's process " + c.proc.status.String(), ExitCode: &code,
		Stderr: c.proc.stderr.lastWords(c.s.note),
	})
}

// dispatch passes on one message. A line that is no message, or of no use, is logged and
// ignored: banners and stray prints must not break a working server.
func (c *conn) dispatch(line []byte) {
	e, err := readEnvelope(line)
	switch {
	case err != nil:
		c.s.note.stray("a line that is not a JSON object", line)
	case e.method != nil && e.id != nil:
		c.asked(e)
	case e.method != nil:
		var method string
		if json.Unmarshal(e.method, &method) == nil {
			c.s.received(method, e.params)
		}
	case e.result == nil && e.fail == nil:
		c.s.note.stray("a message that is neither request, response nor notification", line)
	default:
		c.deliver(e, line)
	}
}

func (c *conn) deliver(e envelope, line []byte) {
	var answer chan *transport.JSONRPCResponse
	id, err := strconv.ParseInt(string(e.id), 10, 64)
	if err == nil {
		answer = c.take(id)
	}
	if answer == nil {
		if c.late(id, e.result) {
			return
		}
		c.s.note.stray("a response to no request", line)
		return
	}
	resp := &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Result: e.result}
	if e.fail != nil && !bytes.Equal(e.fail, []byte("null")) {
		resp.Error = &mcp.JSONRPCErrorDetails{}
		if err := json.Unmarshal(e.fail, resp.Error); err != nil {
			resp.Error = &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: "an invalid JSON-RPC error"}
		}
	}
	answer <- resp
}

// asked answers a request of the server in the background. A server that asks faster
// than it reads the answers gets none.
func (c *conn) asked(e envelope) {
	select {
	case c.answers <- struct{}{}:
	default:
		return
	}
	var method string
	_ = json.Unmarshal(e.method, &method) // an odd method is refused as any other
	id, params := bytes.Clone(e.id), bytes.Clone(e.params[:min(len(e.params), elicitMost+1)])
	var by claim
	if method == string(mcp.MethodElicitationCreate) {
		by = c.s.turns.claim()
	}
	if !c.background(func() {
		c.reply(id, method, params, by)
		<-c.answers
	}) {
		<-c.answers
	}
}

// reply answers the server's request id. by finds the call of a question; nil for any
// other request.
func (c *conn) reply(id json.RawMessage, method string, params json.RawMessage, by claim) {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id}
	if by != nil {
		<-c.answers // a user may take long, and must not keep pings from being answered
	}
	result, refusal := c.s.asked(by, method, params)
	if by != nil {
		c.answers <- struct{}{}
	}
	if refusal != nil {
		message["error"] = refusal
	} else {
		message["result"] = result
	}
	if line, err := json.Marshal(message); err == nil { // an id that is not JSON could not be matched anyway
		c.send(line)
	}
}
