package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/expressions/schema"
)

// asked is a request of ours that the client has not answered yet.
type asked struct{ result, err []byte }

var errClientGone = errors.New("the client has ended the connection without an answer")

// introduce notes what the client can do, from its initialize.
func (c *conn) introduce(m *message) {
	var params struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(m.params, &params) == nil {
		c.can = abilitiesOf(params.Capabilities)
	}
}

// ask puts a question to the client's user by a request of our own, as the legacy era
// does.
func (c *conn) ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	answer := make(chan asked, 1)
	c.mu.Lock()
	c.questions++
	id := fmt.Sprintf(`"toolgraph-%d"`, c.questions)
	c.pending[idKey([]byte(id))] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.pending, idKey([]byte(id)))
	}()
	err := c.out.put(func(dst []byte) []byte {
		dst = appendHead(dst, []byte(id))
		dst = append(append(dst, `"method":"`+string(mcp.MethodElicitationCreate)+`","params":`...), params...)
		return append(dst, "}\n"...)
	})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		if a.err != nil {
			return nil, fmt.Errorf("the client has refused the question: %s", schema.Shorten(string(a.err)))
		}
		return a.result, checkAnswer(a.result)
	case <-c.gone:
		return nil, errClientGone
	case <-ctx.Done():
		_ = c.out.put(func(dst []byte) []byte {
			return append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+"}}\n"...)
		})
		return nil, ctx.Err()
	}
}

// answered takes the client's answer to a question. What is unknown is none of our
// business.
func (c *conn) answered(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer := c.pending[idKey(m.id)]; answer != nil {
		select {
		case answer <- asked{bytes.Clone(m.result), bytes.Clone(m.err)}:
		default: // answered twice
		}
	}
}
