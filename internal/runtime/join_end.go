package runtime

import (
	"cmp"
	"context"
	"errors"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// AnswerThere answers the questions of a run that waits in another process, and returns its end. The run
// goes on when ctx ends.
func (l *Loaded) AnswerThere(ctx context.Context, run journal.Run, user execution.User, options []execution.Option) (*execution.Result, error) {
	if l.fleet == nil {
		l.fleet = l.Session.join()
	}
	return l.join(ctx, &joining{id: run.ID, state: answering{}, identity: identity{tool: run.Tool}, client: client{user: user, options: options}})
}

// What is read of a run that was recorded: its graph as the file is now, and its end. What cannot be read now may be read later, so
// it says nothing of the run.

// currentGraph returns the graph of a recorded run as the file is now. The error is execution.ErrGraphChanged when it was
// another one, and isUnread when that is not known now.
func (l *Loaded) currentGraph(ctx context.Context, run journal.Run) (*graph.Graph, error) {
	start, err := l.History.Start(ctx, run.ID)
	if err != nil {
		return nil, readError(err)
	}
	return l.graphOf(ctx, run.Tool, &start)
}

// graphOf is currentGraph for the beginning of a run.
func (l *Loaded) graphOf(ctx context.Context, tool string, start *execution.Start) (*graph.Graph, error) {
	g, err := l.Recorded(ctx, tool, start.Args)
	if err == nil && !start.IsOf(g) {
		err = execution.ErrGraphChanged
	}
	return g, err
}

// endOf returns the recorded end of a run, also of one whose tool has changed since: other processes may serve another version.
func (l *Loaded) endOf(ctx context.Context, run journal.Run) (*execution.Result, error) {
	without := &execution.Result{RunID: run.ID}
	g, changed := l.currentGraph(ctx, run)
	if isUnread(changed) {
		return without, changed
	}
	events, err := l.History.Load(ctx, run.ID)
	if err != nil {
		return without, readError(err)
	}
	var result *execution.Result
	if changed == nil {
		result, err = l.Engine().Ended(ctx, g, events)
	} else {
		result, err = execution.EndedElsewhere(events)
	}
	if result == nil || err != nil {
		return cmp.Or(result, without), err
	}
	recorded, err := l.History.Result(ctx, run.ID)
	switch gap := recorded.Gap; {
	case err != nil:
		return without, readError(err)
	case gap == nil:
		return result, nil
	case gap.Reason == journal.Redacted: // a client never gets more
		result.Value, err = value.Decode(recorded.JSON)
		return result, err
	default:
		return without, &lostError{&journal.GapError{Run: run.ID, What: "its result", Gap: *gap}}
	}
}

// lostError is the error of a run that has ended and whose result cannot be given any more.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// readError returns the error of a run of which something was not read.
func readError(err error) error {
	if errors.As(err, new(*journal.GapError)) || errors.As(err, new(*journal.DamagedError)) {
		return &lostError{err}
	}
	return &unreadError{err}
}

// unreadError is the error of a run that cannot be read now, so nothing is known of it.
type unreadError struct{ error }

func (e *unreadError) Unwrap() error { return e.error }

func isUnread(err error) bool { return errors.As(err, new(*unreadError)) }
