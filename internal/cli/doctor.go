package cli

import (
	"io"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/mcpclient"
)

func newDoctor(std streams) *cobra.Command {
	var graph, servers, format string
	history := historyFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Check whether a graph file can be served here",
		Long: `Check whether a graph file loads, the commands of its servers are installed, its lock file
is up to date, and runs can be recorded. No server is started. The exit code is 1 when a
check fails.`,
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
			if _, noDirectory := history.place(); noDirectory != nil {
				err = printAnswer(std, &inspect.Inspector{NoStore: noDirectory, Version: versionText()}, format, ask, printHealth)
			} else {
				err = inspectRuns(std, &history, format, ask, printHealth)
			}
			if err == nil && !healthy {
				return errReported
			}
			return err
		},
	}
	serversFlag(cmd, &servers)
	history.registerState(cmd.Flags())
	formatFlag(cmd, &format)
	return takesGraph(cmd, &graph)
}

// commandPath returns the program that is started for a server.
func commandPath(u *config.Upstream) (string, error) {
	return mcpclient.CommandPath(u, selfOption()...)
}

func printHealth(w io.Writer, h *inspect.Health) error {
	var rows [][]string
	for _, c := range h.Checks {
		rows = append(rows, []string{string(c.Result), c.Name, c.Detail})
	}
	return writeTable(w, rows)
}
