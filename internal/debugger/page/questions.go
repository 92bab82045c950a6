package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/mcpclient"
)

// question is a question that waits for the user of the page: of an upstream server or of a run.
type question struct {
	asked
	ID     string          `json:"id"`
	Server string          `json:"server,omitempty"` // the upstream server that asks
	Run    string          `json:"run,omitempty"`    // the id of the run that asks
	Tool   string          `json:"tool,omitempty"`   // of the run
	URL    string          `json:"url,omitempty"`    // an address to open, instead of a form
	Schema json.RawMessage `json:"schema,omitempty"` // of the form, without secrets; none: only yes or no

	schema *schema.Schema  // nil: an answer has no content
	answer chan answerJSON // holds one
}

// asked is what a question asks, and where its run does.
type asked struct {
	Message  string            `json:"message"`
	Node     string            `json:"node,omitempty"` // its name, as in messages
	At       execution.Address `json:"at,omitempty"`
	Confirms *confirmsJSON     `json:"confirms,omitempty"` // nil: no call waits for the answer
}

// confirmsJSON are the calls to which the user must agree.
type confirmsJSON struct {
	Server string        `json:"server"`
	Tool   string        `json:"tool"`
	Effect config.Effect `json:"effect,omitempty"` // empty: unknown
	Calls  int           `json:"calls"`
}

// askedIn returns the question of a run for the page; nil for none.
func askedIn(q *execution.Question, node string, at execution.Address, secrets *config.Secrets) *asked {
	if q == nil {
		return nil
	}
	out := &asked{Message: shownMessage(q.Message, secrets), Node: node, At: at}
	if q.IsConfirmation() {
		out.Confirms = &confirmsJSON{Server: q.Server, Tool: q.Tool, Effect: q.Effect, Calls: q.Calls}
	}
	return out
}

// longestQuestion is the length to which a message is truncated, in bytes.
const longestQuestion = 8 << 10

func shownMessage(text string, secrets *config.Secrets) string {
	return wording.Printable(wording.Truncate(secrets.Redact(text), longestQuestion))
}

// Ask puts the question of an upstream server to the user of the page: params and the
// answer are those of elicitation/create. It returns when the user answers, or when ctx
// ends.
func (s *Server) Ask(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
	q, err := s.question(upstream, params)
	if err != nil {
		return nil, err
	}
	answer, err := s.put(ctx, q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// user is the user of the page, whom a run asks.
type user struct {
	server  *Server
	tool    string // of the run
	secrets *config.Secrets
}

// Ask puts the question of a run to the user of the page, beside those of other runs.
func (u user) Ask(ctx context.Context, of execution.Question) (execution.Answer, error) {
	q := &question{ID: rand.Text(), asked: *askedIn(&of, of.Node, of.At, u.secrets), Run: of.Run, Tool: u.tool}
	if of.Form != nil {
		if err := q.hasForm(of.Form.JSON(), u.secrets); err != nil {
			return execution.Answer{}, err
		}
	}
	answer, err := u.server.put(ctx, q)
	if err != nil {
		return execution.Answer{}, err
	}
	out := execution.Answer{Action: execution.Action(answer.Action)}
	if answer.Content != nil {
		out.Content, err = value.Decode(answer.Content)
	}
	return out, err
}

// put shows a question until it is answered, or ctx ends.
func (s *Server) put(ctx context.Context, q *question) (answerJSON, error) {
	q.answer = make(chan answerJSON, 1)
	s.mu.Lock()
	s.open = append(s.open, q)
	s.mu.Unlock()
	s.hub.publish("questions", nil)
	defer func() {
		s.take(q.ID)
		s.hub.publish("questions", nil)
	}()
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return answerJSON{}, ctx.Err()
	case <-s.base.Done():
		return answerJSON{}, errors.New("the page has ended")
	}
}

// question reads the params of elicitation/create; its error is why no user can answer.
func (s *Server) question(upstream string, params json.RawMessage) (*question, error) {
	in, err := mcpclient.ReadQuestion(params)
	if err != nil {
		return nil, err
	}
	secrets := s.loaded().File.Secrets
	q := &question{ID: rand.Text(), Server: upstream, asked: asked{Message: shownMessage(in.Message, secrets)}, URL: in.URL}
	if in.URL != "" {
		return q, nil
	}
	if in.Schema == nil {
		in.Schema = json.RawMessage(`{"type":"object"}`)
	}
	return q, q.hasForm(in.Schema, secrets)
}

// hasForm gives a question a form.
func (q *question) hasForm(form []byte, secrets *config.Secrets) (err error) {
	q.Schema = secrets.RedactJSON(form)
	q.schema, err = schema.Compile(form)
	return err
}

// take removes an open question, and reports whether it was open.
func (s *Server) take(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.open)
	s.open = slices.DeleteFunc(s.open, func(q *question) bool { return q.ID == id })
	return len(s.open) < before
}

type questionsJSON struct {
	Questions []*question `json:"questions"`
}

func (s *Server) listQuestions(*http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return questionsJSON{append([]*question{}, s.open...)}, nil
}

type answerJSON struct {
	Action  string          `json:"action"`
	Content json.RawMessage `json:"content,omitempty"`
}

var errNotOpen = errorf(http.StatusConflict, "this question is not open: it was answered already, or its call or run has ended")

// answerQuestion takes the user's answer when its content matches the form.
func (s *Server) answerQuestion(r *http.Request, in answerJSON) (any, error) {
	s.mu.Lock()
	i := slices.IndexFunc(s.open, func(q *question) bool { return q.ID == r.PathValue("id") })
	if i < 0 {
		s.mu.Unlock()
		return nil, errNotOpen
	}
	q := s.open[i]
	s.mu.Unlock()
	answer := answerJSON{Action: in.Action}
	switch in.Action {
	case "accept":
		if q.schema == nil {
			break
		}
		if err := s.checkContent(r.Context(), q, in.Content); err != nil {
			return nil, err
		}
		answer.Content = in.Content
	case "decline", "cancel":
	default:
		return nil, errorf(http.StatusBadRequest, "action is %q, expected accept, decline or cancel", in.Action)
	}
	if !s.take(q.ID) {
		return nil, errNotOpen
	}
	q.answer <- answer
	return struct{}{}, nil
}

// checkContent is the error about fields of an answer that do not match the form.
func (s *Server) checkContent(ctx context.Context, q *question, content json.RawMessage) error {
	if content == nil {
		return errorf(http.StatusBadRequest, "the answer accept has content, an object")
	}
	v, err := value.Decode(content)
	if err != nil {
		return errorf(http.StatusUnprocessableEntity, "the content is not JSON: %s", err)
	}
	problems, err := q.schema.Check(ctx, v)
	if err != nil {
		return errorf(http.StatusUnprocessableEntity, "%s", err)
	}
	if len(problems) == 0 {
		return nil
	}
	return invalid(s.loaded().File.Secrets, "the answer does not match the form", problems, "answer")
}
