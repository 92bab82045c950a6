package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/files"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
)

type testFlags struct {
	sessionFlags
	only, junit, format            string
	update, coverage, record, live bool
	watch, failFast, verbose       bool
}

func newTest(std program.Streams) *cobra.Command {
	flags := testFlags{}
	cmd := &cobra.Command{
		Use:   "test [FILE|DIRECTORY …]",
		Short: "Run the tests of graphs without starting servers",
		Long: `Run the tests of graphs: files X.test.yaml beside the graph files X.yaml. A directory
stands for all test files below it, a graph file for its tests; the default is the current
directory.

No server is started. A call is answered by a mock in the test file, or by the cassette
X.cassette.json beside it, which --record writes; a call without an answer fails its test.
With --live, call the servers and record nothing.

A test with cases: runs once for each case, as TEST/CASE. All errors of a file are reported
together. The exit code is 1 when a test fails and 3 when a file has errors.`,
		Example: `  toolgraph test
  toolgraph test graph.test.yaml --run 'empty|missing' -v
  toolgraph test examples --record        record the results of calls once
  toolgraph test graphs --coverage --junit report.xml
  toolgraph test graph.yaml --update      replace expectations; review the diff
  toolgraph test graph.yaml --record --update    both, for new tests without expect`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
			}
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.only, "run", "", "regular `expression` for the names of the tests to run; a case is named TEST/CASE")
	cmd.Flags().BoolVar(&flags.update, "update", false, "replace expectations with the actual results; review the diff")
	cmd.Flags().BoolVar(&flags.record, "record", false, "call the servers and record their results in cassettes")
	cmd.Flags().BoolVar(&flags.live, "live", false, "call the servers and use no cassette")
	cmd.Flags().BoolVar(&flags.coverage, "coverage", false, "report which nodes, edges and conditions the tests reach")
	cmd.Flags().BoolVar(&flags.failFast, "fail-fast", false, "stop after the first failed test")
	cmd.Flags().BoolVar(&flags.watch, "watch", false, "run again whenever a test, graph or cassette changes")
	program.ChoiceFlag(cmd, &flags.format, "format", "f", "output format", "text", "json", "github")
	program.JSONFlag(cmd, &flags.format)
	cmd.Flags().StringVar(&flags.junit, "junit", "", "`file` to write a JUnit report to, in addition")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "list passed and skipped tests as well")
	flags.Register(cmd, "error")
	flags.Vars.Register(cmd)
	flags.RegisterExec(cmd)
	cmd.Flags().Lookup("mcp").Usage += ", instead of the file that a test file names"
	return program.TakesGraphs(cmd)
}

func (f *testFlags) run(ctx context.Context, std program.Streams, paths []string) error {
	opts, err := f.options()
	if err != nil {
		return err
	}
	s, err := f.open(ctx, std, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	opts.Connect = func(p *project.Project) (execution.ToolCaller, func(), error) {
		l, err := s.Use(p)
		if err != nil {
			return nil, nil, err
		}
		return l.Pool, l.Release, nil
	}
	opts.Repeatable = func(p *project.Project) func(string, string, config.Effect) bool {
		return runtime.LockedBeliever(p).Repeatable(ctx)
	}
	opts.Effects = func(p *project.Project) func(context.Context, string, string) config.Effect {
		return runtime.LockedBeliever(p).Effect
	}
	if f.watch {
		return f.again(ctx, std, paths, opts)
	}
	return f.once(ctx, std, paths, opts)
}

// options returns the options of the tests; the error is a usage error.
func (f *testFlags) options() (graphtest.Options, error) {
	opts := graphtest.Options{ServersFile: f.Servers, Vars: f.Vars, FailFast: f.failFast}
	switch {
	case f.record && f.live:
		return opts, program.Usagef("--record and --live exclude each other: --live records nothing")
	case f.watch && (f.record || f.update):
		return opts, program.Usagef("--watch excludes --record and --update, which write the watched files; run them once without --watch")
	case f.record:
		opts.Mode = graphtest.Record
	case f.live:
		opts.Mode = graphtest.Live
	}
	if f.only != "" {
		only, err := regexp.Compile(f.only)
		if err != nil {
			return opts, program.Usagef("--run is not a regular expression: %w", err)
		}
		opts.Only = only
	}
	return opts, nil
}

// again runs the tests, and repeats them whenever a file that they read has changed, until ctx
// ends.
func (f *testFlags) again(ctx context.Context, std program.Streams, paths []string, opts graphtest.Options) error {
	changes, err := runtime.NewWatcher(func() []string { return f.read(paths) })
	if err != nil {
		return fmt.Errorf("--watch: %w", err)
	}
	defer changes.Close()
	for {
		err := f.once(ctx, std, paths, opts)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, program.ErrReported) && !errors.Is(err, program.ErrFindings):
			fmt.Fprintf(std.Err, "toolgraph: %s\n", wording.Printable(err.Error()))
		}
		fmt.Fprintln(std.Err, "waiting for a change (Ctrl-C ends)")
		if err := changes.Next(ctx); ctx.Err() != nil {
			return nil
		} else if err != nil {
			return fmt.Errorf("--watch: %w", err)
		}
	}
}

// read returns the files that the tests read.
func (f *testFlags) read(paths []string) []string {
	read := slices.Clone(paths)
	files, _ := graphtest.Find(paths...) // running the tests reports its error
	for _, file := range files {
		read = append(read, file)
		if suite, err := graphtest.Load(file); err == nil {
			read = append(read, suite.Files()...)
		}
	}
	if f.Servers != "" {
		read = append(read, f.Servers)
	}
	return read
}

// once runs all tests once and prints the results.
func (f *testFlags) once(ctx context.Context, std program.Streams, paths []string, opts graphtest.Options) error {
	files, err := graphtest.Find(paths...)
	if err != nil {
		return err
	}
	outcome := &testOutcome{}
	printer := f.printer(std)
	for _, path := range files {
		report := f.shown(ctx, std, path, opts)
		if err := program.WriteText(std.Err, mockFindings(ctx, report)); err != nil {
			return err
		}
		outcome.add(report)
		printer.file(report)
		if ctx.Err() != nil || f.failFast && (report.Err != nil || outcome.Failed > 0) {
			break
		}
	}
	if err := printer.end(outcome, f.coverage); err != nil {
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
		return program.ErrFindings
	case outcome.Failed > 0 || outcome.broken:
		return program.ErrReported
	case outcome.Passed+outcome.Skipped == 0:
		return errors.New("no test name matches --run")
	}
	return nil
}

// shown is file with what is in flight on a terminal. Tests that call servers have a line there when they have ended.
func (f *testFlags) shown(ctx context.Context, std program.Streams, path string, opts graphtest.Options) *graphtest.Report {
	p := newProgress(std.Err, nil, path)
	defer p.clear()
	begin := p.work("test")
	opts.Begins = func(i, of int, r *graphtest.Result) (ended func()) {
		end := begin(i, of, r.Case.Name, "")
		return func() {
			failed, line := r.Status == graphtest.Failed, ""
			if (f.live || f.record) && p.live != nil {
				line = p.ended(testWords[r.Status].word, testWords[r.Status].style, wording.OneLine(r.Case.Name), r.Duration, "")
			}
			end(failed, line)
		}
	}
	return f.file(ctx, path, opts)
}

// file runs the tests of one file. The report says why they could not be run.
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

// updateTests writes the actual results of a report into its test file.
func updateTests(r *graphtest.Report) error {
	src, err := os.ReadFile(r.Suite.Path)
	if err != nil {
		return err
	}
	updated, names, err := r.Update(src)
	if err != nil || len(names) == 0 {
		return err
	}
	if err := files.Write(r.Suite.Path, updated, 0o600, files.LinksInside); err != nil { // the mode that it has
		return err
	}
	r.Written = append(r.Written, r.Suite.Path)
	return nil
}
