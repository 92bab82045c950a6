package temporal

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"toolgraph/execution/journal"
)

const (
	// beats is how often a run says that it is alive before it is taken for dead.
	beats = 10
	// mostPollers is how many requests for runs wait at the server, which pays for each of them, and limits those of all
	// workers of a namespace together. More graphs have one each.
	mostPollers = 64
	// pollers is how many of them are for one graph, at most.
	pollers = 2
	// workflowPollers is how many requests for tasks of workflows wait.
	workflowPollers = 8
	// flowTasks is how many tasks of workflows, and their local activities, are made at a time.
	flowTasks = 100
	// finishTime is how long a run may take to end once its calls have.
	finishTime = 2 * time.Second
)

// pollersOf returns how many requests for the runs of each of some graphs wait at the server.
func pollersOf(graphs int) int { return max(1, min(pollers, mostPollers/max(1, graphs))) }

// workerOptions are the options of all workers of a process.
type workerOptions struct {
	queues  queues
	silence time.Duration
	grace   time.Duration
	runs    int           // of all graphs together
	sweep   time.Duration // see sweepEvery
	store   *journal.Store
	log     *slog.Logger
}

// workers are the workers of a process: one of the workflows, and one of the runs of each graph.
type workers struct {
	all      []worker.Worker
	failed   chan error // gets the first error that ends a worker
	stopping context.CancelFunc
	sweeping sync.WaitGroup
}

// startWorkers starts the workers of graphs, which are given by their hashes.
func startWorkers(c client.Client, m maker, graphs []string, o workerOptions) (*workers, error) {
	w := &workers{failed: make(chan error, 1), stopping: func() {}}
	worker.SetStickyWorkflowCacheSize(0) // histories are short, and so no workflow waits for the worker that died with it
	asked := temporalServer{c}
	acts := &activities{maker: m, overseer: asked, store: o.store, seats: newSeats(o.runs), beat: o.silence / beats, grace: o.grace}
	if err := w.make(c, acts, graphs, workflows{heartbeat: o.silence, look: lookIn(o.store)}, o); err != nil {
		return nil, err
	}
	for i, one := range w.all {
		if err := one.Start(); err != nil {
			w.all = w.all[:i]
			w.stop()
			return nil, err
		}
	}
	var ctx context.Context
	ctx, w.stopping = context.WithCancel(context.Background())
	s := &sweeper{server: asked, store: o.store, queue: o.queues.prefix, log: o.log, every: o.sweep}
	w.sweeping.Go(func() { s.sweep(ctx) })
	return w, nil
}

// make makes the workers.
func (w *workers) make(c client.Client, acts *activities, graphs []string, flows workflows, o workerOptions) error {
	failed := func(err error) {
		select {
		case w.failed <- err:
		default:
		}
	}
	fixed, err := worker.NewFixedSizeSlotSupplier(flowTasks)
	if err != nil {
		return err
	}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{
		ActivitySlotSupplier: acts.seats, WorkflowSlotSupplier: fixed, LocalActivitySlotSupplier: fixed, NexusSlotSupplier: fixed, SessionActivitySlotSupplier: fixed,
	})
	if err != nil {
		return err
	}
	each := worker.NewPollerBehaviorSimpleMaximum(worker.PollerBehaviorSimpleMaximumOptions{MaximumNumberOfPollers: pollersOf(len(graphs))})
	for _, hash := range graphs {
		runs := worker.New(c, o.queues.of(hash), worker.Options{
			DisableWorkflowWorker: true, ActivityTaskPollerBehavior: each, Tuner: tuner,
			WorkerStopTimeout: o.grace + finishTime, OnFatalError: failed,
		})
		runs.RegisterActivityWithOptions(acts.run, activity.RegisterOptions{Name: ActivityName})
		w.all = append(w.all, runs)
	}
	all := worker.New(c, o.queues.prefix, worker.Options{
		LocalActivityWorkerOnly: true, MaxConcurrentWorkflowTaskPollers: workflowPollers,
		MaxConcurrentWorkflowTaskExecutionSize: flowTasks, MaxConcurrentLocalActivityExecutionSize: flowTasks, OnFatalError: failed,
	})
	all.RegisterDynamicWorkflow(flows.named, workflow.DynamicRegisterOptions{})
	all.RegisterActivityWithOptions(acts.close, activity.RegisterOptions{Name: CloseName})
	w.all = append(w.all, all)
	return nil
}

// stop gives all runs back and returns when they have ended.
func (w *workers) stop() {
	w.stopping()
	var ending sync.WaitGroup
	for _, one := range w.all {
		ending.Go(one.Stop)
	}
	ending.Wait()
	w.sweeping.Wait()
}
