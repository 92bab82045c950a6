// Package program is what the command lines of toolgraph and of toolgraph-temporal share: exit codes and errors of usage,
// signals, what is printed on the standard streams, the flags that become runtime.Options, and the command serve.
package program

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/terminal"
	"toolgraph/internal/runtime"
)

// The exit codes. A command that is ended by a signal has the signal's, see SignalError.
const (
	ExitOK          = 0
	ExitFailed      = 1 // the run or the server failed
	ExitUsage       = 2 // the command line is wrong
	ExitDiagnostics = 3 // the graph file has errors
)

// Main runs a program with the arguments and standard streams of the process, and returns its exit code. root returns
// its command. A signal that asks the process to end cancels the command.
func Main(root func(Streams) *cobra.Command) int {
	runtime.BeginStart()
	ctx, stop := UntilSignal(context.Background())
	defer stop()
	std := Streams{In: os.Stdin, Out: os.Stdout, Err: terminal.NewLive(os.Stderr)}
	return Execute(ctx, root(std), os.Args[1:], std)
}

// Execute is Main with a root command, other arguments and streams.
func Execute(ctx context.Context, root *cobra.Command, args []string, std Streams) int {
	isOther.Store(root.Name() != "toolgraph")
	root.SilenceErrors, root.SilenceUsage = true, true
	versionFlag(root, std)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetArgs(args)
	helpError := strictHelp(root)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = helpError()
	}
	code := exitCode(err, ran.CommandPath(), std.Err)
	if ended, is := endedBy(ctx, err); is && code == ExitFailed {
		return ended.exitCode()
	}
	return code
}
