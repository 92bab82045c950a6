package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/mcpclient"
)

// questions are those of upstream servers that wait for the user of the page, the oldest
// first. Safe for concurrent use.
type questions struct {
	mu   sync.Mutex // guards open
	open []*question
}

// question is one as the page shows it.
type question struct {
	ID      string          `json:"id"`
	Server  string          `json:"server"`
	Message string          `json:"message"`
	URL     string          `json:"url,omitempty"`    // an address to open, instead of a form
	Schema  json.RawMessage `json:"schema,omitempty"` // of the form; without secrets

	schema *schema.Schema
	answer chan json.RawMessage // holds one
}

// longestQuestion is how much of a message is shown, in bytes.
const longestQuestion = 8 << 10

// Ask puts the question of an upstream server to the user of the page: params and the
// answer are those of elicitation/create. It takes as long as the user does, or until ctx
// ends.
func (s *Server) Ask(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
	q, err := s.question(upstream, params)
	if err != nil {
		return nil, err
	}
	s.questions.mu.Lock()
	s.questions.open = append(s.questions.open, q)
	s.questions.mu.Unlock()
	s.hub.tell("questions", nil)
	defer func() {
		s.questions.take(q.ID)
		s.hub.tell("questions", nil)
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
	q := &question{ID: rand.Text(), Server: upstream, Message: visible(secrets.Redact(in.Message)), URL: in.URL, answer: make(chan json.RawMessage, 1)}
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

// visible is text without what would not be seen, truncated.
func visible(text string) string {
	if len(text) > longestQuestion {
		text = strings.ToValidUTF8(text[:longestQuestion], "") + "… (truncated)"
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// find is an open question; nil when there is none.
func (qs *questions) find(id string) *question {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	for _, q := range qs.open {
		if q.ID == id {
			return q
		}
	}
	return nil
}

// take ends a question, and reports whether it was open.
func (qs *questions) take(id string) bool {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	before := len(qs.open)
	qs.open = slices.DeleteFunc(qs.open, func(q *question) bool { return q.ID == id })
	return len(qs.open) < before
}

func (s *Server) listQuestions(*http.Request) (any, error) {
	s.questions.mu.Lock()
	defer s.questions.mu.Unlock()
	return map[string]any{"questions": append([]*question{}, s.questions.open...)}, nil
}

// answerQuestion takes the user's answer, once its content fits the form.
func (s *Server) answerQuestion(r *http.Request) (any, error) {
	var in struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	q := s.questions.find(r.PathValue("id"))
	if q == nil {
		return nil, errorf(http.StatusConflict, "this question is not open: it was answered already, or its call has ended")
	}
	answer := map[string]any{"action": in.Action}
	switch in.Action {
	case "accept":
		if q.URL != "" {
			break
		}
		if err := s.checkContent(r.Context(), q, in.Content); err != nil {
			return nil, err
		}
		answer["content"] = in.Content
	case "decline", "cancel":
	default:
		return nil, errorf(http.StatusBadRequest, "action is %q, expected accept, decline or cancel", in.Action)
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if !s.questions.take(q.ID) {
		return nil, errorf(http.StatusConflict, "this question is not open: it was answered already, or its call has ended")
	}
	q.answer <- raw
	return map[string]any{}, nil
}

// checkContent reports which fields of an answer do not fit.
func (s *Server) checkContent(ctx context.Context, q *question, content json.RawMessage) error {
	if content == nil {
		return errorf(http.StatusBadRequest, "an answer that accepts has content, an object")
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
	secrets := s.loaded().File.Secrets
	wrong := errorf(http.StatusUnprocessableEntity, "the answer does not fit")
	for _, p := range problems {
		wrong.Fields = append(wrong.Fields, field{Path: append([]string{}, p.Path...), Message: secrets.Redact(p.Text("answer"))})
	}
	return wrong
}
