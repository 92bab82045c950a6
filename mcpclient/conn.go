package mcpclient

import (
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
)

// errUnsent marks a request of which the server has not seen a byte.
var errUnsent = errors.New("not sent")

// conn is a connection to a child: mcp-go's transport.Interface over its pipes. One
// goroutine reads; callers write, one at a time, and never wait for a server that
// does not read.
type conn struct {
	proc  *process
	limit int // longest line in bytes
	note  notes
	heard func(method string, params []byte) // told each notification; must be quick
	asks  func(by claim, method string, params json.RawMessage) (json.RawMessage, *mcp.JSONRPCErrorDetails)
	claim func() func() (*watch, func(), error) // of a question, as it is read

	slot    chan struct{} // holds one token; whoever takes it may write
	answers chan struct{} // bounds the requests of the server being answered, but for open questions

	mu      sync.Mutex // guards what follows
	pending map[int64]chan *transport.JSONRPCResponse
	last    int64
	failed  *Error

	done  chan struct{} // closed when failed is set
	begin sync.Once
	tasks sync.WaitGroup
}

var _ transport.Interface = (*conn)(nil)

func newConn(proc *process, limit int, s *session) *conn {
	return &conn{
		proc: proc, limit: limit, note: s.note, heard: s.heard,
		asks: s.asked, claim: s.turns.claim,
		slot: make(chan struct{}, 1), answers: make(chan struct{}, 16),
		pending: map[int64]chan *transport.JSONRPCResponse{}, done: make(chan struct{}),
	}
}

// Start begins to read, the first time. The context does not bound the connection.
func (c *conn) Start(context.Context) error {
	c.begin.Do(func() {
		c.tasks.Go(c.read)
		c.tasks.Go(func() {
			// A descendant that left the group may hold the pipe open for ever.
			<-c.proc.gone
			_ = c.proc.stdout.SetReadDeadline(time.Now().Add(drainGrace)) // pipes have deadlines
		})
	})
	return nil
}

// behind runs f behind the caller's back unless the connection has failed.
func (c *conn) behind(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return false
	}
	c.tasks.Go(f)
	return true
}

// SendRequest sends a request and waits for its response; the request's own id is
// replaced. When ctx ends first the server is told so and the context's error returned.
func (c *conn) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	params, err := rawParams(req.Params)
	if err != nil {
		return nil, err
	}
	id, answer, err := c.expect()
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	line := make([]byte, 0, len(params)+len(req.Method)+64)
	line = append(line, `{"jsonrpc":"2.0","id":`...)
	line = strconv.AppendInt(line, id, 10)
	if err := c.write(ctx, appendMethod(line, req.Method, params)); err != nil {
		return nil, err
	}
	select {
	case resp := <-answer:
		return resp, nil
	case <-ctx.Done():
		c.cancel(req.Method, id, context.Cause(ctx))
		return nil, ctx.Err()
	case <-c.done:
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

// appendMethod ends a message begun with its id, or with the version only.
func appendMethod(line []byte, method string, params []byte) []byte {
	line = append(line, `,"method":`...)
	line = strconv.AppendQuote(line, method) // methods are plain ASCII
	if len(params) > 0 {
		line = append(line, `,"params":`...)
		line = append(line, params...)
	}
	return append(line, "}\n"...)
}

// expect makes room for a response.
func (c *conn) expect() (int64, chan *transport.JSONRPCResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return 0, nil, fmt.Errorf("%w: %w", errUnsent, c.failed)
	}
	c.last++
	answer := make(chan *transport.JSONRPCResponse, 1)
	c.pending[c.last] = answer
	return c.last, answer, nil
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// take removes and returns who waits for the response to id.
func (c *conn) take(id int64) chan *transport.JSONRPCResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := c.pending[id]
	delete(c.pending, id)
	return answer
}

// cancel tells the server, off the caller's path, that nobody waits any more. The
// handshake must not be cancelled.
func (c *conn) cancel(method string, id int64, cause error) {
	if method == string(mcp.MethodInitialize) || method == string(mcp.MethodServerDiscover) {
		return
	}
	reason := "cancelled"
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(cause, errCallTimeout) {
		reason = "timed out"
	}
	params := `{"requestId":` + strconv.FormatInt(id, 10) + `,"reason":"` + reason + `"}`
	c.behind(func() { c.notify("notifications/cancelled", []byte(params)) })
}

// SendNotification sends a notification.
func (c *conn) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	var params []byte
	if n.Params.Meta != nil || len(n.Params.AdditionalFields) > 0 {
		raw, err := json.Marshal(n.Params)
		if err != nil {
			return err
		}
		params = raw
	}
	return c.write(ctx, appendMethod([]byte(`{"jsonrpc":"2.0"`), n.Method, params))
}

// notify sends a notification as well as it can.
func (c *conn) notify(method string, params []byte) {
	ctx, stop := context.WithTimeout(context.Background(), courtesy)
	defer stop()
	_ = c.write(ctx, appendMethod([]byte(`{"jsonrpc":"2.0"`), method, params)) // best effort
}

// SetNotificationHandler does nothing: the session hears what it needs by heard.
func (c *conn) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

// GetSessionId is empty: a pipe is its session.
func (c *conn) GetSessionId() string { return "" }

// Close ends the child and returns when its whole group has ended.
func (c *conn) Close() error {
	c.fail(&Error{Code: CodeClosed, Message: "the connection was closed"}, false)
	c.tasks.Wait()
	return nil
}

// dead is closed when the connection has failed.
func (c *conn) dead() <-chan struct{} { return c.done }

func (c *conn) failure() *Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// fail ends the connection and its child; the first reason stays.
func (c *conn) fail(reason *Error, haste bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return
	}
	c.failed = reason
	close(c.done)
	c.tasks.Go(func() { c.proc.end(haste) })
}

// tailLines is how many lines of stderr an error shows: a stack trace of the usual
// kind begins within them.
const tailLines = 10

// read takes lines until the end and says why it ended.
func (c *conn) read() {
	lines := newLineReader(c.proc.stdout, c.limit)
	for {
		line, err := lines.next()
		if err != nil {
			c.ended(err)
			break
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.dispatch(line)
		}
	}
	// The child may still write; its pipe is closed when it is gone.
	<-c.proc.gone
	_ = c.proc.stdout.Close()
}

// ended turns the end of the output into the reason that callers see.
func (c *conn) ended(err error) {
	if errors.Is(err, errLineTooLong) {
		c.fail(&Error{
			Code:    CodeTooLarge,
			Message: fmt.Sprintf("the server sent a line of more than %d bytes, expected one message a line below that", c.limit),
		}, true)
		// Nothing more is wanted of it, and its writes must not block its end.
		_ = c.proc.stdout.Close()
		return
	}
	select {
	case <-c.done:
		return
	case <-c.proc.exited:
	case <-c.proc.clock.after(2 * drainGrace):
		c.fail(&Error{
			Code: CodeTransport, Message: "the server closed its output but its process went on",
			Stderr: c.proc.stderr.tail(tailLines, 0, c.note),
		}, true)
		return
	}
	code := c.proc.status.code
	c.fail(&Error{
		Code: CodeServerExited, Message: "the server's process " + c.proc.status.String(), ExitCode: &code,
		Stderr: c.proc.stderr.tail(tailLines, 0, c.note),
	}, true)
}

// dispatch hands one message to whom it concerns. Whatever fits nobody is noted and
// passed over: banners and stray prints must not break a working server.
func (c *conn) dispatch(line []byte) {
	e, err := readEnvelope(line)
	switch {
	case err != nil:
		c.note.stray("a line that is no JSON object", line)
	case e.method != nil && e.id != nil:
		c.asked(e)
	case e.method != nil:
		var method string
		if json.Unmarshal(e.method, &method) == nil {
			c.heard(method, e.params)
		}
	case e.result == nil && e.fail == nil:
		c.note.stray("a message that is neither request, response nor notification", line)
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
		c.note.stray("a response that nobody waits for", line)
		return
	}
	resp := &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Result: e.result}
	if e.fail != nil && !bytes.Equal(e.fail, []byte("null")) {
		resp.Error = &mcp.JSONRPCErrorDetails{}
		if err := json.Unmarshal(e.fail, resp.Error); err != nil {
			resp.Error = &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: "an error that is no JSON-RPC error"}
		}
	}
	answer <- resp
}

// asked has a request of the server answered. A server that asks faster than it reads
// the answers gets none.
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
		by = c.claim()
	}
	if !c.behind(func() {
		c.reply(id, method, params, by)
		<-c.answers
	}) {
		<-c.answers
	}
}

// reply answers the server's request id. by is the call of a question; nil for any other
// request.
func (c *conn) reply(id json.RawMessage, method string, params json.RawMessage, by claim) {
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id}
	if by != nil {
		<-c.answers // a user may take long, and must not keep us from answering pings
	}
	result, refusal := c.asks(by, method, params)
	if by != nil {
		c.answers <- struct{}{}
	}
	if refusal != nil {
		message["error"] = refusal
	} else {
		message["result"] = result
	}
	line, err := json.Marshal(message)
	if err != nil {
		return // an id that is no JSON: nobody could match the answer either
	}
	ctx, stop := context.WithTimeout(context.Background(), courtesy)
	defer stop()
	_ = c.write(ctx, append(line, '\n')) // best effort
}
