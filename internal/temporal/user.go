package temporal

import (
	"context"
	"fmt"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// user answers the question of a run to which its workflow has an answer, and suspends the run at
// any other: the workflow waits for the answer. Safe for concurrent use.
type user struct {
	answer *Answer // nil: none
	halt   func()  // lets the run end before its next node

	mu    sync.Mutex // guards asked
	asked *Asked     // the question without an answer
}

// open returns the question without an answer; nil for none.
func (u *user) open() *Asked {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked
}

// Ask returns the answer, or an execution.ErrSuspended.
func (u *user) Ask(ctx context.Context, q execution.Question) (a execution.Answer, err error) {
	asked := &Asked{At: q.At, Digest: q.Digest, Until: time.Now().Add(time.Hour)}
	if until, limited := ctx.Deadline(); limited {
		asked.Until = until
	}
	if u.answer == nil || !u.answer.answers(asked) {
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.asked == nil {
			u.asked = asked
			u.halt() // before another part of the run can ask
		}
		return a, fmt.Errorf("the workflow waits for the answer: %w", execution.ErrSuspended)
	}
	a = execution.Answer{Action: u.answer.Action, Why: u.answer.Why}
	if u.answer.Content != nil {
		if a.Content, err = value.Decode(u.answer.Content); err != nil {
			return execution.Answer{Action: execution.Dismiss}, nil // an answer that cannot be read is none
		}
	}
	return a, nil
}
