package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/internal/base/wording"
)

// questions are the open requests of this server to clients of the legacy era, by the session
// of the client and the id of the request. Safe for concurrent use.
type questions struct {
	fleet Fleet // for ids, see processOf

	mu      sync.Mutex // guards what follows
	asked   int
	pending map[requestKey]chan asked
	turns   map[session]*turn // of those in which a run asks
}

// asked is the answer to a request of this server.
type asked struct{ result, err []byte }

// turn lets the runs of one client ask questions of their own one after the other.
type turn struct {
	taken chan struct{} // has one element while a run has the turn
	users int           // that have the turn or wait for it; guarded by questions.mu
}

// legacyUser is the user of a client of the legacy era, in a session of it.
type legacyUser struct {
	*questions
	session session
	send    func(fill func([]byte) []byte) error // writes a line to the client
	gone    <-chan struct{}                      // closed when no answer can arrive any more
}

// ask sends a question as a request.
func (q *legacyUser) ask(ctx context.Context, one Question) (json.RawMessage, error) {
	answer := make(chan asked, 1)
	process := processOf(q.fleet)
	q.mu.Lock()
	q.asked++
	id := fmt.Sprintf(`"%s%s%d"`, questionID, process, q.asked)
	key := keyOf(q.session, []byte(id))
	if q.pending == nil {
		q.pending = map[requestKey]chan asked{}
	}
	q.pending[key] = answer
	q.mu.Unlock()
	closed := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.pending, key)
	}
	defer closed()
	err := q.send(func(dst []byte) []byte {
		dst = appendHead(dst, []byte(id))
		dst = append(append(dst, `"method":"`+string(mcp.MethodElicitationCreate)+`","params":`...), one.Params...)
		return append(dst, "}\n"...)
	})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		if a.err != nil {
			said := wording.Shorten(string(a.err))
			return nil, &CannotAskError{Reason: "it refused the question: " + said, text: "the client refused the question: " + said}
		}
		return a.result, checkAnswer(a.result)
	case <-q.gone:
		return nil, ErrConnectionEnded
	case <-ctx.Done():
		closed() // before the client hears of it: an answer that comes now is refused
		_ = q.send(func(dst []byte) []byte {
			return append(dst, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+"}}\n"...)
		})
		return nil, ctx.Err()
	}
}

// answered takes the answer of a client, and reports whether it belongs to an open question. A
// question has one answer.
func (q *questions) answered(of session, m *message) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := keyOf(of, m.id)
	answer := q.pending[key]
	if answer == nil {
		return false
	}
	delete(q.pending, key)
	answer <- asked{bytes.Clone(m.result), bytes.Clone(m.err)} // never blocks: this is the only one
	return true
}

// atOnce is nil: a client of the legacy era has no tasks here, and gets one question after the other.
func (*legacyUser) atOnce() <-chan struct{} { return nil }

// turn waits until no other run of the session has the turn, in the order of the calls.
func (q *legacyUser) turn(ctx context.Context) (done func(), err error) {
	t := q.queue(q.session)
	select {
	case t.taken <- struct{}{}:
		return func() {
			<-t.taken
			q.unqueue(q.session, t)
		}, nil
	case <-q.gone:
		err = ErrConnectionEnded
	case <-ctx.Done():
		err = ctx.Err()
	}
	q.unqueue(q.session, t)
	return nil, err
}

// queue returns the turn of a session for one more user of it, who must call unqueue.
func (q *questions) queue(of session) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.turns[of]
	if t == nil {
		t = &turn{taken: make(chan struct{}, 1)}
		if q.turns == nil {
			q.turns = map[session]*turn{}
		}
		q.turns[of] = t
	}
	t.users++
	return t
}

func (q *questions) unqueue(of session, t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(q.turns, of)
	}
}

// introduce records the abilities of the client, from its initialize.
func (c *conn) introduce(m *message) {
	declared := m.declared()
	c.can, c.apps = abilitiesOf(declared), declaresApps(declared)
}
