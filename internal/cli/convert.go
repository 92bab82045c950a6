package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/authoring/convert"
	"toolgraph/internal/base/files"
	"toolgraph/internal/program"
)

func newConvert(std program.Streams) *cobra.Command {
	write, file, servers := false, "", ""
	cmd := &cobra.Command{
		Use:   "convert FILE TOOL",
		Short: "Write a tool of nodes as steps",
		Long: `Write a tool whose nodes run one after the other as steps and return, and print the file.
With --write the file is replaced atomically. Comments stay; other parts of the file do not
change. The result has the same value and makes the same calls; what only reads starts as
soon as what it reads has ended.

A tool stays a graph, and all reasons are reported with their places, when it has switches,
an onError that leads elsewhere, or expressions that read the history or the whole context.
What tests, mocks and breakpoints may name is reported: nodes that are renamed because steps
cannot have their ids, and a last transform, which becomes return. Steps have no path for
tests to expect; write executions or calls.`,
		Example: `  toolgraph convert graph.yaml count_files | diff graph.yaml -
  toolgraph convert graph.yaml count_files --write`,
		Args: program.Args(1, 1, "a graph file and a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := config.ReadFile(file)
			if err != nil {
				return err
			}
			converted, changes, err := convert.ToSteps(cmd.Context(), file, src, args[0], config.Options{ServersFile: servers, AssumeEnv: true})
			if err != nil {
				return err
			}
			for _, c := range changes {
				fmt.Fprintln(std.Err, c)
			}
			if write {
				return files.Write(file, converted, 0o600, files.LinksInside) // its own mode stays
			}
			_, err = std.Out.Write(converted)
			return err
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "replace the file instead of printing the result")
	program.ServersFlag(cmd, &servers)
	return program.TakesGraph(cmd, &file)
}
