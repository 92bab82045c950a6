package temporal

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// user answers the question of a run to which its workflow has an answer, and suspends the run at
// any other: the workflow waits for the answer. Safe for concurrent use.
type user struct {
	answer *Answer // nil: none
	stored func(context.Context, execution.Question) (execution.Answer, error)
	halt   func() // lets the run end before its next node

	mu    sync.Mutex // guards asked
	asked *Asked     // the question without an answer
}

// open returns the question without an answer; nil for none.
func (u *user) open() *Asked {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.asked
}

// Ask returns the answer, or an execution.ErrSuspended. While the store cannot be read, it waits.
func (u *user) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	asked := &Asked{At: q.At, Digest: q.Digest, Until: time.Now().Add(time.Hour)}
	if until, limited := ctx.Deadline(); limited {
		asked.Until = until
	}
	for u.answer != nil && u.answer.answers(asked) {
		if u.answer.TimedOut {
			return execution.Answer{Action: execution.TimedOut}, nil
		}
		a, err := u.stored(ctx, q)
		if err == nil {
			return a, nil
		}
		if errors.Is(err, journal.ErrNotFound) {
			break
		}
		select {
		case <-time.After(askAgain):
		case <-ctx.Done():
			return execution.Answer{}, ctx.Err()
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asked == nil {
		u.asked = asked
		u.halt() // before another part of the run can ask
	}
	return execution.Answer{}, fmt.Errorf("the workflow waits for the answer: %w", execution.ErrSuspended)
}
