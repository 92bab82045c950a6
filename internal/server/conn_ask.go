package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"toolgraph/internal/wording"

	"github.com/mark3labs/mcp-go/mcp"
)

// questions are our requests to clients of the legacy era that have no answer yet, by the
// session of the client and the id of the request. Safe for concurrent use.
type questions struct {
	mu      sync.Mutex // guards what follows
	asked   int
	pending map[string]chan asked
}

// asked is the answer to a request of ours.
type asked struct{ result, err []byte }

var errNoAnswer = errors.New("the connection has ended without an answer")

// ask puts a question to the client's user by a request of our own, which send writes. No
// answer can come once gone is closed.
func (q *questions) ask(ctx context.Context, session string, send func(fill func([]byte) []byte) error, gone <-chan struct{}, params json.RawMessage) (json.RawMessage, error) {
	answer := make(chan asked, 1)
	q.mu.Lock()
	q.asked++
	id := fmt.Sprintf(`"toolgraph-%d"`, q.asked)
	key := questionID(session, []byte(id))
	if q.pending == nil {
		q.pending = map[string]chan asked{}
	}
	q.pending[key] = answer
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.pending, key)
	}()
	err := send(func(dst []byte) []byte {
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
			return nil, fmt.Errorf("the client has refused the question: %s", wording.Shorten(string(a.err)))
		}
		return a.result, checkAnswer(a.result)
	case <-gone:
		return nil, errNoAnswer
	case <-ctx.Done():
		_ = send(func(dst []byte) []byte {
			return append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+"}}\n"...)
		})
		return nil, ctx.Err()
	}
}

// answered takes a client's answer, and reports whether a question waits for it.
func (q *questions) answered(session string, m *message) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer := q.pending[questionID(session, m.id)]
	if answer == nil {
		return false
	}
	select {
	case answer <- asked{bytes.Clone(m.result), bytes.Clone(m.err)}:
	default: // answered twice
	}
	return true
}

func questionID(session string, id []byte) string { return session + "\n" + idKey(id) }

// introduce notes what the client can do, from its initialize.
func (c *conn) introduce(m *message) { c.can = m.abilities() }

// ask is the asker of a connection over a pipe, which has one client.
func (c *conn) ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	return c.questions.ask(ctx, "", c.out.put, c.gone, params)
}
