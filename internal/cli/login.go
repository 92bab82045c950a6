package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/internal/program"
)

type loginFlags struct {
	sessionFlags
	wait time.Duration
}

func newLogin(std program.Streams) *cobra.Command {
	flags := loginFlags{}
	cmd := &cobra.Command{
		Use:   "login SERVER FILE",
		Short: "Log in to an upstream server with OAuth",
		Long: `Log in to an upstream server that has oauth in its entry of mcpServers. The address to open
in a browser is printed on standard error. After you agree there, the token is stored for
your user only, is renewed automatically, and is used by every graph that calls the server
at the same address.

The browser must run on this machine, or its redirect to 127.0.0.1 must be forwarded here;
oauth.redirectPort in the file fixes the port.`,
		Example: "  toolgraph login tracker graph.yaml",
		Args:    program.Args(1, 1, "the name of a server and a graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	cmd.Flags().DurationVar(&flags.wait, "wait", 5*time.Minute, "time to wait for the browser")
	flags.Register(cmd, "error")
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *loginFlags) run(ctx context.Context, std program.Streams, name string) error {
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.Close()
	ctx, stop := context.WithTimeout(ctx, f.wait)
	defer stop()
	err = l.Pool.Login(ctx, name, func(address string) {
		fmt.Fprintf(std.Err, "Open this address in a browser on this machine and agree there:\n\n  %s\n\n", address)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "logged in to %s\n", name)
	return nil
}
