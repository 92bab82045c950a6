package dryrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// Question is a question that a run would put to its user, and the assumed answer.
type Question struct {
	At      execution.Address `json:"at"`
	Node    string            `json:"node"` // its name
	Message string            `json:"message"`
	Answer  json.RawMessage   `json:"answer,omitempty"`  // assumed; none: the user agrees
	Assumed bool              `json:"assumed,omitempty"` // outputs or answers had been assumed before it, so a real run may ask otherwise

	// Of the calls to which the user has to agree; Calls is 0 for the question of an ask node.
	Calls  int           `json:"calls,omitempty"`
	Server string        `json:"server,omitempty"`
	Tool   string        `json:"tool,omitempty"`
	Effect config.Effect `json:"effect,omitempty"` // empty: unknown
}

// Refusal is a call that allow refuses.
type Refusal struct {
	At      execution.Address `json:"at"`
	Node    string            `json:"node"` // its name
	Message string            `json:"message"`
}

// errNoAnswer is the error of a question to which no answer can be assumed.
var errNoAnswer = errors.New("no answer can be assumed")

// Ask notes a question and assumes that the user agrees. The fields of a form are assumed from its
// schema; where that is not possible, the plan ends.
func (d *caller) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	noted := Question{
		At: q.At, Node: q.Node, Message: q.Message, Assumed: d.assumes(), Calls: q.Calls, Server: q.Server, Tool: q.Tool, Effect: q.Effect,
	}
	answer := execution.Answer{Action: execution.Accept}
	if q.Form != nil {
		filled, err := assumedAnswer(ctx, q.Form.JSON())
		if err == nil {
			noted.Answer, err = redacted(filled, d.Secrets)
		}
		if err != nil {
			d.ended, d.ends = fmt.Sprintf("node %q asks for what cannot be assumed from its schema", q.Node), q.At
			d.asked = append(d.asked, noted)
			return execution.Answer{}, err
		}
		answer.Content = filled
	}
	d.asked = append(d.asked, noted)
	return answer, nil
}

// assumedAnswer returns what a user might fill in.
func assumedAnswer(ctx context.Context, form []byte) (value.Value, error) {
	filled, ok := schema.Sample(form, 1)
	if !ok {
		return nil, errNoAnswer
	}
	compiled, err := schema.Compile(form)
	if err != nil {
		return nil, err
	}
	problems, err := compiled.Check(ctx, filled)
	if err == nil && len(problems) > 0 {
		err = errNoAnswer
	}
	return filled, err
}

// assumes reports whether an output or an answer was assumed.
func (d *caller) assumes() bool {
	return slices.ContainsFunc(d.made, func(c Call) bool { return c.Output != nil }) ||
		slices.ContainsFunc(d.asked, func(q Question) bool { return q.Calls == 0 })
}

// needsAgreement reports whether the user would have to agree before a call: a dry run does not
// make it then, whatever its tool is.
func (d *caller) needsAgreement(c *execution.Call) bool {
	return slices.ContainsFunc(d.asked, func(q Question) bool {
		return q.Calls > 0 && (q.At == c.At() || q.At.Contains(c.At()))
	})
}

// refusal notes a call that allow has refused, once: what is around it fails with it.
func (d *caller) refusal(r *execution.Record) {
	failed := r.Error
	if failed == nil {
		failed = r.Handled
	}
	if failed == nil || failed.Detail != string(config.FailNotAllowed) {
		return
	}
	at := r.At()
	if !slices.ContainsFunc(d.refused, func(other Refusal) bool { return at.Contains(other.At) }) {
		d.refused = append(d.refused, Refusal{At: at, Node: r.Name(), Message: d.Secrets.Redact(failed.Message)})
	}
}
