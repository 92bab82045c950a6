package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	elicitMost = 256 << 10 // bytes of one question
	elicitOpen = 64        // questions of one server at a time
)

// Elicitor asks the user of a client on behalf of a server: params are those of
// elicitation/create, and it returns the result. ctx is that of the CallTool during
// which the server asks, so it leads to the client that called, and ends with the call.
// Several goroutines may call it.
type Elicitor func(ctx context.Context, server string, params json.RawMessage) (json.RawMessage, error)

// WithElicitor allows the servers whose entries allow it to ask. Without it no server may.
func WithElicitor(ask Elicitor) Option { return func(o *options) { o.elicit = ask } }

// Question is the part of a server's question that every user is shown.
type Question struct {
	Message string          // not empty
	URL     string          // an http or https address for the user to open; "": there is a form to fill in
	Schema  json.RawMessage // of the form: requestedSchema; nil when the server sent none
}

// ReadQuestion reads the params of elicitation/create. The error says why no user can
// answer them.
func ReadQuestion(params json.RawMessage) (Question, error) {
	var in struct {
		Message, Mode, URL string
		Schema             json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &in); err != nil || in.Message == "" {
		return Question{}, errors.New("the question has no message")
	}
	if in.Mode != "url" {
		return Question{Message: in.Message, Schema: in.Schema}, nil
	}
	if address, err := url.Parse(in.URL); err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return Question{}, errors.New("the question has no url that a user could open; expected https://…")
	}
	return Question{Message: in.Message, URL: in.URL}, nil
}

type questionKey struct{}

// QuestionName returns the name that the server gave a question, from the context that its
// Elicitor got; "" when it gave none, as in the older era.
func QuestionName(ctx context.Context) string {
	name, _ := ctx.Value(questionKey{}).(string)
	return name
}

// capabilities returns those that the client declares to the server.
func (s *session) capabilities() (c mcp.ClientCapabilities) {
	if s.elicit != nil {
		c.Elicitation = &mcp.ElicitationCapability{}
	}
	if s.modern != nil {
		c.Extensions = map[string]any{tasksExtension: map[string]any{}}
	}
	return c
}

// claim finds the call during which a question is asked; answered ends the question.
type claim func() (by *watch, answered func(), err error)

// asked answers a request of the server. by finds the call of a question.
func (s *session) asked(by claim, method string, params json.RawMessage) (json.RawMessage, *mcp.JSONRPCErrorDetails) {
	if method == string(mcp.MethodPing) {
		return []byte("{}"), nil
	}
	if method != string(mcp.MethodElicitationCreate) || s.elicit == nil {
		s.note.refused(method)
		return nil, &mcp.JSONRPCErrorDetails{Code: mcp.METHOD_NOT_FOUND, Message: "this client does not offer " + presentable(method, 100)}
	}
	answer, err := s.questionOf(by, params)
	if err != nil {
		return nil, &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: "the user was not asked: " + s.note.shown(err.Error(), 300)}
	}
	return answer, nil
}

// questionOf asks the user of the call that by finds.
func (s *session) questionOf(by claim, params json.RawMessage) (json.RawMessage, error) {
	w, answered, err := by()
	if err != nil {
		return nil, err
	}
	defer answered()
	defer s.open.Add(-1)
	if s.open.Add(1) > elicitOpen {
		return nil, fmt.Errorf("%d questions of the server are open, which is the limit", elicitOpen)
	}
	return s.question(w, params)
}

// question asks the user; the call's watch pauses meanwhile.
func (s *session) question(by *watch, params json.RawMessage) (json.RawMessage, error) {
	if len(params) > elicitMost {
		return nil, fmt.Errorf("the question has %d bytes, at most %d are passed on", len(params), elicitMost)
	}
	if field := secretField(params); field != "" {
		return nil, fmt.Errorf("the form asks for a secret (field %s), which the protocol does not allow", s.note.shown(field, 100))
	}
	by.pause()
	defer by.resume()
	answer, err := s.elicit(by.ctx, calledAs(by.ctx, s.note.server), s.note.redactJSON(params))
	if err == nil && !json.Valid(answer) {
		err = errors.New("the answer is not JSON")
	}
	return answer, err
}

// turns are the calls on a pipe of the older era whose server may ask. Its questions do not
// name their call, so calls go one at a time; one that waits for its user lets the next one
// go, and a question belongs to the call that could have asked it. That holds as long as a
// call has one question at a time. Safe for concurrent use.
type turns struct {
	token chan struct{} // holds one while a call is in flight that has not asked

	mu      sync.Mutex // guards the fields below
	calls   map[*turn]struct{}
	unclear int           // questions that wait until their call is known
	changed chan struct{} // closed, and replaced, when a call may have become known
}

// turn is one call in flight.
type turn struct {
	watch  *watch
	holds  bool // the token
	asking int  // questions without an answer
}

var (
	errNoCall  = errors.New("no call is in flight to which the question could belong")
	errUnclear = errors.New("the question could belong to more than one call in flight, and does not say to which")
)

func newTurns() *turns {
	return &turns{token: make(chan struct{}, 1), calls: map[*turn]struct{}{}, changed: make(chan struct{})}
}

// wait waits until the calls before have ended or wait for their user. The caller must end
// the turn.
func (t *turns) wait(ctx context.Context) (*turn, error) {
	select {
	case t.token <- struct{}{}:
		return &turn{holds: true}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin notes that the call is sent, and may ask.
func (t *turns) begin(c *turn, w *watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.watch = w
	t.calls[c] = struct{}{}
}

func (t *turns) end(c *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, c)
	t.yield(c)
}

// yield lets the next call go and wakes the questions that wait for their call; mu is held.
func (t *turns) yield(c *turn) {
	if c.holds {
		c.holds = false
		<-t.token
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// busy reports whether a call waits for its user.
func (t *turns) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.calls {
		if c.asking > 0 {
			return true
		}
	}
	return false
}

// claim is called as a question is read, in the order of the pipe. The claim that it
// returns waits until the call of the question is known, if need be for calls to end; then
// that call lets others go until answered is called.
func (t *turns) claim() claim {
	c, changed, err := t.asker(false)
	return func() (*watch, func(), error) {
		for changed != nil {
			<-changed
			c, changed, err = t.asker(true)
		}
		if err != nil {
			return nil, nil, err
		}
		return c.watch, func() { t.answered(c) }, nil
	}
}

// asker returns the call of a question, or the channel to wait for before it can be known;
// waited means that the question has waited already.
func (t *turns) asker(waited bool) (c *turn, changed chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if waited {
		t.unclear--
	}
	able := 0 // calls that can have asked: those that do not wait for an answer already
	for call := range t.calls {
		if call.asking == 0 {
			able++
			c = call
		} else if len(t.calls) == 1 {
			c = call
		}
	}
	switch {
	case len(t.calls) == 0:
		return nil, nil, errNoCall
	case c == nil, able > 1 && t.unclear+1 >= able:
		return nil, nil, errUnclear // if each of them has asked, none of them ends
	case able > 1:
		t.unclear++
		return nil, t.changed, nil
	}
	c.asking++
	t.yield(c)
	return c, nil, nil
}

// answered ends a question. Its call holds up others again, unless one has begun.
func (t *turns) answered(c *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.asking--; c.asking > 0 {
		return
	}
	if _, inFlight := t.calls[c]; !inFlight {
		return
	}
	select {
	case t.token <- struct{}{}:
		c.holds = true
	default:
	}
}
