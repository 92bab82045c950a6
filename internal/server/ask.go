package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/internal/wording"
)

// asker puts a question to the user of a client and gives the answer; both are those of
// elicitation/create.
type asker func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

type askerKey struct{}

type nameKey struct{}

// WithQuestionName names the question that is asked by Ask with the context, for clients of
// the modern era. Without a name, or with an empty one, it is "question".
func WithQuestionName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, name)
}

// Ask puts a question to the user of the client to whose call ctx belongs: params and
// the answer are those of elicitation/create, whichever era the client speaks. It takes
// as long as the user does, or until ctx ends. The error says why nobody has answered.
func Ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	ask, ok := ctx.Value(askerKey{}).(asker)
	if !ok {
		return nil, errors.New("the client that called has not said that its user can be asked (the capability elicitation)")
	}
	return ask(ctx, params)
}

// abilities are what a client can ask its user, as its capabilities tell.
type abilities struct{ form, url bool }

// abilitiesOf reads the capabilities of a client.
func abilitiesOf(capabilities []byte) (a abilities) {
	if !bytes.Contains(capabilities, []byte(`elicitation`)) {
		return a // spares nearly all the reading
	}
	var said struct {
		Elicitation *struct {
			Form, URL json.RawMessage
		} `json:"elicitation"`
	}
	if json.Unmarshal(capabilities, &said) != nil || said.Elicitation == nil {
		return a
	}
	a.url = said.Elicitation.URL != nil
	a.form = said.Elicitation.Form != nil || !a.url // {} means forms
	return a
}

// abilities are what initialize says that the client can ask its user.
func (m *message) abilities() (a abilities) {
	var params struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(m.params, &params) == nil {
		a = abilitiesOf(params.Capabilities)
	}
	return a
}

// may tells why a client cannot put this question to its user, if so.
func (a abilities) may(params json.RawMessage) error {
	var question struct {
		Mode string `json:"mode"`
	}
	if err := json.Unmarshal(params, &question); err != nil {
		return errors.New("the question is no object")
	}
	switch {
	case question.Mode == "url" && !a.url:
		return errors.New("the client that called shows its user no links")
	case question.Mode != "url" && !a.form:
		return errors.New("the client that called shows its user no forms")
	}
	return nil
}

// checkAnswer tells why a result is no answer to a question.
func checkAnswer(result []byte) error {
	var answer struct {
		Action string `json:"action"`
	}
	if json.Unmarshal(result, &answer) == nil {
		switch answer.Action {
		case "accept", "decline", "cancel":
			return nil
		}
	}
	return errors.New("expected an object whose action is accept, decline or cancel, got " + describeRaw(bytes.TrimSpace(result)))
}

// askUser is the asker of one run, which has a place among the runs: it gives the place up
// while a question is open, and has it back with the answer, however many runs there are by
// then. Runs that wait are bounded by MaxRuns as well.
func (s *Server) askUser(c *call) asker {
	var mu sync.Mutex // guards open
	open := 0         // questions of the run without an answer
	return func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
		shown, err := c.question(params)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		if open == 0 && s.waiting.Add(1) > int64(s.opts.MaxRuns) {
			s.waiting.Add(-1)
			mu.Unlock()
			return nil, fmt.Errorf("busy: %d runs wait for an answer of their user, which is the limit; call again when some have been answered", s.opts.MaxRuns)
		}
		if open++; open == 1 {
			s.release()
		}
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			if open--; open == 0 {
				s.runs.Add(1)
				s.waiting.Add(-1)
			}
		}()
		return c.ask(ctx, shown)
	}
}

// question is how a question is put to a user: in one line, without secrets.
func (c *call) question(params json.RawMessage) (json.RawMessage, error) {
	if err := c.can.may(params); err != nil {
		return nil, err
	}
	shown := []byte(c.from.secrets.Redact(string(oneLine(params))))
	if !json.Valid(shown) {
		return nil, errors.New("the question holds a secret")
	}
	return shown, nil
}

// oneLine is JSON without line ends.
func oneLine(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return []byte("null") // no caller gives what is no JSON
	}
	return b.Bytes()
}

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
