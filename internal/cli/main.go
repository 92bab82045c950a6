package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/wording"
)

// The exit codes. A command that a signal ends before it is done has the signal's,
// see signalError.
const (
	exitOK          = 0
	exitFailed      = 1 // the run or the server failed
	exitUsage       = 2 // the command line is wrong
	exitDiagnostics = 3 // the graph file has errors
)

// streams are the standard streams of one invocation.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Main runs the program on the process's arguments and streams.
func Main() int {
	ctx, stop := untilSignal(context.Background())
	defer stop()
	return run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}

// run is Main on given streams.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	refused := strictHelp(root)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = refused()
	}
	code := exitCode(err, ran.CommandPath(), std.err)
	if ended, is := endedBy(ctx, err); is && code == exitFailed {
		return ended.exitCode()
	}
	return code
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Failures that have been told already.
var (
	errReported = errors.New("the failure is reported")
	errFindings = errors.New("the findings are reported")
)

// exitCode tells err of a command, unless it was told already, and gives its code.
func exitCode(err error, command string, stderr io.Writer) int {
	var usage usageError
	var findings config.Diagnostics
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.Is(err, errFindings):
		return exitDiagnostics
	case errors.As(err, &findings):
		printDiagnostics(stderr, findings)
		return exitDiagnostics
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "toolgraph: %s\nRun '%s --help' for usage.\n", wording.Printable(err.Error()), command)
		return exitUsage
	}
	fmt.Fprintf(stderr, "toolgraph: %s\n", wording.Printable(err.Error()))
	return exitFailed
}

func newRoot(std streams) *cobra.Command {
	serve := serveFlags{}
	root := &cobra.Command{
		Use:   "toolgraph -g FILE",
		Short: "Turn a YAML file into MCP tools",
		Long: `Toolgraph serves graphs as MCP tools. A graph calls the tools of other MCP servers,
reshapes their answers with JSONata, branches with JSON Logic, loops under limits,
and gives the agent only what it needs.

With -g alone it is a stdio MCP server with one tool per graph: what a host starts.
Every command that reads a graph file takes it as the argument FILE or with -g.`,
		Example: `  toolgraph init graph.yaml                      write a commented graph to start from
  toolgraph check graph.yaml                     tell every mistake in it
  toolgraph run graph.yaml count_files directory=.
  toolgraph config claude-desktop graph.yaml     the entry for the host's configuration
  toolgraph -g graph.yaml                        serve it, as the host will`,
		Args:          noCommand,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if serve.graph == "" {
				if err := cmd.Help(); err != nil {
					return err
				}
				return usagef("no graph given: name one with -g, or use a command")
			}
			return serve.run(cmd.Context(), std)
		},
	}
	graphFlag(root, &serve.graph)
	serve.register(root)
	root.SetVersionTemplate("toolgraph {{.Version}}\n")
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(flagError)
	addGroup(root, "serve", "Serve tools to a host:", newServe(std), newToolkit(std), newInspect(std), newDemoServer(std))
	addGroup(root, "write", "Write graphs:", newInit(std), newCheck(std), newTest(std), newLock(std), newGraph(std), newEval(std), newUpgrade(std), newSchema(std))
	addGroup(root, "run", "Run and debug them:", newRun(std), newDebug(std), newUI(std), newRuns(std), newResume(std), newReplay(std))
	addGroup(root, "other", "Set up:", newConfig(std), newLogin(std), newDoctor(std), newVersion(std))
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	return root
}

// addGroup adds commands under a heading of their own.
func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, c := range commands {
		c.GroupID = id
	}
	root.AddCommand(commands...)
}
