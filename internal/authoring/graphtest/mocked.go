package graphtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
)

// Mocked answers the calls of one run from mocks, in place of servers: a run that is tried, not tested.
type Mocked struct{ calls *caller }

// NewMocked reads mocks as a test has them, {"STEP": {"result": …}}, for a run of a graph. The error has all that is
// wrong with them.
func NewMocked(g *graph.Graph, mocks *config.Data) (*Mocked, error) {
	r := &reader{}
	c := &caller{naming: namingOf(g), mocks: r.mocks(mocks), used: map[*Rule]int{}}
	_, known := namesIn(g)
	for _, m := range c.mocks {
		addUnknown(&r.found, m.Name.Value, m.Name.Pos, fmt.Sprintf("tool %q", g.Tool.Name.Value), callable, known)
	}
	if r.found.Err() == nil {
		return &Mocked{c}, nil
	}
	var lines []string // without places, which are in no file
	for _, d := range r.found {
		if d.Hint != "" {
			d.Message += "; " + d.Hint
		}
		lines = append(lines, d.Message)
	}
	return nil, errors.New(strings.Join(lines, "\n"))
}

// Engine returns an engine for the run, which records nothing and waits for nothing between attempts. Parts run in
// their order, so that a sequence of answers is given in it.
func (m *Mocked) Engine() *execution.Engine {
	return execution.New(m.calls, execution.WithSequentialParts(),
		execution.WithSleep(func(ctx context.Context, _ time.Duration) error { return ctx.Err() }))
}

// User returns a user who agrees to all calls, and gives the answers that mocks have. All else is asked of another user.
func (m *Mocked) User(other execution.User) execution.User { return mockedUser{m, other} }

type mockedUser struct {
	*Mocked
	other execution.User
}

// Ask answers a question of the run.
func (u mockedUser) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	if !q.IsConfirmation() {
		u.calls.mu.Lock()
		_, rule := u.calls.mockFor(askedBy(&q))
		u.calls.mu.Unlock()
		if rule == nil {
			return u.other.Ask(ctx, q)
		}
	}
	return u.calls.Ask(ctx, q)
}
