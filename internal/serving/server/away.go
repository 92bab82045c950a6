package server

import "context"

// A run that is parked needs no process. Where its client has the question, or the task, no call waits for an answer here: the
// run of the call ends without one. Where its client waits, its call gives up its place among the runs.

// AwayError is the error of a Run for which no call waits any more, see RunName.Left: it is no answer.
type AwayError struct{}

func (*AwayError) Error() string { return "the run is parked, and no call waits for it" }

type placeKey struct{}

// Leave gives up the place of the call that ctx belongs to among the runs, until back is called: the call only waits. The error
// says that too many do.
func Leave(ctx context.Context) (back func(), err error) {
	if w, ok := ctx.Value(placeKey{}).(*waitingUser); ok {
		return w.leave()
	}
	return func() {}, nil
}

// Left reports whether no call waits for the run: its client has got the question in place of the result, or a task. Without a
// RunName one waits.
func (n *RunName) Left() bool { return n != nil && n.left.Load() }

func (n *RunName) setLeft(left bool) {
	if n != nil {
		n.left.Store(left)
	}
}
