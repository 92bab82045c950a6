package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"toolgraph/internal/base/wording"
)

// Several processes can serve the same tools to the same clients, behind one address. Then a request
// can reach a process that does not have what it is about: the answer to a question, a cancellation,
// a call that another process has begun. The names of processes in states and ids, and the names
// that clients give their calls, lead to the process, or to the run, that has it.

// KeyMeta is the key in _meta of a tools/call for a name that the client gives the call. Calls of a
// client with the same name, tool and arguments are one call.
const KeyMeta = "toolgraph/key"

// longestKey is the length of such a name in bytes.
const longestKey = 200

// Fleet is how a server reaches the processes that serve the same tools. Several goroutines call it
// at once.
type Fleet interface {
	// Process returns the name of this process: letters, digits and dashes.
	Process() string
	// Send sends a message to the Deliver of the server in a process, or in all other processes when
	// the name is empty. The error says that it cannot arrive.
	Send(ctx context.Context, process, kind string, body []byte) error
}

// Called is what a run can know of the call that it belongs to.
type Called struct {
	Key       string     // see KeyMeta; "": none
	Answers   bool       // the client can be asked, and answers with other calls, which any process can get
	CanAsk    bool       // the client has declared that it can show its user a form
	Continued *Continued // nil: the call begins a run
	Name      *RunName   // gets the id of its run; nil: it is not asked for
}

// Continued is what a call says that belongs to a run which this process does not have.
type Continued struct {
	Run     string
	Mark    string                     // of the question, see Question
	Answers map[string]json.RawMessage // by the names of questions
	Own     bool                       // the state is one of this process, which does not wait for the answer any more: it counts only if the run is parked
	Tool    string                     // of a task, whose subject is that of the call; "": the call is compared with the run

	process, state string
}

type calledKey struct{}

// WithCalled returns a context of a call of which this is known.
func WithCalled(ctx context.Context, c Called) context.Context {
	return context.WithValue(ctx, calledKey{}, c)
}

// CalledBy returns what is known of the call that ctx belongs to; the zero value outside of calls.
func CalledBy(ctx context.Context) Called {
	c, _ := ctx.Value(calledKey{}).(Called)
	return c
}

// RefusedError is the error of a Run that there is no run: the request is wrong, and its client gets a
// JSON-RPC error instead of a result, which no model sees.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// AgainError is the error of a Run that goes on elsewhere, or later: the client gets a JSON-RPC error,
// over HTTP with the status 503, and makes the same call again, which joins the run.
type AgainError struct{ Reason string }

func (e *AgainError) Error() string { return e.Reason }

// refusalOf returns the JSON-RPC error of a call without a result; or nil.
func refusalOf(err error) *rpcError {
	var refused *RefusedError
	var again *AgainError
	var lost *LostError
	switch {
	case errors.As(err, &refused):
		return invalidParams(refused.Reason)
	case errors.As(err, &lost):
		return &rpcError{code: codeInternal, message: lost.Error()}
	case errors.As(err, &again):
		return &rpcError{code: codeInternal, message: again.Reason}
	}
	return nil
}

// NotWaiting is the error of a Continued that belongs to no run of the client.
func NotWaiting() error { return &RefusedError{errNotWaiting.message} }

// keyOfCall returns the name that the client gives a call.
func keyOfCall(raw []byte) (string, *rpcError) {
	if raw == nil {
		return "", nil
	}
	expected := "_meta: " + KeyMeta + ": expected a string of 1 to 200 printable characters without spaces at its ends, such as a UUID, got "
	if raw[0] != '"' {
		return "", invalidParams(expected + describeRaw(raw))
	}
	key := text(raw)
	switch {
	case key == "" || !utf8.ValidString(key) || wording.Printable(key) != key || strings.TrimSpace(key) != key:
		return "", invalidParams(expected + describeRaw(raw))
	case len(key) > longestKey:
		return "", invalidParams(expected + wording.Count(len(key), "byte"))
	}
	return key, nil
}

// called returns what the run of a call can know of it.
func (c *call) called() Called {
	return Called{Key: c.key, Answers: c.modern && c.can != (abilities{}), CanAsk: c.can.form, Continued: c.continued, Name: c.name}
}

// elsewhere makes a call that continues a run, which this process does not have, one that joins the
// run, if the state leads to it.
func (s *Server) elsewhere(c *call, m *message) *rpcError {
	if c.continued = s.continuedBy(c.state); c.continued == nil {
		return errNotWaiting
	}
	if m.inputResponses == nil || json.Unmarshal(m.inputResponses, &c.continued.Answers) != nil || len(c.continued.Answers) == 0 {
		return invalidParams("inputResponses: expected an object with the answer to the question")
	}
	for name, answer := range c.continued.Answers {
		if err := checkAnswer(answer); err != nil {
			return invalidParams("inputResponses." + wording.Shorten(name) + ": " + err.Error())
		}
	}
	c.state = "" // it takes a place of its own
	return nil
}

// continuedBy returns what a state says that this process does not know, or not any more; nil for nothing.
func (s *Server) continuedBy(state string) *Continued {
	parts := strings.Split(state, ".")
	if len(parts) != stateParts || parts[stateRun] == "" {
		return nil
	}
	of := &Continued{Run: parts[stateRun], Mark: parts[stateMark], process: parts[stateProcess], state: state, Own: parts[stateProcess] == s.process()}
	switch {
	case of.Own && of.Mark == "": // it was used, or has expired, and only this process could take it
		return nil
	case s.opts.Fleet == nil && (!of.Own || !s.opts.Parks):
		return nil
	}
	return of
}

// process returns the name of this process in states.
func (s *Server) process() string {
	if s.opts.Fleet == nil {
		return ""
	}
	return s.opts.Fleet.Process()
}

// The parts of a requestState, between dots. The secret makes that no other client can answer; run and
// mark lead to the run when its process is another one, or dead.
const (
	stateProcess = iota
	stateSecret
	stateRun
	stateMark
	stateParts
)

// newState returns the state for the answer to a question.
func (s *Server) newState(q *question, secret string) string {
	if s.opts.Fleet == nil && !s.opts.Parks || q.Run == "" {
		return secret
	}
	return strings.Join([]string{s.process(), secret, q.Run, q.Mark}, ".")
}

// The kinds of messages between servers.
const (
	kindState     = "state"     // the answer to a question whose run only its own process can give it
	kindResponse  = "response"  // the answer to a request of another process
	kindCancelled = "cancelled" // a cancellation of a request that another process may have
)

type stateMail struct {
	State   string          `json:"state"`
	Answer  json.RawMessage `json:"answer"`
	Subject string          `json:"subject,omitempty"`
}

type sessionMail struct {
	Session string          `json:"session,omitempty"`
	Subject string          `json:"subject,omitempty"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// Forward sends the answer of a call to the process that has asked, when only that can take it: the
// question is that of an upstream server. It reports whether the answer is on its way.
func (s *Server) Forward(ctx context.Context, c *Continued) bool {
	if c == nil || c.Mark != "" || s.opts.Fleet == nil || len(c.Answers) != 1 {
		return false
	}
	for _, answer := range c.Answers {
		return s.send(ctx, c.process, kindState, stateMail{c.state, answer, SubjectOf(ctx)}) == nil
	}
	return false
}

func (s *Server) send(ctx context.Context, process, kind string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.opts.Fleet.Send(ctx, process, kind, raw)
}

// Deliver takes a message of the server in another process; see Fleet. A message that does not fit any
// more is ignored.
func (s *Server) Deliver(kind string, body []byte) {
	var state stateMail
	var of sessionMail
	switch {
	case kind == kindState && json.Unmarshal(body, &state) == nil:
		if checkAnswer(state.Answer) != nil {
			return
		}
		if w := s.pending.takeFor(state.State, state.Subject); w != nil {
			w.answer <- state.Answer
		}
	case json.Unmarshal(body, &of) != nil:
	case kind == kindResponse:
		s.each(func(e *endpoint) {
			e.questions.answered(session{of.Session, of.Subject}, &message{id: of.ID, result: of.Result, err: of.Error})
		})
	case kind == kindCancelled:
		s.each(func(e *endpoint) { e.sessions.cancel(session{of.Session, of.Subject}, of.ID) })
	}
}

// takeFor is take for a subject, that of the access token of the client.
func (p *pendingRuns) takeFor(state, subject string) *pendingRun {
	p.mu.Lock()
	w := p.waiting[state]
	p.mu.Unlock()
	if w == nil || w.subject != subject {
		return nil
	}
	return p.take(state)
}

// each calls do with the endpoints of the server.
func (s *Server) each(do func(*endpoint)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := range s.endpoints {
		do(e)
	}
}

// passOn sends the answer to a request of another process there, and reports whether it can arrive.
func (e *endpoint) passOn(ctx context.Context, of session, m *message) bool {
	fleet := e.server.opts.Fleet
	if fleet == nil {
		return false
	}
	id, isOurs := strings.CutPrefix(text(m.id), questionID)
	end := strings.LastIndexByte(id, '-')
	if !isOurs || end <= 0 || id[:end] == fleet.Process() {
		return false
	}
	return e.server.send(ctx, id[:end], kindResponse, sessionMail{of.name, of.subject, bytes.Clone(m.id), bytes.Clone(m.result), bytes.Clone(m.err)}) == nil
}

// cancelElsewhere sends the cancellation of a request to the other processes, and reports whether there
// are any.
func (e *endpoint) cancelElsewhere(ctx context.Context, of session, id []byte) bool {
	if e.server.opts.Fleet == nil || of.name == "" {
		return false
	}
	return e.server.send(ctx, "", kindCancelled, sessionMail{Session: of.name, Subject: of.subject, ID: bytes.Clone(id)}) == nil
}

// questionID is how the ids of requests to clients of the legacy era begin. The name of the process
// follows, if there are others.
const questionID = "toolgraph-"

// processOf returns the name of this process for ids; "" without others.
func processOf(f Fleet) string {
	if f == nil {
		return ""
	}
	return f.Process() + "-"
}
