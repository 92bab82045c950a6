package runtime

import (
	"cmp"
	"context"
	"fmt"

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

// currentGraph returns the graph of a recorded run as the file is now. The error is
// execution.ErrGraphChanged when it was another one.
func (l *Loaded) currentGraph(ctx context.Context, run journal.Run) (*graph.Graph, error) {
	start, err := l.History.Start(ctx, run.ID)
	if err != nil {
		return nil, err
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

// endOf returns the recorded end of a run.
func (l *Loaded) endOf(ctx context.Context, run journal.Run) (*execution.Result, error) {
	without := &execution.Result{RunID: run.ID}
	g, err := l.currentGraph(ctx, run)
	if err != nil {
		return without, &lostError{fmt.Errorf("run %s has ended, and its tool has changed since (%w); see its result: toolgraph runs show %s", run.ID, err, run.ID)}
	}
	events, err := l.History.Load(ctx, run.ID)
	if err != nil {
		return without, readError(err)
	}
	result, err := l.Engine().Ended(ctx, g, events)
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
