package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

// question is a question of an upstream server that waits for the user of the page.
type question struct {
	ID      string          `json:"id"`
	Server  string          `json:"server"`
	Message string          `json:"message"`
	URL     string          `json:"url,omitempty"`    // an address to open, instead of a form
	Schema  json.RawMessage `json:"schema,omitempty"` // of the form; without secrets

	schema *schema.Schema
	answer chan json.RawMessage // holds one
}

// longestQuestion is the length to which a message is truncated, in bytes.
const longestQuestion = 8 << 10

// Ask puts the question of an upstream server to the user of the page: params and the
// answer are those of elicitation/create. It returns when the user answers, or when ctx
// ends.
func (s *Server) Ask(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
	q, err := s.question(upstream, params)
	if err != nil {
		return nil, err
	}
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
		return nil, ctx.Err()
	case <-s.base.Done():
		return nil, errors.New("the page has ended")
	}
}

// question reads the params of elicitation/create; its error is why no user can answer.
func (s *Server) question(upstream string, params json.RawMessage) (*question, error) {
	in, err := mcpclient.ReadQuestion(params)
	if err != nil {
		return nil, err
	}
	secrets := s.loaded().File.Secrets
	q := &question{ID: rand.Text(), Server: upstream, Message: wording.Printable(wording.Truncate(secrets.Redact(in.Message), longestQuestion)), URL: in.URL, answer: make(chan json.RawMessage, 1)}
	if in.URL != "" {
		return q, nil
	}
	if in.Schema == nil {
		in.Schema = json.RawMessage(`{"type":"object"}`)
	}
	if q.schema, err = schema.Compile(in.Schema); err != nil {
		return nil, err
	}
	q.Schema = secrets.RedactJSON(in.Schema)
	return q, nil
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

var errNotOpen = errorf(http.StatusConflict, "this question is not open: it was answered already, or its call has ended")

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
		if q.URL != "" {
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
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if !s.take(q.ID) {
		return nil, errNotOpen
	}
	q.answer <- raw
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
