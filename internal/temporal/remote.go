package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"

	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/runtime"
)

// remote makes runs on Temporal.
type remote struct {
	client client.Client
	queues queues
	log    *slog.Logger

	mu     sync.Mutex      // guards warned
	warned map[string]bool // task queues without a worker that were reported
}

const (
	// largestArgs is how many bytes of arguments travel with the start of a workflow; more are
	// recorded first.
	largestArgs = 64 << 10
	// taskTime is how long a worker may take for a task of a workflow, which takes it milliseconds,
	// before another one gets it.
	taskTime = 2 * time.Second
	// lookAfter is how long a run may wait for a worker before its absence is reported.
	lookAfter = 5 * time.Second
	// askAgain is the pause before the server is asked again for the end of a run.
	askAgain = time.Second
	// startTime is how long it may take to start a run.
	startTime = 30 * time.Second
	// cancelTime is how long a cancellation may take to reach Temporal.
	cancelTime = 10 * time.Second
)

// Run starts the workflow of a run, or joins it, and waits for its end.
func (r *remote) Run(ctx context.Context, run runtime.Remote) error {
	in := Input{Format: format, Tool: run.Tool, Graph: run.Graph, Subject: run.Subject}
	args, err := value.Encode(run.Args)
	if err != nil {
		return err
	}
	if in.Args = args; len(args) > largestArgs {
		if err := run.Record(ctx); err != nil {
			return err
		}
		in.Args = nil
	}
	started, err := r.start(ctx, run.ID, run.Keyed, in)
	if err == nil {
		defer time.AfterFunc(lookAfter, func() { r.lookForWorkers(ctx, r.queues.of(run.Graph), run.Tool) }).Stop()
		err = r.terminated(ctx, run.ID, lacking(r.wait(ctx, started)))
	}
	if ctx.Err() == nil {
		return err
	}
	if errors.Is(context.Cause(ctx), execution.ErrSuspended) {
		return fmt.Errorf("%w: the run continues on Temporal as workflow %s", execution.ErrSuspended, run.ID)
	}
	return r.cancel(ctx, run.ID)
}

// start starts the workflow of a run, or joins it. A server that does not answer may have started it, so it is asked
// again; after that the workflow is cancelled as far as that is possible, because its client gets an error. That of a
// call with a key is left: an earlier call may have started it, and a later one joins it.
func (r *remote) start(ctx context.Context, id string, keyed bool, in Input) (client.WorkflowRun, error) {
	for begun := time.Now(); ; {
		started, err := r.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: id, TaskQueue: r.queues.prefix, Memo: map[string]any{"tool": in.Tool}, WorkflowTaskTimeout: taskTime,
			WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, // one that exists is waited for
		}, WorkflowPrefix+in.Tool, in)
		code := serviceerror.ToStatus(err).Code()
		isSilent := code == codes.DeadlineExceeded || code == codes.Unavailable || code == codes.ResourceExhausted
		switch {
		case err == nil || ctx.Err() != nil:
			return started, err
		case isSilent && time.Since(begun) < startTime:
			r.log.Warn("Temporal does not answer to the start of a run; asking again", "run", id, "error", err)
			r.pause(ctx)
			continue
		case isSilent:
			if !keyed {
				_ = r.cancel(ctx, id)
			}
			return nil, fmt.Errorf("the Temporal server does not answer, so the run is not started (%w); call again when the server is back", err)
		}
		return nil, fmt.Errorf("the run cannot be started on Temporal: %w", err)
	}
}

// terminated returns the error of a workflow; of one that was terminated, it has the reason.
func (r *remote) terminated(ctx context.Context, run string, err error) error {
	var terminated *sdk.TerminatedError
	if !errors.As(err, &terminated) {
		return err
	}
	why, unknown := temporalServer{r.client}.Ended(ctx, run)
	if unknown != nil || why == "" {
		return err
	}
	return &execution.CancelledError{Why: why}
}

func (r *remote) pause(ctx context.Context) {
	select {
	case <-time.After(askAgain):
	case <-ctx.Done():
	}
}

// wait waits for the end of a workflow, also while the server cannot be reached.
func (r *remote) wait(ctx context.Context, started client.WorkflowRun) error {
	for {
		err := started.Get(ctx, nil)
		var ended *sdk.WorkflowExecutionError
		var unknown *serviceerror.NotFound
		if err == nil || ctx.Err() != nil || errors.As(err, &ended) || errors.As(err, &unknown) {
			return err
		}
		r.log.Warn("Temporal cannot be asked for the end of a run; asking again", "run", started.GetID(), "error", err)
		r.pause(ctx)
	}
}

// cancel cancels the workflow of a run, without waiting for its end.
func (r *remote) cancel(ctx context.Context, id string) error {
	cause := context.Cause(ctx)
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	if err := r.Change(ctx, id, nil); err != nil {
		r.log.Warn("a run was not cancelled", "run", id, "error", err)
	}
	return cause
}

// lookForWorkers reports, once, that no worker has a graph.
func (r *remote) lookForWorkers(ctx context.Context, queue, tool string) {
	found, err := r.client.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
	if err != nil || len(found.GetPollers()) > 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.warned[queue] {
		r.warned[queue] = true
		r.log.Warn("runs wait, because no worker has this version of the graph; start one: toolgraph-temporal worker -g FILE", "tool", tool, "queue", queue)
	}
}

// Change signals to the workflow of a run that its question has an answer, or cancels it.
func (r *remote) Change(ctx context.Context, run string, answered *journal.Asked) (err error) {
	if answered == nil {
		err = r.client.CancelWorkflow(ctx, run, "")
	} else {
		err = r.client.SignalWorkflow(ctx, run, "", AnswerSignal, Answer{At: answered.Address, Digest: answered.Digest})
	}
	var over *serviceerror.NotFound
	if errors.As(err, &over) {
		return nil
	}
	return err
}

// Over returns why the workflow of a run has ended; nil while it goes on, or the server does not say.
func (r *remote) Over(ctx context.Context, run string) error {
	found, err := r.client.DescribeWorkflow(ctx, run, "")
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return fmt.Errorf("its workflow %s is not known; Temporal keeps those that have ended for the retention of the namespace", run)
	}
	if err != nil {
		return nil //nolint:nilerr // it may go on
	}
	if found.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	if err := r.client.GetWorkflow(ctx, run, "").Get(ctx, nil); err != nil {
		return r.terminated(ctx, run, err)
	}
	return errors.New("its workflow has completed; serve and workers need the same --state")
}
