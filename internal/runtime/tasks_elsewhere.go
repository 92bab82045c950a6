package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/internal/serving/server"
)

// The run of a task that is made elsewhere goes on there, whatever happens to the process that began it. So no process
// continues it for its client: answers are stored and the run is woken, cancellations are passed on, and what the run has come to is read
// from the store.

// begunTask returns when the run of a task is recorded. One that is made elsewhere, and that no worker has begun yet, is recorded as
// begun: its client need not wait for a worker.
func (l *Loaded) begunTask(ctx context.Context, id string) error {
	if l.elsewhere == nil {
		return l.History.Flush(ctx, id)
	}
	_, err := l.History.Exact(ctx, id)
	if record, is := l.unbegun.Load(id); is && errors.Is(err, journal.ErrNotFound) {
		err = record.(func(context.Context) error)(ctx)
		if errors.Is(err, execution.ErrTaken) { // a worker was faster
			_, err = l.History.Exact(ctx, id)
		}
	}
	return err
}

// lookElsewhere completes a task whose run is made elsewhere, and returns its questions without an answer. A run that is over there
// has ended, although its end is not recorded.
func (l *Loaded) lookElsewhere(ctx context.Context, run journal.Run, t *server.Task) (open []*journal.Asked, err error) {
	if t.State = stateElsewhere(run); run.HasEnded() {
		return nil, nil
	}
	if l.isOver(ctx, run) {
		t.Status, t.State = server.TaskCompleted, stateOver
		return nil, nil
	}
	if open, err = l.unanswered(ctx, run); err == nil && len(open) == 0 && t.Status == server.TaskAsks {
		t.Status = server.TaskWorking // the answer is on its way to a worker
	}
	return open, err
}

// isOver reports whether a run that no worker has is over.
func (l *Loaded) isOver(ctx context.Context, run journal.Run) bool {
	return run.Status == journal.Interrupted && l.elsewhere.Over(ctx, run.ID) != nil
}

// unanswered returns the open questions of a run for which no answer is stored.
func (l *Loaded) unanswered(ctx context.Context, run journal.Run) (open []*journal.Asked, err error) {
	for _, asked := range run.Open() {
		_, err := l.History.Attached(ctx, run.ID, markFor(asked))
		switch {
		case errors.Is(err, journal.ErrNotFound):
			open = append(open, asked)
		case err != nil:
			return nil, l.unavailable(err)
		}
	}
	return open, nil
}

// stateOver is the state of a task whose run is over without a recorded end.
const stateOver = "over"

// stateElsewhere is taskState for a run that workers have in turn: between two of them it goes on.
func stateElsewhere(r journal.Run) string {
	if r.Status == journal.Interrupted {
		r.Status = journal.Running
	}
	return taskState(r)
}

// lookAgain is how often a run is looked at that no worker has, since the store does not notice its end elsewhere.
const lookAgain = 10 * time.Second

// nextStateElsewhere waits until a task has another state than it had, or its run is over.
func (l *Loaded) nextStateElsewhere(ctx context.Context, id, state string) (journal.Run, error) {
	for {
		waiting, stop := context.WithTimeout(ctx, lookAgain)
		run, err := l.History.Wait(waiting, id, func(r journal.Run) bool { return stateElsewhere(r) != state })
		stop()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return run, err
		}
		if run, err = l.History.Exact(ctx, id); err != nil || l.isOver(ctx, run) {
			return run, err
		}
	}
}

// answerElsewhere stores answers to open questions of a run, all or none, and lets it go on. The request is acknowledged when the answers
// are stored. The first answer to a question counts.
func (l *Loaded) answerElsewhere(ctx context.Context, id string, answers map[string]json.RawMessage) error {
	run, err := l.History.Exact(ctx, id)
	if err != nil || run.HasEnded() {
		return err
	}
	open, err := l.unanswered(ctx, run)
	if err != nil {
		return err
	}
	given, err := l.checkedAnswers(ctx, run, open, answers)
	if err != nil {
		return err
	}
	for _, one := range given {
		if err := StoreAnswer(ctx, l.History, id, *one.asked, one.answer); err != nil {
			return err
		}
		if err := l.elsewhere.Change(ctx, id, one.asked); err != nil {
			return err
		}
	}
	return nil
}

// endElsewhere returns the end of a task whose run is made elsewhere.
func (l *Loaded) endElsewhere(ctx context.Context, id string) (*execution.Result, error) {
	run, err := l.History.Exact(ctx, id)
	if err != nil {
		return nil, l.unavailable(err)
	}
	if run.HasEnded() {
		return l.taskEnd(ctx, run)
	}
	if why := l.elsewhere.Over(ctx, id); why != nil {
		return nil, &server.LostError{Err: fmt.Errorf("run %s is over, and its end is not recorded: %w", id, why)}
	}
	return nil, &server.AgainError{Reason: "the run of the task goes on; look at it again"}
}
