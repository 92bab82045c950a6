package temporal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"toolgraph/execution"
	"toolgraph/internal/base/wording"
)

// Names that Temporal knows. They are part of what is stored: workflows that are open when a new
// version of this program starts have them.
const (
	WorkflowPrefix = "toolgraph."      // the name of the tool follows: it is the type of the workflow
	ActivityName   = "toolgraph.make"  // makes a run
	CloseName      = "toolgraph.close" // a local activity that ends the recorded run of a workflow that is cancelled
	AnswerSignal   = "answer"          // a question has an answer
	ProgressQuery  = "progress"        // returns a Progress
)

// format is that of workflows that start now. Those that are older have another: their commands stay as they were, so that
// what has happened in them can be repeated.
const format = 1

// queues are the task queues of an installation: one for all workflows, whose name is the prefix, and one for the runs
// of each graph.
type queues struct{ prefix string }

func (q *queues) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.prefix, "queue", "toolgraph", "`name` of the task queue of the workflows, and prefix of those of the graphs; installations that share a namespace and not the --state need different ones")
}

// hashShown is how many hex digits of a graph's hash the name of its task queue has.
const hashShown = 16

// of returns the task queue of a graph, by its hash: only workers that have this graph, in this version,
// take runs from it.
func (q *queues) of(hash string) string { return q.prefix + "-" + hash[:min(hashShown, len(hash))] }

// Input starts a run. The id of the workflow is that of the run.
type Input struct {
	Format  int             `json:"format,omitempty"`
	Tool    string          `json:"tool"`
	Graph   string          `json:"graph"`             // hash
	Args    json.RawMessage `json:"args,omitempty"`    // absent: the run has begun, and the store has its arguments
	Subject string          `json:"subject,omitempty"` // of the client's access token, for the audit log

	Answer *Answer `json:"answer,omitempty"` // of a run that was continued as a new execution
	End    bool    `json:"end,omitempty"`    // format 0: the run was cancelled and is to be recorded as that
}

// Outcome is how a run has ended; its result is in the store.
type Outcome struct {
	Status string `json:"status"` // of journal.Statuses: finished, error or cancelled

	Code    execution.Code `json:"code,omitempty"` // of a run that failed
	Message string         `json:"message,omitempty"`
	Lacks   string         `json:"lacks,omitempty"` // see execution.Failure

	Asked *Asked `json:"asked,omitempty"` // the run waits for an answer
}

// Asked identifies an open question of a run.
type Asked struct {
	At     execution.Address `json:"at"`
	Digest string            `json:"digest"`
	Until  time.Time         `json:"until"` // when the time for the answer is over
}

// Answer says that there is an answer to a question: it is in the store, or the time for it is over.
type Answer struct {
	At       execution.Address `json:"at"`
	Digest   string            `json:"digest"`
	TimedOut bool              `json:"timedOut,omitempty"`
}

// answers reports whether an answer belongs to a question.
func (a *Answer) answers(q *Asked) bool { return a.At == q.At && a.Digest == q.Digest }

const (
	// makeTimeout bounds one attempt, which may be alive for as long: the run has limits of its own.
	makeTimeout = 365 * 24 * time.Hour
	// soon is how long a run waits that a worker has given back.
	soon = 10 * time.Millisecond
	// closeTime is how long one attempt to end a recorded run may take.
	closeTime = 40 * time.Second
)

// workflows are the workflows of a worker.
type workflows struct {
	heartbeat time.Duration // how long a worker may be silent before another one takes its runs
	look      func(run string) (Progress, error)
}

// named is the workflow of any type: that of a run for each type that begins with the prefix.
func (w workflows) named(ctx workflow.Context, args converter.EncodedValues) (out Outcome, err error) {
	if name := workflow.GetInfo(ctx).WorkflowType.Name; !ofRun(name) {
		return out, failed(fmt.Sprintf("the type of a workflow is %s, expected %s and the name of a tool; start runs with serve or a schedule", wording.Quote(name), WorkflowPrefix))
	}
	var in Input
	if err := args.Get(&in); err != nil {
		return out, failed(err.Error())
	}
	return w.run(ctx, in)
}

// ofRun reports whether a type of workflows is that of runs.
func ofRun(name string) bool { return strings.HasPrefix(name, WorkflowPrefix) }

// run is the workflow of a run: its activity, and between its attempts the wait for answers.
func (w workflows) run(ctx workflow.Context, in Input) (Outcome, error) {
	var waits *Asked
	err := workflow.SetQueryHandler(ctx, ProgressQuery, func() (Progress, error) {
		return w.progress(workflow.GetInfo(ctx).WorkflowExecution.ID, waits)
	})
	if err != nil {
		return Outcome{}, err
	}
	answers := workflow.GetSignalChannel(ctx, AnswerSignal)
	for {
		out, err := w.make(ctx, in)
		switch {
		case err != nil && ctx.Err() != nil && in.Format > 0:
			return out, w.close(ctx)
		case err != nil && ctx.Err() != nil: // it was cancelled, and no worker has said how it ended
			in.Args, in.End = nil, true
			ended, _ := workflow.NewDisconnectedContext(ctx)
			if out, err = w.make(ended, in); err != nil {
				return out, err
			}
			return out, sdk.NewCanceledError()
		case err != nil:
			return out, err
		case out.Asked == nil:
			return out, ending(out)
		}
		waits = out.Asked
		in.Args, in.Answer = nil, answer(ctx, answers, out.Asked)
		waits = nil
		if ctx.Err() == nil && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return out, workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, in)
		}
	}
}

// ending returns the error of a workflow whose run has failed.
func ending(out Outcome) error {
	switch {
	case out.Code == execution.CodeCancelled:
		return sdk.NewCanceledError()
	case out.Code != "":
		how := sdk.ApplicationErrorOptions{NonRetryable: true, Category: sdk.ApplicationErrorCategoryBenign}
		if out.Lacks != "" {
			how.Details = []any{failureDetails{out.Lacks}}
		}
		return sdk.NewApplicationErrorWithOptions(out.Message, string(out.Code), how)
	}
	return nil
}

// failureDetails is what the error of a workflow says of the failure of its run, beside its code and message.
type failureDetails struct {
	Lacks string `json:"lacks,omitempty"` // see execution.Failure
}

// lackingError is the error of a workflow whose run failed for want of a capability of its client.
type lackingError struct {
	error
	capability string
}

func (e *lackingError) Unwrap() error { return e.error }

// MissingCapability returns the capability that the client has not declared.
func (e *lackingError) MissingCapability() string { return e.capability }

// lacking returns the error of a workflow with the capability for want of which its run failed, if that is the
// reason.
func lacking(err error) error {
	var failed *sdk.ApplicationError
	var details failureDetails
	if errors.As(err, &failed) && failed.HasDetails() && failed.Details(&details) == nil && details.Lacks != "" {
		return &lackingError{err, details.Lacks}
	}
	return err
}

// make executes the activity of a run.
func (w workflows) make(ctx workflow.Context, in Input) (out Outcome, err error) {
	all := queues{prefix: workflow.GetInfo(ctx).TaskQueueName}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           all.of(in.Graph),
		StartToCloseTimeout: makeTimeout, HeartbeatTimeout: w.heartbeat, WaitForCancellation: true,
		RetryPolicy: &sdk.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
	})
	err = workflow.ExecuteActivity(ctx, ActivityName, in).Get(ctx, &out)
	return out, err
}

// close ends the recorded run of a workflow that is cancelled, which needs no graph, and returns the error of the workflow.
func (w workflows) close(ctx workflow.Context) error {
	free, _ := workflow.NewDisconnectedContext(ctx)
	free = workflow.WithLocalActivityOptions(free, workflow.LocalActivityOptions{
		StartToCloseTimeout: closeTime,
		RetryPolicy:         &sdk.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	if err := workflow.ExecuteLocalActivity(free, CloseName).Get(free, nil); err != nil {
		return err
	}
	return sdk.NewCanceledError()
}

// answer waits for an answer, or until the time for a question is over; nil when the run is cancelled. It may be that to a question of
// another part: the next attempt finds it in the store, or asks again.
func answer(ctx workflow.Context, answers workflow.ReceiveChannel, q *Asked) *Answer {
	late := &Answer{At: q.At, Digest: q.Digest, TimedOut: true}
	for {
		left := q.Until.Sub(workflow.Now(ctx))
		if left <= 0 {
			return late
		}
		come, err := workflow.AwaitWithTimeout(ctx, left, func() bool { return answers.Len() > 0 })
		if err != nil {
			return nil
		}
		var a Answer
		if come && answers.ReceiveAsync(&a) { // one that cannot be read is not received
			return &a
		}
	}
}

// permanent is the type of errors that are not retried.
const permanent = "toolgraph.permanent"

// isPermanent reports whether a workflow has ended without its run having an end.
func isPermanent(err error) bool {
	var failed *sdk.ApplicationError
	return errors.As(err, &failed) && failed.Type() == permanent
}
