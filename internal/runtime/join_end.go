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

// currentGraph returns the graph of a recorded run as the file is now. The error is
// execution.ErrGraphChanged when it was another one.
func (l *Loaded) currentGraph(ctx context.Context, run journal.Run) (*graph.Graph, error) {
	start, err := l.History.Start(ctx, run.ID)
	if err != nil {
		return nil, l.unread(err)
	}
	g, err := l.Recorded(ctx, run.Tool, start.Args)
	if err == nil && !start.IsOf(g) {
		err = execution.ErrGraphChanged
	}
	return g, err
}

// endOf returns the recorded end of a run, also of one whose tool has changed since: other processes may serve another version.
func (l *Loaded) endOf(ctx context.Context, run journal.Run) (*execution.Result, error) {
	without := &execution.Result{RunID: run.ID}
	g, changed := l.currentGraph(ctx, run)
	if l.isUnread(changed) {
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

// readError returns the error of a run whose end was not read.
func readError(err error) error {
	var gap *journal.GapError
	if errors.As(err, &gap) {
		return &lostError{err}
	}
	return &unreadError{err}
}

// unread returns the error of a run that was not read: an *unreadError if the database is the reason.
func (l *Loaded) unread(err error) error {
	if l.History.IsTrouble(err) {
		return &unreadError{err}
	}
	return err
}

// isUnread reports whether a run was not read because of the database, so that the client can ask again.
func (l *Loaded) isUnread(err error) bool {
	var unread *unreadError
	return errors.As(err, &unread) && l.History.IsTrouble(err)
}

// unreadError is the error of a run that cannot be read now.
type unreadError struct{ error }

func (e *unreadError) Unwrap() error { return e.error }
