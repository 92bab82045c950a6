package temporal

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"toolgraph/execution"
	"toolgraph/internal/cli"
)

// workerFlags are the flags of the command worker.
type workerFlags struct {
	connection connection
	queues     queues
	hosting    *cli.Hosting
	files      []string
	dir        string
	runs       int
	silence    time.Duration
}

const (
	defaultRuns    = 100
	defaultSilence = 5 * time.Second
	// beats is how often a run says that it is alive before it is taken for dead.
	beats = 10
	// pollers is how many requests for runs of each graph wait at the server, which pays for each of them.
	pollers = 2
	// workflowPollers is the same for the tasks of workflows.
	workflowPollers = 8
	// finishTime is how long a run may take to end once its calls have.
	finishTime = 2 * time.Second
)

// aroundJournal is around the journal of the runs of a worker; nil but in tests.
var aroundJournal func(execution.Journal) execution.Journal

func newWorker(p cli.Parts) *cobra.Command {
	f := &workerFlags{}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Make the runs that are started by serve or by a schedule",
		Long: `Take runs from Temporal and make them. A worker takes the runs of the graphs that it has, in
exactly the version that it has: the runs of a graph have a task queue of their own, which is
named after its hash. So runs that were started before a graph changed are continued only by workers that have
the earlier file; leave it in the directory of --graph-dir until they have ended.

Any number of workers can have the same graphs. All of them, and serve, need the same --state:
there a worker finds what a run has done when it continues the run of another one that died,
which happens once that one was silent for --silence. Steps that have finished are not
repeated, and calls in flight are treated as by "toolgraph resume": repeated where that is
safe, else the run fails with the code outcome-unknown.

A worker that is stopped with SIGTERM gives its runs back: a call in flight gets --grace to
finish, then another worker continues the run at once.`,
		Example: `  toolgraph-temporal worker -g graph.yaml --state postgres://toolgraph@db/toolgraph
  toolgraph-temporal worker --graph-dir /etc/toolgraph/graphs --address temporal:7233`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("worker takes no arguments, got %q; name a graph file with -g", args[0])
			}
			return f.run(cmd.Context(), p)
		},
	}
	cmd.Flags().StringSliceVarP(&f.files, "graph", "g", nil, "graph `file`; may be repeated")
	cmd.Flags().StringVar(&f.dir, "graph-dir", "", "`directory` of graph files: all that end in .yaml or .yml, also several versions of one graph")
	cmd.Flags().IntVar(&f.runs, "max-runs", defaultRuns, "runs of one graph that are made at the same time")
	cmd.Flags().DurationVar(&f.silence, "silence", defaultSilence, "time after which another worker continues the runs of one that is not heard of; a cancellation arrives within a tenth of it")
	f.connection.register(cmd)
	f.queues.register(cmd)
	f.hosting = p.Hosting(cmd)
	f.hosting.Around(aroundJournal)
	return cmd
}

func (f *workerFlags) run(ctx context.Context, p cli.Parts) error {
	files, err := f.all()
	if err != nil {
		return err
	}
	host, err := f.hosting.Open(ctx, files)
	if err != nil {
		return err
	}
	defer host.Close()
	f.connection.worker = true
	c, err := f.connection.dial(ctx, host.Log())
	if err != nil {
		return err
	}
	defer c.Close()
	w, err := startWorkers(c, host, slices.Collect(maps.Keys(host.Tools())), workerOptions{queues: f.queues, silence: f.silence, grace: host.Grace(), runs: f.runs})
	if err != nil {
		return err
	}
	p.Printf("toolgraph-temporal: making runs of %s (Ctrl-C ends)", toolsText(host.Tools()))
	select {
	case <-ctx.Done():
	case err = <-w.failed:
	}
	host.Log().Info("stopping: runs are given back after the call in flight")
	w.stop()
	return err
}

// all returns the graph files of the flags.
func (f *workerFlags) all() ([]string, error) {
	switch {
	case f.dir == "" && len(f.files) == 0:
		return nil, cli.Usagef("worker requires a graph file or a directory of them: -g FILE or --graph-dir DIR")
	case f.runs < 1:
		return nil, cli.Usagef("--max-runs is %d, expected 1 or more", f.runs)
	case f.silence < time.Second:
		return nil, cli.Usagef("--silence is %v, expected 1s or more", f.silence)
	case f.dir == "":
		return f.files, nil
	}
	found, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	files := slices.Clone(f.files)
	for _, entry := range found {
		if ext := filepath.Ext(entry.Name()); (ext == ".yaml" || ext == ".yml") && !entry.IsDir() {
			files = append(files, filepath.Join(f.dir, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, cli.Usagef("--graph-dir %s has no file that ends in .yaml or .yml", f.dir)
	}
	return files, nil
}

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
