package cli

import (
	"context"
	"errors"
	"regexp"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/observe"
	"toolgraph/internal/project"
)

type testFlags struct {
	only, junit, format, servers, logLevel string
	update, coverage, record, live         bool
	watch, failFast, verbose               bool
}

func newTest(std streams) *cobra.Command {
	flags := testFlags{}
	cmd := &cobra.Command{
		Use:   "test [FILE|DIRECTORY …]",
		Short: "Run the tests of graphs, without starting any server",
		Long: `Run the tests of graphs: files X.test.yaml beside the graph files X.yaml. A directory
stands for every test file below it, a graph file for its tests; without arguments it is
the current directory.

No server is started. A call is answered by a mock of the test file, or by the cassette
X.cassette.json beside it, which --record writes; one that nothing answers fails its
test and says what was called. --live calls the servers, and records nothing.

A test with cases: runs once for each of them, as TEST/CASE. All mistakes of a file are
reported at once. The exit code is 1 when a test fails and 3 when a file has mistakes.`,
		Example: `  toolgraph test
  toolgraph test graph.test.yaml --run 'empty|missing' -v
  toolgraph test examples --record        record the answers of the servers once
  toolgraph test graphs --coverage --junit report.xml
  toolgraph test graph.yaml --update      take what comes as what is expected; read the diff
  toolgraph test graph.yaml --record --update    both, for new tests without expect`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.only, "run", "", "only the tests whose names this regular expression matches; a case of a test is called TEST/CASE")
	cmd.Flags().BoolVar(&flags.update, "update", false, "write the values and paths that come into the test files, in the place of what was expected")
	cmd.Flags().BoolVar(&flags.record, "record", false, "call the servers, and write what they answer into cassettes")
	cmd.Flags().BoolVar(&flags.live, "live", false, "call the servers, and use no cassette")
	cmd.Flags().BoolVar(&flags.coverage, "coverage", false, "tell which nodes, edges and conditions the tests reach")
	cmd.Flags().BoolVar(&flags.failFast, "fail-fast", false, "begin no further test after the first that fails")
	cmd.Flags().BoolVar(&flags.watch, "watch", false, "run again when a test, a graph or a cassette has changed")
	cmd.Flags().StringVarP(&flags.format, "format", "f", "text", "text or json")
	cmd.Flags().StringVar(&flags.junit, "junit", "", "write a JUnit report to this file as well")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "tell of tests that pass or are skipped, too")
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}, instead of the one that a test file names`)
	cmd.Flags().StringVar(&flags.logLevel, "log-level", "error", "of the servers that are called: debug, info, warn or error")
	return takesGraphs(cmd)
}

func (f *testFlags) run(ctx context.Context, std streams, paths []string) error {
	opts, err := f.options(ctx, std)
	if err != nil {
		return err
	}
	if f.watch {
		return f.again(ctx, std, paths, opts)
	}
	return f.once(ctx, std, paths, opts)
}

// options are those of the tests; the error is one of usage.
func (f *testFlags) options(ctx context.Context, std streams) (graphtest.Options, error) {
	opts := graphtest.Options{ServersFile: f.servers, FailFast: f.failFast, Connect: connectTests(newTerminal(ctx, std), std, f.logLevel)}
	switch {
	case f.format != "text" && f.format != "json":
		return opts, usagef("--format is %q, expected text or json", f.format)
	case f.record && f.live:
		return opts, usagef("--record and --live are given, expected one of them: --live records nothing")
	case f.watch && (f.record || f.update):
		return opts, usagef("--watch is given with --record or --update, which write what is watched; run them once without --watch")
	case f.record:
		opts.Mode = graphtest.Record
	case f.live:
		opts.Mode = graphtest.Live
	}
	if f.only != "" {
		only, err := regexp.Compile(f.only)
		if err != nil {
			return opts, usagef("--run is no regular expression: %w", err)
		}
		opts.Only = only
	}
	if _, err := observe.NewLogger(std.err, f.logLevel, "text", nil); err != nil {
		return opts, usageError{err}
	}
	return opts, nil
}

// connectTests reaches the servers of a graph file by a pool.
func connectTests(user *terminal, std streams, level string) graphtest.Connect {
	return func(p *project.Project) (execution.ToolCaller, func(), error) {
		log, err := observe.NewLogger(std.err, level, "text", p.File.Secrets)
		if err != nil {
			return nil, nil, err
		}
		pool := newPool(p, log, user.asks(p.File.Secrets))
		return execution.PoolCaller(pool), func() { closePool(pool, log) }, nil
	}
}

// once runs all tests once and tells how they went.
func (f *testFlags) once(ctx context.Context, std streams, paths []string, opts graphtest.Options) error {
	files, err := graphtest.Find(paths...)
	if err != nil {
		return err
	}
	outcome := &testOutcome{}
	tell := f.teller(std)
	for _, path := range files {
		report := f.file(ctx, path, opts)
		if err := writeText(std.err, mockFindings(ctx, report)); err != nil {
			return err
		}
		outcome.add(report)
		tell.file(report)
		if ctx.Err() != nil || f.failFast && (report.Err != nil || outcome.Failed > 0) {
			break
		}
	}
	if err := tell.end(outcome, f.coverage); err != nil {
		return err
	}
	if f.junit != "" {
		if err := writeJUnit(f.junit, outcome.reports); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case outcome.mistakes:
		return errFindings
	case outcome.Failed > 0 || outcome.broken:
		return errReported
	case outcome.Passed+outcome.Skipped == 0:
		return errors.New("no test has a name that --run matches")
	}
	return nil
}

// file runs the tests of one file. Why they could not be run is in the report.
func (f *testFlags) file(ctx context.Context, path string, opts graphtest.Options) *graphtest.Report {
	failed := &graphtest.Report{Suite: &graphtest.Suite{Path: path}}
	var how []graphtest.Option
	if f.update {
		how = append(how, graphtest.WithDrafts())
	}
	suite, err := graphtest.Load(path, how...)
	if suite != nil && err != nil {
		err = errors.Join(err, suite.Mistakes(ctx, opts))
	}
	if err != nil {
		failed.Err = err
		return failed
	}
	report, err := suite.Run(ctx, opts)
	if err == nil && f.update {
		err = updateTests(report)
	}
	if report == nil {
		report = failed
	}
	report.Err = err
	return report
}
