package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"toolgraph/execution"
	"toolgraph/internal/observe"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

type serveFlags struct {
	graph, servers      string
	logLevel, logFormat string
}

func (f *serveFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.graph, "graph", "g", "", "the graph file")
	cmd.Flags().StringVarP(&f.servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}, as hosts write it`)
	cmd.Flags().StringVar(&f.logLevel, "log-level", "warn", "debug, info, warn or error; the log goes to stderr")
	cmd.Flags().StringVar(&f.logFormat, "log-format", "text", "text or json")
}

func newServe(std streams) *cobra.Command {
	flags := serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve -g GRAPH.yaml",
		Short: "Serve the graphs of a file as MCP tools over stdio",
		Long: `Serve the graphs of a file as MCP tools over stdio: what a host starts. Standard output
carries the protocol and nothing else; the log goes to standard error. The servers
that the graphs call are started at their first use.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.graph == "" {
				return usagef("serve needs a graph file: -g GRAPH.yaml")
			}
			return flags.run(cmd.Context(), std)
		},
	}
	flags.register(cmd)
	return cmd
}

func (f *serveFlags) run(ctx context.Context, std streams) error {
	p, err := load(f.graph, f.servers)
	if err != nil {
		return err
	}
	log, err := observe.NewLogger(std.err, f.logLevel, f.logFormat, p.file.Secrets)
	if err != nil {
		return usageError{err}
	}
	for _, w := range p.warnings {
		log.Warn(w.Message, "at", w.Pos.String(), "code", w.Code, "hint", w.Hint)
	}
	out, err := protocolOutput(std.out)
	if err != nil {
		return err
	}
	pool := newPool(p, log)
	defer closePool(pool, log)
	srv, err := server.New(server.Options{
		Info: server.Info{
			Name: p.file.Server.Name.Value, Version: p.file.Server.Version.Value,
			Title: p.file.Server.Title.Value, Instructions: p.file.Server.Instructions.Value,
		},
		Tools:  tools(p.graphs, execution.New(pool)),
		Logger: log, Secrets: p.file.Secrets,
	})
	if err != nil {
		return err
	}
	if isTerminal(std.in) {
		fmt.Fprintf(std.err, "toolgraph: serving %d tools of %s; waiting for an MCP client on standard input (Ctrl-C ends)\n",
			len(p.graphs), p.file.Path)
	}
	return srv.ServeStdio(ctx, std.in, out)
}

func newPool(p *project, log *slog.Logger) *mcpclient.Pool {
	opts := []mcpclient.Option{
		mcpclient.WithLogger(log), mcpclient.WithSecrets(p.file.Secrets),
		mcpclient.WithClientInfo("toolgraph", versionText()),
	}
	if self, err := os.Executable(); err == nil {
		opts = append(opts, mcpclient.WithSelf("toolgraph", self))
	}
	return mcpclient.NewPool(p.file.Servers, opts...)
}

func closePool(pool *mcpclient.Pool, log *slog.Logger) {
	if err := pool.Close(); err != nil {
		log.Warn("a server did not end well", "error", err)
	}
}

// protocolOutput keeps standard output for the protocol: whatever else in the
// process prints there lands on standard error.
func protocolOutput(out io.Writer) (io.Writer, error) {
	if out != io.Writer(os.Stdout) {
		return out, nil
	}
	return server.GuardStdout()
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
