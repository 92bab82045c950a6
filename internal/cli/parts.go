package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"toolgraph/internal/runtime"
)

// Parts are what other programs are made of whose runs are made elsewhere: their commands share
// the flags, the session and the messages of this program.
type Parts struct{ std streams }

// settle gives a root command the habits of this program.
func (p Parts) settle(root *cobra.Command) {
	root.Version = versionText()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetVersionTemplate(root.Name() + " {{.Version}}\n")
	root.SetIn(p.std.in)
	root.SetOut(p.std.out)
	root.SetErr(p.std.err)
	root.SetFlagErrorFunc(flagError)
	onlyCommands(root)
}

// Printf prints a line for the user on standard error.
func (p Parts) Printf(format string, args ...any) {
	fmt.Fprintf(p.std.err, format+"\n", args...)
}

// Serve is the command serve of a program whose runs are made elsewhere. connect is called once,
// when the file is loaded.
func (p Parts) Serve(connect func(ctx context.Context, log *slog.Logger) (runtime.Elsewhere, error)) *cobra.Command {
	flags := serveFlags{}
	flags.elsewhere = connect
	return serveCommand(p.std, &flags)
}
