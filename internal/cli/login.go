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

Where the system has a secret store (the Keychain of macOS, the Credential Manager of Windows, the
keyring of a Linux desktop), the token is encrypted with a key that is there; elsewhere it is in a
file that only your user can read. TOOLGRAPH_TOKEN_STORE=system makes the store a condition, and
TOOLGRAPH_TOKEN_STORE=file leaves it out, for processes without a session; set it for serve as well.

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
	place, err := l.Pool.Login(ctx, name, func(address string) {
		fmt.Fprintf(std.Err, "Open this address in a browser on this machine and agree there:\n\n  %s\n\n", address)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "logged in to %s\nthe token is in %s\n", name, place)
	return nil
}

func newLogout(std program.Streams) *cobra.Command {
	flags := sessionFlags{}
	cmd := &cobra.Command{
		Use:   "logout SERVER FILE",
		Short: "Delete the token of a login",
		Long: `Delete the token that "toolgraph login" has stored for an upstream server; every graph that calls the
server at the same address needs a login again. Processes that have read the token use it until it
expires. The authorization server is not asked to revoke it: do that in your account there.`,
		Example: "  toolgraph logout tracker graph.yaml",
		Args:    program.Args(1, 1, "the name of a server and a graph file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := flags.load(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer l.Close()
			was, err := l.Pool.Logout(cmd.Context(), args[0])
			switch {
			case err != nil:
				return err
			case was:
				fmt.Fprintf(std.Err, "logged out of %s\n", args[0])
			default:
				fmt.Fprintf(std.Err, "there is no token of %s\n", args[0])
			}
			return nil
		},
	}
	flags.Register(cmd, "error")
	return program.TakesGraph(cmd, &flags.Graph)
}
