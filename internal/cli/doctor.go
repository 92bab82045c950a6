package cli

import (
	"io"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/program"
	"toolgraph/mcpclient"
)

func newDoctor(std program.Streams) *cobra.Command {
	var graph, servers, format, host string
	history := program.HistoryFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [FILE]",
		Short: "Check whether a graph file can be served here",
		Long: `Check whether a graph file loads, the commands of its servers are installed, its lock file
is up to date, and runs can be recorded. No server is started. The exit code is 1 when a
check fails.

With --host, check instead what toolgraph adopt has done with the servers of an MCP host: its
entry, the values of variables, and whether each server starts and has the tools that are locked.
Before that, say which servers would stay.`,
		Example: `  toolgraph doctor graph.yaml
  toolgraph doctor --host cursor
  toolgraph doctor --format json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if host == "" {
				return program.OnlyGraph(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			healthy := true
			if host != "" {
				healthy, err := checkHost(cmd.Context(), std, host, format)
				if err == nil && !healthy {
					err = program.ErrReported
				}
				return err
			}
			ask := func(i *inspect.Inspector) (*inspect.Health, error) {
				i.File, i.Options.ServersFile, i.Command = graph, servers, commandPath
				h, err := i.Doctor(cmd.Context())
				if err == nil {
					healthy = h.Healthy
				}
				return h, err
			}
			var err error
			if _, noDirectory := history.Place(); noDirectory != nil {
				err = printAnswer(std, &inspect.Inspector{NoStore: noDirectory, Version: program.VersionText()}, format, ask, printHealth)
			} else {
				err = inspectRuns(std, &history, format, ask, printHealth)
			}
			if err == nil && !healthy {
				return program.ErrReported
			}
			return err
		},
	}
	program.ServersFlag(cmd, &servers)
	history.RegisterState(cmd.Flags())
	program.FormatFlag(cmd, &format)
	cmd.Flags().StringVar(&host, "host", "", "check what is adopted of this MCP `host`, in place of a graph file")
	return program.TakesGraph(cmd, &graph)
}

// commandPath returns the program that is started for a server.
func commandPath(u *config.Upstream) (string, error) {
	return mcpclient.CommandPath(u, program.SelfOption()...)
}

func printHealth(w io.Writer, h *inspect.Health) error {
	var rows [][]string
	for _, c := range h.Checks {
		rows = append(rows, []string{string(c.Result), c.Name, c.Detail})
	}
	return program.WriteTable(w, rows)
}
