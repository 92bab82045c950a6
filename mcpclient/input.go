package mcpclient

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// inputRounds is how often a tool of the modern era may ask before its result.
	inputRounds = 10
	inputPause  = 200 * time.Millisecond // before a retry for which there was no question
)

// input is the input that a tool of the modern era asks for.
type input struct{ requests, state []byte }

// answers asks the user all questions of a tool, one after the other. It returns the
// members that the next try of the call carries.
func (u *upstream) answers(ctx context.Context, s *session, in input) ([]byte, *Error) {
	responses, fail := u.responses(ctx, s, in.requests, nil)
	if fail != nil {
		return nil, fail
	}
	if len(responses) == 0 {
		select { // the tool only asks to be called again
		case <-u.opts.clock.after(inputPause):
		case <-ctx.Done():
			return nil, cancelled(ctx, "the tool had asked to be called again")
		}
	}
	raw, err := json.Marshal(struct {
		Responses map[string]json.RawMessage `json:"inputResponses"`
		State     json.RawMessage            `json:"requestState,omitempty"`
	}{responses, in.state})
	if err != nil {
		return nil, unencoded(err)
	}
	return raw[1 : len(raw)-1], nil
}

// memberName returns the name of a member as members gives it, which is the inside of a JSON string.
func memberName(id []byte) (name string) {
	_ = json.Unmarshal(append(append([]byte(`"`), id...), '"'), &name) // members has read it as a string
	return name
}

// responses asks the user the questions in inputRequests, but those that were answered before, and returns the answers
// by their names.
func (u *upstream) responses(ctx context.Context, s *session, requests []byte, before map[string]bool) (map[string]json.RawMessage, *Error) {
	if s.elicit == nil {
		e := &Error{Code: CodeInputRequired, Message: "the tool asks for input during the call, and no user can be asked"}
		if !u.conf.AllowElicit {
			e.Hint = "to let it ask the user, add allow: [elicitation] to the server"
		}
		return nil, e
	}
	responses, why := map[string]json.RawMessage{}, ""
	err := members(requests, func(id, request []byte) {
		var m struct {
			Method string
			Params json.RawMessage
		}
		name := memberName(id)
		if why != "" || before[name] {
			return
		}
		if json.Unmarshal(request, &m) != nil || m.Method != string(mcp.MethodElicitationCreate) {
			why = "the tool asks for " + s.note.shown(m.Method, 100) + ", which is not offered"
			return
		}
		by := &watch{ctx: context.WithValue(ctx, questionKey{}, name)} // without a limit: no request is in flight
		answer, err := s.question(by, m.Params)
		if err != nil {
			why = "the tool asks for input, and the user was not asked: " + s.note.shown(err.Error(), 300)
			return
		}
		responses[name] = answer
	})
	switch {
	case ctx.Err() != nil:
		return nil, cancelled(ctx, "the tool waited for an answer of the user")
	case why != "":
		return nil, &Error{Code: CodeInputRequired, Message: why}
	case err != nil:
		return nil, &Error{Code: CodeBadResult, Message: "the tool asks for input without inputRequests"}
	}
	return responses, nil
}
