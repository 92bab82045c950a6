// Package cli is the command line: argv, environment and standard streams go in, an exit code
// comes out. Each subcommand is one file, which turns flags into a call of another room. What
// subcommands share is in flags.go, start.go (flags become runtime.Options) and streams.go. The package decides
// nothing about graphs, runs or processes, and internal/base/terminal decides about colours and widths. It owns
// cobra and pflag.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
)

// The exit codes. A command that is ended by a signal has the signal's, see signalError.
const (
	exitOK          = 0
	exitFailed      = 1 // the run or the server failed
	exitUsage       = 2 // the command line is wrong
	exitDiagnostics = 3 // the graph file has errors
)

// Main runs the program with the arguments and standard streams of the process, and returns its
// exit code. A signal that asks the process to end cancels the command.
func Main() int {
	runtime.BeginStart()
	ctx, stop := untilSignal(context.Background())
	defer stop()
	return run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}

// MainOf is Main of another program: root returns its command.
func MainOf(root func(Parts) *cobra.Command) int {
	runtime.BeginStart()
	ctx, stop := untilSignal(context.Background())
	defer stop()
	p := Parts{streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}}
	isOther.Store(true)
	cmd := root(p)
	p.settle(cmd)
	return execute(ctx, cmd, os.Args[1:], p.std)
}

// run is Main with other arguments and streams.
func run(ctx context.Context, args []string, std streams) int {
	return execute(ctx, newRoot(std), args, std)
}

// execute executes a root command.
func execute(ctx context.Context, root *cobra.Command, args []string, std streams) int {
	root.SetArgs(args)
	helpError := strictHelp(root)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = helpError()
	}
	code := exitCode(err, ran.CommandPath(), std.err)
	if ended, is := endedBy(ctx, err); is && code == exitFailed {
		return ended.exitCode()
	}
	return code
}

// usageError says what is wrong with the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Failures that have been reported already.
var (
	errReported = errors.New("the failure is reported")
	errFindings = errors.New("the findings are reported")
)

// exitCode reports the error of a command, unless it was reported already, and returns its code.
func exitCode(err error, command string, stderr io.Writer) int {
	var usage usageError
	var options *runtime.OptionsError
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
	case errors.As(err, &usage), errors.As(err, &options):
		printFailure(stderr, err.Error())
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", command)
		return exitUsage
	}
	printFailure(stderr, err.Error())
	return exitFailed
}

func newRoot(std streams) *cobra.Command {
	serve := serveFlags{}
	root := &cobra.Command{
		Use:   "toolgraph -g FILE",
		Short: "Turn a YAML file into MCP tools",
		Long: `Toolgraph serves graphs as MCP tools. A graph calls the tools of other MCP servers,
transforms their results with JSONata, branches with JSON Logic, loops within limits, and
returns to the agent only what it needs.

"toolgraph -g FILE" is short for "toolgraph serve FILE". Every command that reads a graph
file takes it as the argument FILE or with -g.`,
		Example: `  toolgraph init graph.yaml                      write a commented graph to start from
  toolgraph check graph.yaml                     report all errors in it
  toolgraph run graph.yaml count_files directory=.
  toolgraph config claude-desktop graph.yaml     print the entry for the host's configuration
  toolgraph -g graph.yaml                        serve it, as the host will`,
		Args:          noCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if serve.graph == "" {
				if err := cmd.Help(); err != nil {
					return err
				}
				return usagef("no graph file and no command given; name a file with -g, or use a command")
			}
			return serve.run(cmd.Context(), std)
		},
	}
	graphFlag(root, &serve.graph)
	serve.register(root)
	versionFlag(root, std)
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(flagError)
	addGroup(root, "serve", "Serve:", newServe(std), newToolkit(std), newInspect(std), newDemoServer(std))
	addGroup(root, "write", "Write graphs:", newInit(std), newCheck(std), newExplain(std), newTest(std), newLock(std), newCapabilities(std), newGraph(std), newEval(std), newSecond(std), newUpgrade(std), newSchema(std), newLSP(std), newImport(std))
	addGroup(root, "run", "Run and debug:", newRun(std), newDebug(std), newUI(std), newRuns(std), newResume(std), newReplay(std), newFork(std), newAudit(std))
	addGroup(root, "other", "Set up:", newMCP(std), newConfig(std), newBundle(std), newLogin(std), newDoctor(std), newVersion(std))
	root.SetHelpCommandGroupID("other")
	root.SetCompletionCommandGroupID("other")
	return root
}

// addGroup adds commands under a heading in the help.
func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, c := range commands {
		c.GroupID = id
	}
	root.AddCommand(commands...)
}

// noCommand rejects the arguments of a command that has only subcommands.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasParent() && isGraphFile(args[0]) {
		return noCommandFor(cmd, args)
	}
	word := args[0]
	var names []string
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() && c.Name() != "help" {
			continue
		}
		if names = append(names, c.Name()); slices.Contains(c.SuggestFor, word) {
			return usagef("unknown command %q; did you mean %q?", word, c.Name())
		}
	}
	hint := wording.Suggest(word, names)
	if hint == "" && cmd.HasParent() {
		hint = "; the commands are " + strings.Join(names, ", ")
	}
	return usagef("unknown command %q%s", word, hint)
}

// noCommandFor returns the error for a graph file in the place of a command.
func noCommandFor(root *cobra.Command, args []string) error {
	file := shellWord(args[0])
	if len(args) > 1 {
		for _, c := range root.Commands() {
			if c.Name() == args[1] {
				return usagef("%q is a graph file; the command comes first: toolgraph %s %s", args[0], c.Name(), file)
			}
		}
	}
	return usagef("%q is a graph file, expected a command; to check it: toolgraph check %s; to serve it: toolgraph serve %s", args[0], file, file)
}

// onlyCommands makes a command reject anything but subcommands.
func onlyCommands(cmd *cobra.Command) {
	cmd.Args = noCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cmd.Help(); err != nil {
			return err
		}
		var names []string
		for _, c := range cmd.Commands() {
			names = append(names, c.Name())
		}
		return usagef("no command given, expected one of %s", strings.Join(names, ", "))
	}
}

// strictHelp makes the commands that cobra adds as strict as the others: an unknown command is a
// usage error, also for help. The returned function gives the error of --help, which cannot
// return it.
func strictHelp(root *cobra.Command) (helpError func() error) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			show := c.Run
			c.RunE = func(cmd *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err == nil && of.HasSubCommands() {
					err = noCommand(of, rest)
				}
				if err == nil {
					show(cmd, args)
				}
				return err
			}
		case "completion":
			onlyCommands(c)
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
	var unknown error
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd.HasSubCommands() {
			if unknown = noCommand(cmd, cmd.Flags().Args()); unknown != nil {
				return
			}
		}
		show(cmd, args)
	})
	return func() error { return unknown }
}

// flagError turns the errors of flags into usage errors.
func flagError(cmd *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedName() string }
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && strings.HasPrefix(invalid.Unwrap().Error(), "expected ") {
		return usagef("--%s is %q, %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	if cmd.HasSubCommands() { // the flag may be one of the command that is misspelled
		if misspelled := noCommand(cmd, cmd.Flags().Args()); misspelled != nil {
			return misspelled
		}
	}
	name := unknown.GetSpecifiedName()
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	if near := wording.Nearest(name, names); near != "" {
		return usagef("%w; did you mean --%s?", err, near)
	}
	if !cmd.HasParent() {
		for _, c := range cmd.Commands() {
			if c.Flags().Lookup(name) != nil {
				return usagef("%w; a flag of a command comes after it, as in: toolgraph %s --%s", err, c.Name(), name)
			}
		}
	}
	return usageError{err}
}

var (
	noArgs    = args(0, 0, "no arguments")
	onlyGraph = args(0, 0, "a graph file and no other argument")
)

// args checks the number of arguments without the graph file; most -1 is any number.
func args(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || (most >= 0 && len(args) > most) {
			return usagef("%s takes %s, got %s", cmd.Name(), what, wording.Count(cmd.Flags().NArg(), "argument"))
		}
		return nil
	}
}
