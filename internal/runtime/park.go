package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/serving/server"
)

// A process that serves parks runs that wait for long: their attempt ends, and their rows say what they wait for. No process has such a
// run then. A client that still waits for the answer of its call has a call that has joined the run: no more than
// that is in memory. The run goes on in the process where the client answers, or at its time in any process.

// parks says when a process parks runs; tests have shorter times.
type parks struct {
	after time.Duration // that all of a run has waited, of one whose client is asked while its call goes on
	soon  time.Duration // likewise, of one whose client answers with another call, or that has none
	least time.Duration // see execution.Parking
	lag   time.Duration // after which a run is due for those that no client of theirs waits for
	every time.Duration // between two looks for due runs

	news chan struct{} // there may be due runs
}

func usualParks() *parks {
	return &parks{after: time.Second, soon: 500 * time.Millisecond, least: 10 * time.Second, lag: time.Second, every: sweepEvery, news: make(chan struct{}, 1)}
}

// parking returns the option that parks a run, in a process that does so.
func (s *Session) parking(asksInCall bool) execution.Option {
	p := s.parks
	if p == nil {
		return execution.WithParking(nil)
	}
	after := p.after
	if !asksInCall {
		after = p.soon
	}
	return execution.WithParking(&execution.Parking{After: after, Least: p.least, May: s.History.CanPark})
}

// settle gives a run back that was suspended: parked if it waits, or if it has waited when it was claimed and nothing says for what
// now: then it is due at once.
func (l *Loaded) settle(ctx context.Context, run string, rest *execution.Rest, err error) {
	var parked *execution.Parked
	switch {
	case errors.As(err, &parked):
		rest = &parked.Rest
	case rest != nil:
		rest = &execution.Rest{At: time.Now(), Due: time.Now(), Limits: rest.Limits}
	default:
		l.giveBack(ctx, run)
		return
	}
	if err := l.History.Park(run, rest); err != nil {
		l.Log.Warn("a parked run can be resumed once this process has ended", "run", run, "error", err)
	}
}

// isParked reports whether the error of a run says that it is parked.
func isParked(err error) bool {
	var parked *execution.Parked
	return errors.As(err, &parked)
}

// storedAnswer returns the answer to a question that was stored while its run was parked.
func storedAnswer(ctx context.Context, store *journal.Store, q execution.Question) (a execution.Answer, stored bool) {
	if store == nil {
		return a, false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailTime)
	defer cancel()
	body, err := store.Attached(ctx, q.Run, markOf(q.At, q.Digest))
	return a, err == nil && json.Unmarshal(body, &a) == nil
}

// absentClient is the user of a run that goes on without a client. Its questions wait for an answer that other processes send, or that
// was stored while the run was parked; soon the run is parked again.
type absentClient struct{}

// AtOnce is closed: a client that looks at the run sees all its questions.
func (absentClient) AtOnce(context.Context) <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// Ask waits for an answer.
func (absentClient) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	local := localRunOf(ctx)
	sent := make(chan execution.Answer, 1)
	defer local.await(markOf(q.At, q.Digest), func(a execution.Answer) { sent <- a })()
	if a, stored := storedAnswer(ctx, local.fleet.history, q); stored {
		return a, nil
	}
	if err := local.fleet.recorded(ctx, q.Run); err != nil {
		return execution.Answer{}, err
	}
	select {
	case a := <-sent:
		return a, nil
	case <-ctx.Done():
		return execution.Answer{}, ctx.Err()
	}
}

// errAway is the error of a call that no client waits for any more: its run is parked, and its client has the question or the task.
var errAway = &server.AwayError{}

// whileParked waits with a call until its run, which is parked, can go on. goOn: it can go on here.
func (l *Loaded) whileParked(ctx context.Context, j *joining, run journal.Run) (goOn bool, err error) {
	asked := j.open(run)
	switch {
	case asked != nil && j.has(asked):
		return true, nil
	case asked == nil, !j.canAsk:
	case asksOf(ctx) == nil: // its call ends with the question
		return true, nil
	default:
		return l.askParked(ctx, j, run, asked), nil
	}
	if back, err := server.Leave(ctx); err == nil {
		defer back()
	}
	waiting, stop := ctx, context.CancelFunc(func() {})
	if !run.Due.IsZero() {
		waiting, stop = context.WithDeadline(ctx, run.Due)
	}
	defer stop()
	_, err = l.History.Wait(waiting, run.ID, func(r journal.Run) bool { return !r.Parked || r.Owner != run.Owner || !r.Due.Equal(run.Due) })
	if err != nil && waiting.Err() == nil {
		return false, l.unavailable(err)
	}
	return err != nil && ctx.Err() == nil, nil // it is due
}

// isAway reports whether no client waits for a run that no process has: it has the open question in place of the result, and makes
// another call with the answer, or it looks at the task of a run that is parked.
func (j *joining) isAway(ctx context.Context, run journal.Run) bool {
	return server.CalledBy(ctx).Name.Left() && j.waits(run)
}

// waits reports whether a run cannot go on without a client.
func (j *joining) waits(run journal.Run) bool {
	if asked := j.open(run); asked != nil {
		return !j.has(asked)
	}
	return run.Parked || len(run.Open()) > 0 // this call cannot ask again
}

// askParked asks the client of a call the question of its run while that is parked, and reports whether the run can go on here:
// with the answer, or because there will be none.
func (l *Loaded) askParked(ctx context.Context, j *joining, run journal.Run, asked *journal.Asked) (goOn bool) {
	g, err := l.currentGraph(ctx, run)
	if err != nil {
		g = nil
	}
	q, _ := questionAt(g, run.ID, asked)
	asking, stop := ctx, context.CancelFunc(func() {})
	if !run.Due.IsZero() {
		asking, stop = context.WithDeadlineCause(ctx, run.Due, &execution.Parked{}) // the question stays open
	}
	defer stop()
	a, err := l.askWhile(asking, j, run.ID, q)
	switch {
	case err == nil:
		j.answers[markFor(asked)] = a
		return true
	case ctx.Err() != nil:
		return false
	case asking.Err() != nil: // the run is due
		return true
	}
	return !errors.Is(err, context.Canceled) // else another process has the run
}

// has reports whether a call has the answer to a question.
func (j *joining) has(asked *journal.Asked) bool {
	mark := markFor(asked)
	return j.answers[mark].Action != "" || j.given[asked.Node] != nil && mark == j.mark || j.given[questionName(asked)] != nil
}

// isOpenAt reports whether a run is parked with an open question.
func (l *Loaded) isOpenAt(ctx context.Context, id, mark string) bool {
	run, err := l.History.Exact(ctx, id)
	if err != nil || !run.Parked {
		return false
	}
	for _, asked := range run.Open() {
		if markFor(asked) == mark {
			return true
		}
	}
	return false
}
