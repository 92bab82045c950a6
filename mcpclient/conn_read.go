package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

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
