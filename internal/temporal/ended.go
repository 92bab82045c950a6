package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"toolgraph/execution/journal"
	"toolgraph/internal/runtime"
)

// temporalServer answers what the activities of a worker ask.
type temporalServer struct{ client client.Client }

// Say says that a run is alive.
func (s temporalServer) Say(ctx context.Context, task []byte, now Progress) error {
	return s.client.RecordActivityHeartbeat(ctx, task, now)
}

// Ended returns why a workflow was ended from outside: it was terminated, had a time limit, or was deleted. A workflow that was
// reset goes on.
func (s temporalServer) Ended(ctx context.Context, run string) (why string, err error) {
	found, err := s.client.DescribeWorkflow(ctx, run, "")
	var unknown *serviceerror.NotFound
	switch {
	case errors.As(err, &unknown):
		return "its workflow was deleted", nil
	case err != nil:
		return "", err
	}
	switch found.Status { // others go on, or have ended by themselves
	case enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return "its workflow has timed out", nil
	case enums.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		return s.terminated(ctx, run, found.WorkflowExecution.RunID)
	}
	return "", nil
}

// terminated returns who has terminated a workflow, and why.
func (s temporalServer) terminated(ctx context.Context, run, execution string) (why string, err error) {
	events := s.client.GetWorkflowHistory(ctx, run, execution, false, enums.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
	why = "its workflow was terminated"
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return "", err
		}
		if by := e.GetWorkflowExecutionTerminatedEventAttributes(); by != nil {
			if by.GetIdentity() != "" {
				why += " by " + by.GetIdentity()
			}
			if by.GetReason() != "" {
				why += ": " + by.GetReason()
			}
		}
	}
	return why, nil
}

const (
	// sweepEvery is about how often a worker looks for workflows that were ended from outside while no worker had their runs.
	sweepEvery = 30 * time.Second
	// sweepBack is how late such an end may be in Temporal's list of workflows.
	sweepBack = time.Minute
	// sweepPage is how many workflows are listed at a time.
	sweepPage = 200
)

// sweepPause is sweepEvery; tests change it.
var sweepPause = sweepEvery

// sweeper ends the recorded runs of workflows that were ended from outside. It lists these only, never the runs that wait.
type sweeper struct {
	server temporalServer
	store  *journal.Store
	queue  string // of the workflows
	log    *slog.Logger
	every  time.Duration

	since time.Time // those that have ended before are done
}

// sweep sweeps until ctx ends.
func (s *sweeper) sweep(ctx context.Context) {
	for {
		began := time.Now()
		left, err := s.once(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Warn("Temporal cannot be asked which workflows were terminated; asking again", "error", err)
		case left == 0:
			s.since = began.Add(-sweepBack)
		}
		select {
		case <-time.After(s.every/2 + rand.N(s.every)): //nolint:gosec // so that not all workers ask at the same time
		case <-ctx.Done():
			return
		}
	}
}

// once looks at all workflows that were ended, and returns how many runs could not be ended yet.
func (s *sweeper) once(ctx context.Context) (left int, err error) {
	query := fmt.Sprintf("TaskQueue = '%s' AND ExecutionStatus IN ('Terminated', 'TimedOut')", strings.ReplaceAll(s.queue, "'", "\\'"))
	if !s.since.IsZero() {
		query += fmt.Sprintf(" AND CloseTime > '%s'", s.since.UTC().Format(time.RFC3339))
	}
	for page := []byte(nil); ; {
		found, err := s.server.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: sweepPage, NextPageToken: page})
		if err != nil {
			return left, err
		}
		for _, w := range found.GetExecutions() {
			run := w.GetExecution().GetWorkflowId()
			if err := s.end(ctx, run); err != nil {
				left++
				s.log.Info("a run whose workflow was ended goes on; it is ended later", "run", run, "error", err)
			}
		}
		if page = found.GetNextPageToken(); len(page) == 0 {
			return left, nil
		}
	}
}

// end ends the recorded run of a workflow, unless it has ended or goes on.
func (s *sweeper) end(ctx context.Context, run string) error {
	recorded, err := s.store.Exact(ctx, run)
	switch {
	case errors.Is(err, journal.ErrNotFound), err == nil && recorded.HasEnded():
		return nil
	case err != nil:
		return err
	}
	why, err := s.server.Ended(ctx, run)
	if err != nil || why == "" {
		return err
	}
	s.log.Warn("a run is cancelled", "run", run, "why", why)
	return runtime.CancelRecorded(ctx, s.store, run, why)
}
