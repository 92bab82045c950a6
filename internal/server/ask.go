package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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
