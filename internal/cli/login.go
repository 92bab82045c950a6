package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/internal/observe"
)

type loginFlags struct {
	graph, servers, logLevel string
	wait                     time.Duration
}

func newLogin(std streams) *cobra.Command {
	flags := loginFlags{}
	cmd := &cobra.Command{
		Use:   "login SERVER FILE",
		Short: "Log in at a server that wants OAuth",
		Long: `Log in at a server that wants OAuth: one with oauth in its entry of mcpServers. The
address to open in a browser is printed on standard error; when somebody has agreed
there, the token is kept for your user alone and renewed by itself from then on, for
every graph that calls the server at the same address.

The browser has to run on this machine, or its way back to 127.0.0.1 has to be led
here; oauth.redirectPort in the file fixes the port.`,
		Example: "  toolgraph login tracker graph.yaml",
		Args:    args(1, 1, "the name of a server and a graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	cmd.Flags().StringVarP(&flags.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}`)
	cmd.Flags().DurationVar(&flags.wait, "wait", 5*time.Minute, "how long to wait for the browser")
	cmd.Flags().StringVar(&flags.logLevel, "log-level", "error", "debug, info, warn or error")
	return takesGraph(cmd, &flags.graph)
}

func (f *loginFlags) run(ctx context.Context, std streams, name string) error {
	p, err := load(ctx, f.graph, f.servers)
	if err != nil {
		return err
	}
	log, err := observe.NewLogger(std.err, f.logLevel, "text", p.File.Secrets)
	if err != nil {
		return usageError{err}
	}
	pool := newPool(p, log)
	defer closePool(pool, log)
	ctx, stop := context.WithTimeout(ctx, f.wait)
	defer stop()
	err = pool.Login(ctx, name, func(address string) {
		fmt.Fprintf(std.err, "Open this address in a browser on this machine and agree there:\n\n  %s\n\n", address)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.err, "logged in at %s\n", name)
	return nil
}
