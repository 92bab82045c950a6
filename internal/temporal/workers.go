package temporal

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const (
	// beats is how often a run says that it is alive before it is taken for dead.
	beats = 10
	// pollers is how many requests for runs of each graph wait at the server, which pays for each of them.
	pollers = 2
	// workflowPollers is the same for the tasks of workflows.
	workflowPollers = 8
	// finishTime is how long a run may take to end once its calls have.
	finishTime = 2 * time.Second
)

// workerOptions are the options of all workers of a process.
type workerOptions struct {
	queues  queues
	silence time.Duration
	grace   time.Duration
	runs    int
}

// workers are the workers of a process: one of the workflows, and one of the runs of each graph.
type workers struct {
	all    []worker.Worker
	failed chan error // gets the first error that ends a worker
}

// startWorkers starts the workers of graphs, which are given by their hashes.
func startWorkers(c client.Client, m maker, graphs []string, o workerOptions) (*workers, error) {
	w := &workers{failed: make(chan error, 1)}
	worker.SetStickyWorkflowCacheSize(0) // histories are short, and so no workflow waits for the worker that died with it
	flows := workflows{heartbeat: o.silence}
	acts := &activities{
		maker: m, beat: o.silence / beats, grace: o.grace,
		say: func(ctx context.Context, task []byte) error { return c.RecordActivityHeartbeat(ctx, task) },
	}
	failed := func(err error) {
		select {
		case w.failed <- err:
		default:
		}
	}
	for _, hash := range graphs {
		runs := worker.New(c, o.queues.of(hash), worker.Options{
			DisableWorkflowWorker: true, MaxConcurrentActivityTaskPollers: pollers,
			MaxConcurrentActivityExecutionSize: o.runs, WorkerStopTimeout: o.grace + finishTime, OnFatalError: failed,
		})
		runs.RegisterActivityWithOptions(acts.run, activity.RegisterOptions{Name: ActivityName})
		w.all = append(w.all, runs)
	}
	all := worker.New(c, o.queues.prefix, worker.Options{
		LocalActivityWorkerOnly: true, MaxConcurrentWorkflowTaskPollers: workflowPollers, OnFatalError: failed,
	})
	all.RegisterWorkflowWithOptions(flows.run, workflow.RegisterOptions{Name: WorkflowName})
	w.all = append(w.all, all)
	for i, one := range w.all {
		if err := one.Start(); err != nil {
			w.all = w.all[:i]
			w.stop()
			return nil, err
		}
	}
	return w, nil
}

// stop gives all runs back and returns when they have ended.
func (w *workers) stop() {
	var ending sync.WaitGroup
	for _, one := range w.all {
		ending.Go(one.Stop)
	}
	ending.Wait()
}
