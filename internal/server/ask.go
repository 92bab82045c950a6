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

// asker sends a question to the user of a client and returns the answer: the params and the
// result of elicitation/create.
type asker func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

type askerKey struct{}

type nameKey struct{}

// WithQuestionName sets the name of the question of an Ask with this context, for clients of
// the modern era. The default, also for "", is "question".
func WithQuestionName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, name)
}

// Ask sends a question to the user of the client whose call ctx belongs to, and returns the
// answer: the params and the result of elicitation/create, in both eras. It blocks until the
// user answers or ctx ends. Safe for concurrent use.
func Ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	ask, ok := ctx.Value(askerKey{}).(asker)
	if !ok {
		return nil, errors.New("the client cannot ask its user: it has not declared the capability elicitation")
	}
	return ask(ctx, params)
}

// abilities are the forms of questions that a client can show its user.
type abilities struct{ form, url bool }

// abilitiesOf reads the capabilities of a client. The zero value means no questions.
func abilitiesOf(capabilities []byte) (a abilities) {
	if !bytes.Contains(capabilities, []byte(`elicitation`)) {
		return a // most clients: no need to decode
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

// abilities reads the capabilities in the params of initialize.
func (m *message) abilities() (a abilities) {
	var params struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(m.params, &params) == nil {
		a = abilitiesOf(params.Capabilities)
	}
	return a
}

// may returns an error if the client cannot show this question to its user.
func (a abilities) may(params json.RawMessage) error {
	var question struct {
		Mode string `json:"mode"`
	}
	if err := json.Unmarshal(params, &question); err != nil {
		return errors.New("the question is not an object")
	}
	switch {
	case question.Mode == "url" && !a.url:
		return errors.New("the client cannot show its user a URL: it has not declared the capability elicitation.url")
	case question.Mode != "url" && !a.form:
		return errors.New("the client cannot show its user a form: it has not declared the capability elicitation.form")
	}
	return nil
}

// checkAnswer returns an error if a result is not an answer to a question.
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

// askUser returns the asker of one run. The run gives up its place among the runs while a
// question is open and gets it back with the answer, even when there are MaxRuns others.
// MaxRuns also limits the runs that wait.
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
			return nil, fmt.Errorf("busy: %d runs wait for an answer of the user, which is the limit; call again when some are answered", s.opts.MaxRuns)
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

// question returns the question for the user, in one line and without secrets.
func (c *call) question(params json.RawMessage) (json.RawMessage, error) {
	if err := c.can.may(params); err != nil {
		return nil, err
	}
	shown := []byte(c.from.secrets.Redact(string(oneLine(params))))
	if !json.Valid(shown) {
		return nil, errors.New("the question contains a secret in a place where it cannot be redacted")
	}
	return shown, nil
}

// oneLine is JSON without newlines.
func oneLine(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return []byte("null") // unreachable: callers pass valid JSON
	}
	return b.Bytes()
}

// questions are the open requests of this server to clients of the legacy era, by the session
// of the client and the id of the request. Safe for concurrent use.
type questions struct {
	mu      sync.Mutex // guards what follows
	asked   int
	pending map[string]chan asked
}

// asked is the answer to a request of this server.
type asked struct{ result, err []byte }

var errNoAnswer = errors.New("the connection ended before the user answered")

// ask sends a question to the user of a client, as a request that send writes. No answer can
// arrive once gone is closed.
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
			return nil, fmt.Errorf("the client refused the question: %s", wording.Shorten(string(a.err)))
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

// answered takes the answer of a client, and reports whether it belongs to an open question.
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

// introduce records the abilities of the client, from its initialize.
func (c *conn) introduce(m *message) { c.can = m.abilities() }

// ask is the asker of a connection over stdio, which has one client.
func (c *conn) ask(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	return c.questions.ask(ctx, "", c.out.put, c.gone, params)
}
