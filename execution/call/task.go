package call

import (
	"context"
	"time"
)

// CodeTaskUnknown is the code of the failure of a call whose task could not be taken up: its server
// does not know the task any more, or could not be asked.
const CodeTaskUnknown = "task-unknown"

// Tasks gets the tasks with which servers answer a call.
type Tasks struct {
	// Begun gets the id of a task, in the goroutine of the call and before it is awaited.
	Begun func(id string)
	// Stays reports whether a task goes on although the context of its call has ended for this cause.
	// Else the server is asked to cancel it.
	Stays func(cause error) bool
	// Waits says that a call waits for its task until back is called, which takes no work meanwhile. The task is next asked for
	// at due, and the time of the call is over at until. The context of the call may end then, with a cause for which the task
	// stays. nil: it makes no difference.
	Waits func(due, until time.Time) (back func())
	// Left is what is left of the time of a call whose task is taken up; 0 or less of one whose time is over.
	Left time.Duration
}

type tasksKey struct{}

// WithTasks returns the context of a call that may be answered with a task.
func WithTasks(ctx context.Context, t Tasks) context.Context {
	return context.WithValue(ctx, tasksKey{}, t)
}

// TaskBegun reports that the call with this context was answered with a task.
func TaskBegun(ctx context.Context, id string) {
	if t, ok := ctx.Value(tasksKey{}).(Tasks); ok {
		t.Begun(id)
	}
}

// TaskStays reports whether the task of the call with this context goes on after the context has ended.
func TaskStays(ctx context.Context) bool {
	t, ok := ctx.Value(tasksKey{}).(Tasks)
	return ok && t.Stays(context.Cause(ctx))
}

// TaskWaits says that the call with this context waits for its task, see Tasks.
func TaskWaits(ctx context.Context, due, until time.Time) (back func()) {
	if t, ok := ctx.Value(tasksKey{}).(Tasks); ok && t.Waits != nil {
		return t.Waits(due, until)
	}
	return func() {}
}

// TaskLeft returns what is left of the time of the call with this context, whose task is taken up.
func TaskLeft(ctx context.Context, whole time.Duration) time.Duration {
	if t, ok := ctx.Value(tasksKey{}).(Tasks); ok && t.Stays != nil {
		return t.Left
	}
	return whole
}
