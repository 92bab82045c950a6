package simulation

import (
	"context"
	"errors"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// tenure is a run in a process: the journal of the run, its upstream servers and its user.
type tenure struct {
	p      *server
	run    string
	cancel context.CancelCauseFunc

	operator bool // who resolves the in-doubt call before which the run has ended

	// guarded by p.mu
	n         int      // of the next event
	appended  []string // events
	taken     bool     // the process knows that another one has the run
	cancelled bool     // by its client
}

// enqueue queues an event; p.mu is held.
func (t *tenure) enqueue(s *step) {
	e, err := stored(s.event)
	if err != nil {
		t.p.f.violated(engineKind, "%s is not recorded: %v", describe(s.event), err)
	}
	q := queuedEvent{tenure: t, event: e, n: t.n}
	t.n++
	t.appended = append(t.appended, describe(s.event))
	if !t.waits(s.event) {
		t.p.queue = append(t.p.queue, q)
		s.done <- answer{}
		return
	}
	q.done = make(chan error, 1)
	t.p.queue = append(t.p.queue, q)
	go func() { s.done <- answer{err: <-q.done} }()
}

// waits reports whether the run waits until the event is in the database, as journal.Store has it.
func (t *tenure) waits(e *execution.Event) bool {
	switch {
	case t.p.f.durable && (e.Record == nil || e.Record.NodeType == config.MCPNode):
		return true
	case e.Kind == execution.CallStarted:
		return e.Sync && !t.p.f.rules.sendEarly
	}
	return e.Sync && (e.Kind == execution.Answered || e.Kind == execution.RunStarted)
}

// Append waits until the scheduler releases it, and until the event is written if it has to be.
func (t *tenure) Append(_ context.Context, e execution.Event) error {
	s := &step{operation: operation{event: &e, done: make(chan answer, 1)}, tenure: t}
	if !t.p.submit(s) {
		return errCrash
	}
	return (<-s.done).err
}

// Load is not used: runs are loaded from the database of the fleet.
func (t *tenure) Load(context.Context, string) ([]execution.Event, error) {
	return nil, errors.New("not used")
}

// CallTool waits until the scheduler releases the answer.
func (t *tenure) CallTool(ctx context.Context, c execution.Call) (v value.Value, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := t.operate(ctx, &step{operation: operation{call: &c, done: make(chan answer, 1)}, tenure: t})
	return a.value, err
}

// Ask waits until the answer comes, from this process or by mail.
func (t *tenure) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	a, err := t.operate(ctx, &step{operation: operation{question: &q, done: make(chan answer, 1)}, tenure: t})
	return a.user, err
}

func (t *tenure) operate(ctx context.Context, s *step) (answer, error) {
	if !t.p.submit(s) {
		return answer{}, errCrash
	}
	select {
	case a := <-s.done:
		return a, a.err
	case <-ctx.Done():
		t.p.withdraw(s)
		return answer{}, ctx.Err()
	}
}

// mark queues a mark, and waits until all before it is written.
func (t *tenure) mark(giving bool) error {
	t.p.mu.Lock()
	done := make(chan error, 1)
	switch {
	case t.p.dead:
		done <- errCrash
	case t.taken:
		done <- execution.ErrTaken
	default:
		t.p.queue = append(t.p.queue, queuedEvent{tenure: t, mark: true, giving: giving, done: done})
	}
	t.p.mu.Unlock()
	return <-done
}
