package cli

import (
	"context"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
)

type runFlags struct {
	sessionFlags
	args  string
	trace bool
	usage bool // print what the run has used as JSON
	dry   dryFlags
}

func newRun(std program.Streams) *cobra.Command {
	flags := runFlags{}
	cmd := &cobra.Command{
		Use:   "run FILE TOOL [key=value …]",
		Short: "Run one tool once and print its result",
		Long: `Run one tool once. The result goes to standard output as JSON, everything else to
standard error. A key=value argument has the type that the tool's inputSchema declares
for the key; otherwise it is read as JSON, or else as text. It replaces the same key of
--args.

A result is printed whole, also one that is larger than executionLimits.maxResultBytes.
At a terminal, and where that limit is set, a line on standard error shows how many calls
the run has made, how much the servers answered, and an estimate of the tokens that a
client does not have to read. With --json that line is the JSON that a client gets in
_meta, for every run.

A node that asks, and a call that needs to be confirmed, ask in the terminal. Without a
terminal they fail; --yes agrees to every question that has no form.

With --dry-run, call only tools that are known to be read-only, according to the lock file
beside the graph file or to their server. Print every other call with its arguments, and
go on with an assumed output that its outputSchema allows; without an outputSchema, the
run ends there.`,
		Example: `  toolgraph run graph.yaml count_files directory=.
  toolgraph run graph.yaml search --args '{"query": "x", "limit": 3}' --trace
  toolgraph run graph.yaml tidy_up directory=. --dry-run
  echo '{"n": 5}' | toolgraph run graph.yaml sum_to_n --args -`,
		SuggestFor: []string{"call", "exec"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.args, "args", "", "tool arguments as a `JSON` object, or - to read it from standard input")
	traceFlag(cmd, &flags.trace)
	cmd.Flags().BoolVar(&flags.usage, "json", false, "print what the run has used and saved as a line of JSON on standard error")
	flags.dry.register(cmd)
	flags.RegisterRuns(cmd, "error")
	flags.yesFlag(cmd)
	flags.RegisterGrace(cmd)
	flags.RegisterPipeline(cmd)
	flags.Audit.Register(cmd)
	flags.History.Register(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *runFlags) run(ctx context.Context, std program.Streams, words []string) error {
	if err := f.dry.check(); err != nil {
		return err
	}
	if f.dry.on && f.Audit.File != "" {
		return program.Usagef("--audit records runs, and --dry-run makes none; remove one of them")
	}
	if f.usage && f.dry.on {
		return program.Usagef("--json prints what a run has used, and --dry-run makes none; with --dry-run use --format json")
	}
	f.History.Records = !f.dry.on
	l, g, args, err := f.loadTool(ctx, std, f.args, words)
	if err != nil {
		return err
	}
	defer l.Close()
	show := newTrace(std.Err, l.Project, g, f.trace)
	if f.dry.on {
		return f.dry.run(ctx, std, l, g, args, show)
	}
	return f.make(ctx, std, l, g, args, show)
}

// make makes a run, and shows it.
func (f *runFlags) make(ctx context.Context, std program.Streams, l *runtime.Loaded, g *graph.Graph, args value.Value, show *trace) error {
	ctx, stop := l.UntilStopped(show.followed(ctx))
	result, err := l.Run(ctx, l.Engine(), g, args, stop, execution.WithObserver(show), printedBytes(g))
	err = runtime.WithRemedy(err)
	defer explainRun(std.Err, &f.History, err)
	defer printUsage(std.Err, g, result, err, f.usage)
	return show.end(std, result, err)
}
