package cli

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/editor/lsp"
	"toolgraph/internal/program"
	"toolgraph/internal/telemetry/observe"
)

func newLSP(std program.Streams) *cobra.Command {
	servers, level := "", ""
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: findings while you type, completion, and more",
		Long: `Serve one editor over stdio with the Language Server Protocol. An editor starts this
command itself; docs/editors.md has the lines for VS Code, Neovim, Helix, Zed, JetBrains and
Emacs.

Graph files are checked while they are edited, with the same findings as toolgraph check
--any-env. What is known of the tools of servers comes from the lock file beside a graph
file and from servers of a registry that were synced. No server is started, no environment
variable that a graph file names is read, and no file is changed. With the setting live, the
user is asked whether the servers of a file may be started once, to list their tools.
Hovers show values of the last recorded run, unless the setting hoverValues is false; the
setting state names another place of recorded runs.`,
		Example: `  toolgraph lsp
  toolgraph lsp --mcp mcp.json`,
		Args: program.Args(0, 0, "no argument; the editor says which files are open"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := observe.NewLogger(std.Err, level, "text", &config.Secrets{})
			if err != nil {
				return err
			}
			if servers != "" {
				if servers, err = filepath.Abs(servers); err != nil {
					return err
				}
			}
			out, err := std.Guarded("the language server; waiting for an editor")
			if err != nil {
				return err
			}
			err = lsp.New(lsp.Options{Version: program.VersionText(), ServersFile: servers, Logger: log, LastOutput: lastOutput, List: listTools, OwnProcess: true}).Serve(cmd.Context(), std.In, out)
			if errors.Is(err, lsp.ErrNoShutdown) {
				return program.ErrReported
			}
			return err
		},
	}
	program.ServersFlag(cmd, &servers)
	cmd.Flags().StringVar(&level, "log-level", "warn", "`level` of the log on standard error: debug, info, warn or error")
	// Editors' client libraries add it for a server on standard streams.
	cmd.Flags().Bool("stdio", true, "use standard input and output, which is the only way")
	return cmd
}
