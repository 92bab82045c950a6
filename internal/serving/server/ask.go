package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Question is a question for the user of a client.
type Question struct {
	Params json.RawMessage // of elicitation/create
	Name   string          // of the answer, for clients of the modern era; default "question"

	Run  string // the run that asks; "": not known
	Mark string // distinguishes the question from others of the run, so that another process finds it; "": only this one can take the answer

	// Own is a question of the run itself, asked after Turn, not one that is passed on: only
	// what the client answers after it got the question counts, and the run limits the time.
	Own bool

	// Check returns why an answer is not accepted, nil for one that is. A client of the modern
	// era gets the error and can answer again; it is not called for those of the legacy era, whose
	// answers cannot be refused. nil: all are accepted.
	Check func(answer json.RawMessage) error
}

// user is the user of a client. Safe for concurrent use.
type user interface {
	// turn waits until no other run asks the user questions of its own; done lets the next one go.
	turn(ctx context.Context) (done func(), err error)
	// ask sends a question and returns the answer, the result of elicitation/create.
	ask(ctx context.Context, q Question) (json.RawMessage, error)
	// atOnce is closed when the run has become a task, whose client gets all questions at once. nil: it is never one.
	atOnce() <-chan struct{}
}

type userKey struct{}

// Ask sends a question to the user of the client whose call ctx belongs to, and returns the
// answer: the params and the result of elicitation/create, in both eras. It blocks until the
// user answers, ctx ends or the connection ends: ErrConnectionEnded. A *CannotAskError means that
// the user was not asked. Safe for concurrent use.
func Ask(ctx context.Context, q Question) (json.RawMessage, error) {
	asked, ok := ctx.Value(userKey{}).(user)
	if !ok {
		return nil, lacks("cannot ask its user", "elicitation")
	}
	return asked.ask(ctx, q)
}

// Turn waits until the user of the client whose call ctx belongs to has answered the questions that
// other runs have asked after a Turn; done lets the next one go. The errors are those of Ask.
func Turn(ctx context.Context) (done func(), err error) {
	asked, ok := ctx.Value(userKey{}).(user)
	if !ok {
		return nil, lacks("cannot ask its user", "elicitation")
	}
	return asked.turn(ctx)
}

// AtOnce returns a channel that is closed as soon as all questions of the run that ctx belongs to can be put at the same
// time, without a Turn; nil for one that never is.
func AtOnce(ctx context.Context) <-chan struct{} {
	if asked, ok := ctx.Value(userKey{}).(user); ok {
		return asked.atOnce()
	}
	return nil
}

// CannotAskError is why a client cannot ask its user.
type CannotAskError struct {
	Reason string // short, with the client as "it": it has not declared elicitation
	text   string
	lacks  string // see MissingCapability
}

func (e *CannotAskError) Error() string { return e.text }

// MissingCapability returns the capability that the client has not declared; empty when that is not the
// reason.
func (e *CannotAskError) MissingCapability() string { return e.lacks }

// lacks is the error about a client that has not declared a capability.
func lacks(what, capability string) *CannotAskError {
	return &CannotAskError{"it has not declared " + capability, "the client " + what + ": it has not declared the capability " + capability, capability}
}

// NoElicitation is why the user of a client cannot be asked that has not declared that it can.
func NoElicitation() error { return lacks("cannot ask its user", "elicitation") }

// ErrConnectionEnded is the error of a question whose client is gone.
var ErrConnectionEnded = errors.New("the connection ended before the user answered")

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

// declared returns the capabilities that a client names in a handshake: those of a modern request, or in the params of
// initialize. nil: none.
func (m *message) declared() []byte {
	if m.capabilities != nil {
		return m.capabilities
	}
	var params struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return nil
	}
	return params.Capabilities
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
		return lacks("cannot show its user a URL", "elicitation.url")
	case question.Mode != "url" && !a.form:
		return lacks("cannot show its user a form", "elicitation.form")
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

// waitingUser is the user whom one run asks. The run gives up its place among the runs while it
// waits and gets it back with the answer, even when there are MaxRuns others. MaxRuns also
// limits the runs that wait.
type waitingUser struct {
	server *Server
	call   *call

	mu sync.Mutex // guards open
	// open counts the questions of the run without an answer, those that wait for their turn included. A task has several;
	// the run has its place back when none is left.
	open int
}

func (w *waitingUser) turn(ctx context.Context) (done func(), err error) {
	back, err := w.leave()
	if err != nil {
		return nil, err
	}
	next, err := w.call.user.turn(ctx)
	if err != nil {
		back()
		return nil, err
	}
	return func() {
		next()
		back()
	}, nil
}

func (w *waitingUser) ask(ctx context.Context, q Question) (_ json.RawMessage, err error) {
	if q.Params, err = w.call.question(q.Params); err != nil {
		return nil, err
	}
	back, err := w.leave()
	if err != nil {
		return nil, err
	}
	defer back()
	return w.call.user.ask(ctx, q)
}

func (w *waitingUser) atOnce() <-chan struct{} { return w.call.user.atOnce() }

// leave gives up the place of the run, until back is called.
func (w *waitingUser) leave() (back func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.server
	if w.open == 0 && s.waiting.Add(1) > int64(s.opts.MaxRuns) {
		s.waiting.Add(-1)
		reason := fmt.Sprintf("busy: %d runs wait for an answer of the user, which is the limit", s.opts.MaxRuns)
		return nil, &CannotAskError{Reason: reason, text: reason + "; call again when some are answered"}
	}
	if w.open++; w.open == 1 {
		s.release()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.open--; w.open == 0 {
			s.runs.Add(1)
			s.waiting.Add(-1)
		}
	}, nil
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
