package graphtest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// askFailures are the codes with which an ask fails.
var askFailures = []config.FailureCode{config.FailDeclined, config.FailDismissed, config.FailTimeout, config.FailNoUser}

// Ask answers a question of a run: a mock answers those of ask nodes, and calls are confirmed. No
// person is asked in any mode.
func (c *caller) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	if q.IsConfirmation() {
		return execution.Answer{Action: execution.Accept}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := askedBy(&q)
	mock, rule := c.mockFor(asked)
	if rule == nil {
		c.refuse(asked, unansweredQuestion(asked, &q))
		return execution.Answer{}, asked.Err
	}
	a, found := c.next(asked, "asks question", mock, rule)
	if !found {
		return execution.Answer{}, asked.Err
	}
	answer, wrong, err := a.toQuestion(ctx, &q)
	if wrong != "" {
		c.refuse(asked, Problem{Pos: a.Pos, What: "question", Message: fmt.Sprintf("mock %q answers %s, but %s", mock.Name.Value, callerText(&asked.Call), wrong)})
		return execution.Answer{}, asked.Err
	}
	return answer, err
}

// askedBy returns the question of an ask node as the call that mocks are matched with: its only
// argument is the message.
func askedBy(q *execution.Question) *Call {
	frame, index, _ := q.At.Split()
	asked := &Call{Call: execution.Call{Frame: frame, Index: index, Node: q.Node}}
	if frame != "" {
		asked.Graph, asked.Node, _ = strings.Cut(q.Node, ":")
	}
	asked.Args = value.NewObject([]string{"message"}, []value.Value{q.Message})
	return asked
}

// toQuestion returns the answer as that of a user, or the error about a user who cannot be asked.
// wrong is why no user could answer like this; empty when one could.
func (a *Answer) toQuestion(ctx context.Context, q *execution.Question) (answer execution.Answer, wrong string, err error) {
	if a.Failed {
		switch code := cmp.Or(a.Code, config.FailDeclined); code {
		case config.FailDeclined:
			return execution.Answer{Action: execution.Decline}, "", nil
		case config.FailDismissed:
			return execution.Answer{Action: execution.Dismiss}, "", nil
		case config.FailTimeout:
			return execution.Answer{Action: execution.TimedOut}, "", nil
		case config.FailNoUser:
			return execution.Answer{}, "", fmt.Errorf("%w: %s", execution.ErrNoUser, a.Error)
		default:
			return execution.Answer{}, fmt.Sprintf("an ask cannot fail with the code %q; write %s", code, wording.Or(askFailures)), nil
		}
	}
	content := a.Value
	if content == nil { // nothing was filled in
		content = value.NewObject(nil, nil)
	}
	filled, isObject := asObject(content)
	switch {
	case !isObject:
		return execution.Answer{}, fmt.Sprintf("the answer of a user is an object with what was filled in, not %s; write result: %s", encoded(content), sampleOf(q)), nil
	case q.Form == nil && filled.Len() > 0:
		return execution.Answer{}, "it has no schema, so that there is nothing to fill in; write result: {}", nil
	case q.Form != nil:
		form, err := schema.Compile(q.Form.JSON())
		if err != nil {
			return execution.Answer{}, "", err // the graph has compiled it too
		}
		problems, err := form.Check(ctx, content)
		if err != nil {
			return execution.Answer{}, "", err
		}
		if len(problems) > 0 {
			return execution.Answer{}, "the answer does not match its schema: " + problems.Text("result"), nil
		}
	}
	return execution.Answer{Action: execution.Accept, Content: content}, "", nil
}

// unansweredQuestion is the problem of a question without a mock.
func unansweredQuestion(asked *Call, q *execution.Question) Problem {
	return Problem{What: "question", Message: fmt.Sprintf("%s asks %s, but no mock answers it, and a test asks no person; write mocks: {%s: {result: %s}}",
		callerText(&asked.Call), wording.Quote(q.Message), quoteKey(asked.Name()), sampleOf(q))}
}

// sampleOf returns an answer to a question as JSON: one that its form allows, as far as that is
// simple.
func sampleOf(q *execution.Question) string {
	if q.Form == nil {
		return "{}"
	}
	sample, ok := schema.Sample(q.Form.JSON(), 1)
	if !ok {
		return "{…}"
	}
	return encoded(sample)
}

// isUnanswered reports whether a run has no result because a call or a question had no answer.
func (r *Result) isUnanswered() bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.What == "call" || p.What == "question" })
}
