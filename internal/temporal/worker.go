package temporal

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
)

// workerFlags are the flags of the command worker.
type workerFlags struct {
	connection connection
	queues     queues
	hosting    *program.Hosting
	files      []string
	dir        string
	runs       int
	silence    time.Duration
}

const (
	defaultRuns    = 100
	defaultSilence = 5 * time.Second
)

// aroundJournal is around the journal of the runs of a worker; nil but in tests.
var aroundJournal func(execution.Journal) execution.Journal

func newWorker(std program.Streams) *cobra.Command {
	f := &workerFlags{}
	cmd := &cobra.Command{
		Use:   "worker [FILE|DIRECTORY …]",
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
		Example: `  toolgraph-temporal worker graph.yaml --state postgres://toolgraph@db/toolgraph
  toolgraph-temporal worker --graph-dir /etc/toolgraph/graphs --address temporal:7233`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringSliceVarP(&f.files, "graph", "g", nil, "graph `file`; may be repeated")
	cmd.Flags().StringVar(&f.dir, "graph-dir", "", "`directory` of graph files: all that end in .yaml or .yml, also several versions of one graph")
	cmd.Flags().IntVar(&f.runs, "max-runs", defaultRuns, "runs of all graphs that are made at the same time")
	cmd.Flags().DurationVar(&f.silence, "silence", defaultSilence, "time after which another worker continues the runs of one that is not heard of; a cancellation arrives within a tenth of it")
	f.connection.register(cmd)
	f.queues.register(cmd)
	f.hosting = program.NewHosting(cmd, std)
	f.hosting.Around(aroundJournal)
	return cmd
}

func (f *workerFlags) run(ctx context.Context, std program.Streams, paths []string) error {
	files, err := f.all(ctx, paths)
	if err == nil {
		err = f.hosting.Check()
	}
	if err != nil {
		return err
	}
	host, err := f.hosting.Open(ctx, files)
	if err != nil {
		return err
	}
	defer host.Close()
	f.connection.worker = true
	c, err := f.connection.dial(ctx, host.Log(), host.Session().Measures(measured))
	if err != nil {
		return err
	}
	defer c.Close()
	w, err := startWorkers(c, host, slices.Collect(maps.Keys(host.Tools())), workerOptions{queues: f.queues, silence: f.silence, grace: host.Grace(), runs: f.runs, sweep: sweepPause, store: host.Store(), log: host.Log()})
	if err != nil {
		return err
	}
	std.Printf("toolgraph-temporal: making runs of %s (Ctrl-C ends)", toolsText(host.Tools()))
	observed := make(chan error, 1)
	watching, unwatch := context.WithCancel(ctx)
	defer unwatch()
	go func() { observed <- f.hosting.Observe(watching, host) }()
	select {
	case <-ctx.Done():
	case err = <-w.failed:
	case err = <-observed:
	}
	host.Log().Info("stopping: runs are given back after the call in flight")
	w.stop()
	return err
}

// all returns the graph files of the arguments, as serve has them, and of the flags.
func (f *workerFlags) all(ctx context.Context, paths []string) ([]string, error) {
	named, err := project.Find(ctx, project.NotGraphs, paths...)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clone(f.files), named.Files...)
	switch {
	case f.dir == "" && len(files) == 0 && len(paths) == 0:
		return nil, program.Usagef("worker requires a graph file or a directory of them: FILE, -g FILE or --graph-dir DIR")
	case f.dir == "" && len(files) == 0:
		return nil, program.Usagef("%s has no graph file; a graph file ends in .yaml or .yml and has the keys version, server and tools", strings.Join(paths, ", "))
	case f.runs < 1:
		return nil, program.Usagef("--max-runs is %d, expected 1 or more", f.runs)
	case f.silence < time.Second:
		return nil, program.Usagef("--silence is %v, expected 1s or more", f.silence)
	case f.dir == "":
		return files, nil
	}
	found, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range found {
		if ext := filepath.Ext(entry.Name()); (ext == ".yaml" || ext == ".yml") && !entry.IsDir() {
			files = append(files, filepath.Join(f.dir, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, program.Usagef("--graph-dir %s has no file that ends in .yaml or .yml", f.dir)
	}
	return files, nil
}
