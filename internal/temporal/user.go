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

// user answers the questions of a run that have an answer in the store, or whose time is over, and suspends the run at
// any other: the workflow waits for the answer. Parts of a run may ask in another order than in the attempt before.
// Safe for concurrent use.
type user struct {
	answer *Answer // what the workflow has waited for; nil: nothing
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
	for {
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
	if u.answer != nil && u.answer.TimedOut && u.answer.answers(asked) {
		return execution.Answer{Action: execution.TimedOut}, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asked == nil {
		u.asked = asked
		u.halt() // before another part of the run can ask
	}
	return execution.Answer{}, fmt.Errorf("the workflow waits for the answer: %w", execution.ErrSuspended)
}
