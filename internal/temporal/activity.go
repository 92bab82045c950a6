package temporal

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/runtime"
)

// maker makes runs. runtime.Host is one.
type maker interface {
	Make(ctx context.Context, o runtime.Order) (*execution.Result, error)
	Answer(ctx context.Context, run string, q execution.Question) (execution.Answer, error)
	Text(graph string, err error) string
}

// activities are the activities of a worker.
type activities struct {
	maker
	overseer
	seats *seats
	store *journal.Store
	beat  time.Duration // how often it says that a run is alive
	grace time.Duration // of calls in flight when the worker is stopped
}

// overseer is what the activities ask a Temporal server. A temporalServer is one.
type overseer interface {
	// Say says that a run is alive, and how far it is. The error may be that it is cancelled, or not the work of this
	// worker any more.
	Say(ctx context.Context, task []byte, now Progress) error
	// Ended returns why the workflow of a run was ended from outside; empty while it goes on, and when it has ended by itself.
	Ended(ctx context.Context, run string) (why string, err error)
}

// run makes a run, or resumes it where another attempt stopped.
func (a *activities) run(ctx context.Context, in Input) (Outcome, error) {
	if !a.seats.take() {
		return Outcome{}, givenBack("the worker makes as many runs as it may", nil, busy)
	}
	defer a.seats.leave()
	watched := &watched{}
	o := runtime.Order{
		Run: activity.GetInfo(ctx).WorkflowExecution.ID, Graph: in.Graph, Subject: in.Subject, End: in.End, Observer: watched,
	}
	if in.Args != nil {
		args, err := value.Decode(in.Args)
		if err != nil {
			return Outcome{}, failed(err.Error())
		}
		o.Args = args
	}
	stop := make(chan struct{})
	halt := sync.OnceFunc(func() { close(stop) })
	user := &user{answer: in.Answer, halt: halt, stored: func(ctx context.Context, q execution.Question) (execution.Answer, error) {
		return a.Answer(ctx, o.Run, q)
	}}
	o.User, o.Stop = user, stop
	run, release := a.alive(ctx, watched, halt)
	defer release()
	_, err := a.Make(run, o)
	return a.outcome(in.Graph, user, err)
}

// outcome says how an attempt has ended.
func (a *activities) outcome(graph string, user *user, err error) (Outcome, error) {
	var step *execution.StepError
	var never *runtime.PermanentError
	isSuspended := errors.Is(err, execution.ErrSuspended)
	switch asked := user.open(); {
	case err == nil:
		return Outcome{Status: string(journal.Finished)}, nil
	case isSuspended && asked != nil:
		return Outcome{Asked: asked}, nil
	case isSuspended:
		return Outcome{}, givenBack("the worker stops, and another one continues the run", errors.New(a.Text(graph, err)), soon)
	case errors.As(err, &never):
		return Outcome{}, failed(a.Text(graph, err))
	case !errors.As(err, &step):
		return Outcome{}, err // of the store: tried again
	}
	out := Outcome{Status: string(journal.Failed), Code: step.Code(), Message: a.Text(graph, err)}
	var lacks interface{ MissingCapability() string }
	if errors.As(err, &lacks) {
		out.Lacks = lacks.MissingCapability()
	}
	if out.Code == execution.CodeCancelled {
		out.Status = string(journal.Cancelled)
	}
	return out, nil
}

// givenBack returns the error of an attempt that another worker, or this one, continues after a pause.
func givenBack(message string, cause error, pause time.Duration) error {
	return sdk.NewApplicationErrorWithOptions(message, "toolgraph.given-back",
		sdk.ApplicationErrorOptions{NextRetryDelay: pause, Category: sdk.ApplicationErrorCategoryBenign, Cause: cause})
}

// close ends the recorded run of a workflow that is cancelled. It needs no graph.
func (a *activities) close(ctx context.Context) error {
	return runtime.CancelRecorded(ctx, a.store, activity.GetInfo(ctx).WorkflowExecution.ID, "its workflow was cancelled, and no worker has ended it")
}

// failed returns an error after which a run is not tried again.
func failed(text string) error {
	return sdk.NewNonRetryableApplicationError(text, permanent, nil)
}

// alive says every beat that a run is alive, until release, and returns the context of the run, which
// ends when that is cancelled. A run whose worker stops, or that Temporal does not know as the work of this worker
// any more, ends before its next node (halt), and the next attempt waits for that. Only when the worker stops is a
// call suspended that takes longer than the grace. A run that cannot say that it is alive continues: the store lets
// no other worker have it meanwhile.
func (a *activities) alive(ctx context.Context, watched *watched, halt func()) (run context.Context, release func()) {
	run, end := context.WithCancelCause(context.WithoutCancel(ctx))
	info, beat := activity.GetInfo(ctx), a.beat
	if info.HeartbeatTimeout > 0 {
		beat = min(beat, info.HeartbeatTimeout/beats) // the worker that has started this attempt may be less patient
	}
	var watching sync.WaitGroup
	watching.Go(func() {
		if why := a.beats(run, &info, watched, beat); why != nil {
			end(why)
			return
		}
		halt()
	})
	watching.Go(func() {
		select {
		case <-activity.GetWorkerStopChannel(ctx):
			halt()
		case <-run.Done():
			return
		}
		select {
		case <-time.After(a.grace):
			end(execution.ErrSuspended)
		case <-run.Done():
		}
	})
	return run, func() {
		end(nil)
		watching.Wait()
	}
}

// beatTime is how long it may take to say that a run is alive.
const beatTime = time.Second

// beats says every beat that a run is alive, until ctx ends, the run is cancelled, which it returns as an error, its workflow was
// ended from outside, the same, or it is not the work of this worker any more. It does not use activity.RecordHeartbeat: that one hears of nothing after the server
// was away once.
func (a *activities) beats(ctx context.Context, info *activity.Info, watched *watched, beat time.Duration) (cancelled error) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
		if ended, why := a.beatOnce(ctx, info, watched, max(beat, beatTime)); ended {
			return why
		}
	}
}

// beatOnce says that a run is alive. isOver: it is not the work of this worker any more; with an error it is cancelled.
func (a *activities) beatOnce(ctx context.Context, info *activity.Info, watched *watched, most time.Duration) (isOver bool, cancelled error) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	err := a.Say(ctx, info.TaskToken, watched.now())
	var unknown *serviceerror.NotFound
	switch {
	case sdk.IsCanceledError(err):
		return true, context.Canceled
	case errors.Is(err, activity.ErrActivityPaused), errors.Is(err, activity.ErrActivityReset):
		return true, nil
	case !errors.As(err, &unknown):
		return false, nil
	}
	switch why, err := a.Ended(ctx, info.WorkflowExecution.ID); {
	case err != nil:
		return false, nil // it is asked again at the next beat
	case why != "":
		return true, &execution.CancelledError{Why: why}
	}
	return true, nil
}
