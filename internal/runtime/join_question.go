package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/graph"
	"toolgraph/internal/serving/server"
)

// sendAgain is how long an answer that was sent may take until the question is closed; then it is sent
// again, because its process may have died with it.
const sendAgain = 3 * time.Second

// readAgain is between two readings of a run that cannot be read.
const readAgain = 200 * time.Millisecond

// open returns an open question of a run about which the call can do something: one for which it has the answer before
// others, because the call waits for its user while another one is put. nil: there is none.
func (j *joining) open(run journal.Run) (first *journal.Asked) {
	for _, asked := range run.Open() {
		switch mark := markFor(asked); {
		case j.unasked[mark]:
		case j.has(asked):
			return asked
		case first == nil:
			first = asked
		}
	}
	return first
}

// markFor is markOf for a recorded question, which has the same mark in each process, also when a resumed run asks it again.
func markFor(q *journal.Asked) string { return markOf(q.Address, q.Digest) }

// relay answers an open question of a run that another process has: with an answer that came with the
// call, or with that of the user of its client. An error ends the call.
func (l *Loaded) relay(ctx context.Context, j *joining, run journal.Run, asked *journal.Asked) error {
	mark := markFor(asked)
	a, known := j.answers[mark]
	if !known {
		g, err := l.currentGraph(ctx, run)
		if err != nil {
			g = nil
		}
		q, _ := questionAt(g, run.ID, asked)
		if a, known, err = j.answerGiven(ctx, q); err != nil {
			return err
		}
		if !known {
			if a, err = l.askWhile(ctx, j, run.ID, q); err != nil {
				if j.unasked[mark] = !errors.Is(err, context.Canceled); j.state == (answering{}) && j.unasked[mark] {
					return err
				}
				return nil // the question is closed, or the process that has the run asks
			}
		}
		j.answers[mark] = a
	}
	if err := l.fleet.answer(ctx, run, answerMail{mark, a}); err != nil && ctx.Err() == nil && !errors.Is(err, journal.ErrNoProcess) {
		l.Log.Warn("the answer of a user was not sent; trying again", "run", run.ID, "error", err)
	}
	waiting, cancel := context.WithTimeout(ctx, sendAgain)
	defer cancel()
	_, _ = l.History.Wait(waiting, run.ID, isTaken(mark)) // or the time is over
	return nil
}

// isClosed returns the function that reports whether a question is not open any more, or its process
// does not have the run any more.
func isClosed(mark string) func(journal.Run) bool {
	return func(r journal.Run) bool {
		return !r.InProgress() && !r.Parked || !slices.ContainsFunc(r.Open(), func(q *journal.Asked) bool { return markFor(q) == mark })
	}
}

// isTaken is isClosed for an answer that was sent to the process of the run: it has none any more when the run is parked.
func isTaken(mark string) func(journal.Run) bool {
	closed := isClosed(mark)
	return func(r journal.Run) bool { return r.Parked || closed(r) }
}

// questionAt returns an open question of a run, and how long its answer may take. The form is that of the
// graph; a nil graph is not known.
func questionAt(g *graph.Graph, run string, asked *journal.Asked) (q execution.Question, limit time.Duration) {
	q, limit = asked.Question, graph.DefaultAskTimeout
	q.Run, q.At, q.Node = run, asked.Address, asked.Node
	if g == nil || q.IsConfirmation() {
		return q, limit
	}
	if n := askOf(g, q.Node); n != nil {
		q.Form, limit = n.Fields, n.Timeout
	}
	return q, limit
}

// answerGiven returns the answer to a question that came with the call, once. An answer that does not
// match the form refuses the call, so that the client can correct it.
func (j *joining) answerGiven(ctx context.Context, q execution.Question) (a execution.Answer, given bool, err error) {
	mark := markOf(q.At, q.Digest)
	if raw, named := j.given[nameOf(q.Node, mark)]; named { // of a task, which has compared it
		a, err = readAnswer(&q, raw)
		return a, err == nil, err
	}
	if len(j.given) == 0 || mark != j.mark {
		return a, false, nil
	}
	raw, named := j.given[q.Node]
	if !named && len(j.given) == 1 { // the name has a number when the question was asked before
		for _, raw = range j.given {
		}
	}
	if raw == nil {
		return a, false, &server.RefusedError{Reason: "inputResponses: expected an object with the answer under the key " + q.Node}
	}
	if err := checkAnswer(ctx, &q, raw); err != nil {
		return a, false, &server.RefusedError{Reason: "inputResponses." + q.Node + ": " + err.Error()}
	}
	j.given = nil
	a, err = readAnswer(&q, raw)
	return a, err == nil, err
}

// askWhile asks the user of the client as long as the question is open. The error is context.Canceled
// when it is not any more.
func (l *Loaded) askWhile(ctx context.Context, j *joining, id string, q execution.Question) (execution.Answer, error) {
	asking, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer stop()
		for again := true; again; {
			_, err := l.History.Wait(asking, id, isClosed(markOf(q.At, q.Digest)))
			again = err != nil && !errors.Is(err, journal.ErrNotFound) && wait(asking, readAgain) // the client has the question
		}
	}()
	defer func() {
		stop()
		<-watched
	}()
	a, err := InTurn{j.user}.ask(asking, q)
	if err != nil && asking.Err() != nil {
		err = context.Canceled
	}
	return a, err
}

// joinedUser is the user of a call that has resumed the run which it belongs to.
type joinedUser struct {
	InTurn
	j *joining
}

// Ask returns the answer that came with the call, or asks.
func (u *joinedUser) Ask(ctx context.Context, q execution.Question) (execution.Answer, error) {
	if a, known := u.j.answers[markOf(q.At, q.Digest)]; known {
		return a, nil
	}
	if a, given, err := u.j.answerGiven(ctx, q); given && err == nil {
		return a, nil
	}
	if local := localRunOf(ctx); local != nil {
		if a, stored := storedAnswer(ctx, local.fleet.history, q); stored {
			return a, nil
		}
	}
	return u.User.Ask(ctx, q)
}

// askHere asks a client of this process, unless another process sends the answer first. The question
// is recorded before the client gets it, so that the answer finds its run wherever it arrives.
func askHere(ctx context.Context, q execution.Question, ask func(ctx context.Context) (json.RawMessage, error)) (json.RawMessage, *execution.Answer, error) {
	local := localRunOf(ctx)
	if local == nil {
		raw, err := ask(ctx)
		return raw, nil, err
	}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	sent := make(chan execution.Answer, 1)
	defer local.await(markOf(q.At, q.Digest), func(a execution.Answer) {
		sent <- a
		stop()
	})()
	if err := local.fleet.recorded(ctx, q.Run); err != nil {
		return nil, nil, err
	}
	raw, err := ask(asking)
	select {
	case a := <-sent:
		return nil, &a, nil
	default:
		return raw, nil, err
	}
}
