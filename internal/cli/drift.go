package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/authoring/drift"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/runtime"
)

type driftFlags struct {
	program.Session
	format      string
	runs, calls int
	most        time.Duration
	verbose     bool
}

// The bounds of a comparison beside those of the flags.
const (
	driftBytes   = 64 << 20 // of answers
	driftReplays = 2000
	driftRuns    = 1000 // most of one tool
)

func newDrift(std program.Streams) *cobra.Command {
	flags := driftFlags{}
	cmd := &cobra.Command{
		Use:   "drift FILE",
		Short: "Show which tools would give something else, because upstream servers have changed",
		Long: `Compare what upstream servers answer now with what they answered in recorded runs of a graph
file and in the cassettes of its tests. Of each tool the newest successful runs are taken.

A call that only reads is really made, with the recorded arguments: where the file says effect:
read, the lock file says so, or a trusted server. When the answer differs it is made again, and
what differs between the two present answers (times, ids) does not count. Any other call is never
made; the definition of its tool is compared with what was recorded. Then each run is replayed
with the present answers: a change that reaches its result, its failure or its calls is drift,
and is printed with its step and field, beside the difference to the lock file.

The exit code is 1 when there is drift, a server cannot be reached, or nothing could be compared.
-v and --format json also list the differences that do not matter. docs/drift.md has the rules.`,
		Example: `  toolgraph drift graph.yaml
  toolgraph drift graph.yaml --runs 10 -v
  toolgraph drift graph.yaml --format github    in CI, with the cassettes of tests`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().IntVar(&flags.runs, "runs", 3, "how many recorded `runs` of each tool are compared; 0: only the cassettes of tests")
	cmd.Flags().IntVar(&flags.calls, "max-calls", 200, "make at most so many `calls`")
	cmd.Flags().DurationVar(&flags.most, "max-time", 5*time.Minute, "end the comparison after this `time`")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "also list differences that do not matter, and calls that were not made")
	program.ChoiceFlag(cmd, &flags.format, "format", "f", "output format", "text", "json", "github")
	program.JSONFlag(cmd, &flags.format)
	flags.Register(cmd, "error")
	flags.Vars.Register(cmd)
	flags.RegisterExec(cmd)
	flags.History.RegisterState(cmd.Flags())
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *driftFlags) run(ctx context.Context, std program.Streams) error {
	if f.runs < 0 || f.runs > driftRuns || f.calls < 0 || f.most <= 0 {
		return program.Usagef("--runs is %d, expected 0 to %d; --max-calls is %d, expected 0 or more; --max-time is %s, expected more than 0", f.runs, driftRuns, f.calls, f.most)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.most, fmt.Errorf("the comparison takes longer than %s; raise --max-time", f.most))
	defer cancel()
	p, err := f.Project(ctx)
	if err != nil {
		return err
	}
	o, err := f.Process(std)
	if err != nil {
		return err
	}
	l, err := runtime.Start(ctx, o, p)
	if err != nil {
		return err
	}
	defer l.Close()
	episodes, skipped, err := f.episodes(ctx, p)
	if err != nil {
		return err
	}
	asking := newListing(std.Err, l.File.Path, l.Pool)
	servers, err := driftServers(ctx, l, asking, episodes)
	asking.shown.clear()
	if err != nil {
		return err
	}
	c := drift.New(servers.Servers, drift.Limits{Calls: f.calls, Bytes: driftBytes, Replays: driftReplays})
	for _, e := range episodes {
		if err := c.Add(ctx, e); err != nil {
			return err
		}
	}
	report := c.Report()
	report.Skipped = append(report.Skipped, skipped...)
	report.Unreachable = append(report.Unreachable, servers.unreachable...)
	return f.print(std, report)
}

// upstreams are the servers of a file, and those that cannot be reached.
type upstreams struct {
	*drift.Servers
	unreachable []drift.Unreachable
}

// driftServers asks the servers that the episodes' graphs call for their tools.
func driftServers(ctx context.Context, l *runtime.Loaded, asking lock.Lister, episodes []drift.Episode) (*upstreams, error) {
	locked, err := lock.Load(lock.Path(l.File.Path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &upstreams{Servers: &drift.Servers{File: l.File, Lock: locked, Caller: l.Pool}}
	var graphs []*graph.Graph
	for _, e := range episodes {
		graphs = append(graphs, e.Graph)
	}
	called := lock.Called(graphs)
	asked := slices.DeleteFunc(slices.Clone(l.File.Servers), func(u *config.Upstream) bool { return len(called[u.Name.Value]) == 0 })
	s.Listed, err = lock.ListAll(ctx, asking, asked)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, u := range asked {
		if _, listed := s.Listed[u.Name.Value]; !listed {
			s.unreachable = append(s.unreachable, drift.Unreachable{Server: u.Name.Value, Why: l.File.Secrets.Redact(failureOf(err, u.Name.Value))})
		}
	}
	return s, nil
}

// failureOf returns the part of joined errors that is about a server.
func failureOf(err error, server string) string {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range joined.Unwrap() {
			if strings.Contains(one.Error(), `"`+server+`"`) {
				return one.Error()
			}
		}
	}
	return fmt.Sprint(err)
}

// episodes returns what is compared: the newest runs of each tool, and the cases of tests.
func (f *driftFlags) episodes(ctx context.Context, p *project.Project) (all []drift.Episode, skipped []drift.Skipped, err error) {
	if f.runs > 0 {
		err = f.History.Read(func(store *journal.Store) error {
			all, err = f.recordedRuns(ctx, store, p)
			return err
		})
	}
	if err != nil {
		return nil, nil, err
	}
	cases, err := f.testCases(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	all = append(all, cases...)
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s has no successful recorded run and no cassette, so there is nothing to compare; run its tools, or record tests with: toolgraph test --record", p.File.Path)
	}
	for _, g := range p.Graphs {
		name := g.Tool.Name.Value
		if !g.Tool.Hidden && !slices.ContainsFunc(all, func(e drift.Episode) bool { return e.Graph.Tool.Name.Value == name }) {
			skipped = append(skipped, drift.Skipped{Tool: name, Why: "it has no successful recorded run and no cassette"})
		}
	}
	return all, skipped, nil
}

// recordedRuns returns the newest successful runs of each tool.
func (f *driftFlags) recordedRuns(ctx context.Context, store *journal.Store, p *project.Project) (all []drift.Episode, err error) {
	path, err := filepath.Abs(p.File.Path)
	if err != nil {
		return nil, err
	}
	for _, g := range p.Graphs {
		runs, err := store.List(ctx, journal.Filter{File: path, Tool: g.Tool.Name.Value, Status: journal.Finished, Limit: f.runs})
		if err != nil {
			return nil, err
		}
		for _, run := range runs {
			if run.Damaged != "" {
				continue
			}
			events, err := store.Load(ctx, run.ID)
			if errors.Is(err, journal.ErrNotFound) {
				continue // it was deleted in the meantime
			}
			if err != nil {
				return nil, err
			}
			all = append(all, drift.Episode{Name: "run " + run.ID, Graph: g, Play: playRun(g, events)})
		}
	}
	return all, nil
}

// throughCaller passes what a recording answers through a function.
type throughCaller struct {
	recording *execution.Recording
	through   graphtest.Through
}

// CallTool answers a call.
func (t throughCaller) CallTool(ctx context.Context, c execution.Call) (value.Value, error) {
	v, err := t.recording.CallTool(ctx, c)
	return t.through(ctx, c, v, err)
}

// playRun returns how a recorded run is repeated; calls whose answers were cached are calls again.
func playRun(g *graph.Graph, events []execution.Event) func(context.Context, graphtest.Through) (value.Value, error) {
	return func(ctx context.Context, through graphtest.Through) (value.Value, error) {
		recording := execution.NewRecording(events, 0)
		engine := execution.New(throughCaller{recording, through}, playback(recording, g, events)...)
		result, err := engine.Run(ctx, g, events[0].Start.Args)
		if result == nil {
			return nil, err
		}
		return result.Value, err
	}
}

// testCases returns the cases of the file's tests that a cassette answers.
func (f *driftFlags) testCases(ctx context.Context, p *project.Project) (all []drift.Episode, err error) {
	path := strings.TrimSuffix(p.File.Path, filepath.Ext(p.File.Path)) + config.TestEnding
	suite, err := graphtest.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	replays, err := suite.Replays(ctx, graphtest.Options{
		ServersFile: f.Servers, Vars: f.Vars,
		Repeatable: func(p *project.Project) func(string, string, config.Effect) bool {
			return runtime.LockedBeliever(p).Repeatable(ctx)
		},
		Effects: func(p *project.Project) func(context.Context, string, string) config.Effect {
			return runtime.LockedBeliever(p).Effect
		},
	})
	if err != nil {
		return nil, err
	}
	for _, r := range replays {
		all = append(all, drift.Episode{Name: "test " + r.Case.Name, Graph: r.Graph, Play: r.Run, Fill: r.Fill, Empty: r.Empty})
	}
	return all, nil
}
