package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/files"
)

func newUpgrade(std streams) *cobra.Command {
	toStdout, file := false, ""
	cmd := &cobra.Command{
		Use:   "upgrade FILE",
		Short: "Rewrite the older forms of the language in a file, comments kept",
		Long: `Rewrite a graph file that uses older forms of the language: one list of nodes for all
tools, entryNode and exitNode, the type mcp_tool, servers, target, and args that are
expressions because they begin with $. Comments and order are kept; a file that is
current already is left as it is. The file is replaced only as a whole.`,
		Example: `  toolgraph upgrade graph.yaml --stdout | diff graph.yaml -
  toolgraph upgrade graph.yaml`,
		Args: onlyGraph,
		RunE: func(*cobra.Command, []string) error {
			src, err := config.ReadFile(file)
			if err != nil {
				return err
			}
			upgraded, changes, err := config.Upgrade(file, src)
			if err != nil {
				return err
			}
			for _, c := range changes {
				fmt.Fprintln(std.err, c)
			}
			if toStdout {
				_, err := std.out.Write(upgraded)
				return err
			}
			if bytes.Equal(src, upgraded) {
				fmt.Fprintf(std.err, "%s is current already\n", file)
				return nil
			}
			return files.Write(file, upgraded, 0o600) // the mode that it has
		},
	}
	cmd.Flags().BoolVar(&toStdout, "stdout", false, "print the result and leave the file alone")
	return takesGraph(cmd, &file)
}
