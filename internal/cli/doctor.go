package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/inspect"
	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

func newDoctor(std streams) *cobra.Command {
	var graph, servers, format string
	history := historyFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Tell whether a graph file can be served here",
		Long: `Look at whether a graph file loads, the commands of its servers are installed, its lock
fits, and runs can be kept. Nothing is started. The exit code is 1 when something fails.`,
		Example: `  toolgraph doctor graph.yaml
  toolgraph doctor --format json`,
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			healthy := true
			ask := func(i *inspect.Inspector) (*inspect.Health, error) {
				i.File, i.Options.ServersFile, i.Command = graph, servers, commandPath
				h, err := i.Doctor(cmd.Context())
				if err == nil {
					healthy = h.Healthy
				}
				return h, err
			}
			var err error
			if _, noPlace := history.directory(); noPlace != nil {
				err = answered(std, &inspect.Inspector{NoStore: noPlace, Version: versionText()}, format, ask, printHealth)
			} else {
				err = answering(std, &history, format, ask, printHealth)
			}
			if err == nil && !healthy {
				return errReported
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&servers, "mcp", "m", "", `a file with more servers, {"mcpServers": {…}}, as hosts write it`)
	history.registerState(cmd.Flags())
	formatFlag(cmd, &format)
	return takesGraph(cmd, &graph)
}

// commandPath is the program that would be started for a server.
func commandPath(u *config.Upstream) (string, error) {
	return mcpclient.CommandPath(u, selfOption()...)
}

func printHealth(w io.Writer, h *inspect.Health) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range h.Checks {
		fmt.Fprintf(table, "%s\t%s\t%s\n", c.Result, wording.OneLine(c.Name), wording.OneLine(c.Detail))
	}
	return table.Flush()
}
