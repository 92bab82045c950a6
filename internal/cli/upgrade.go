package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/files"
	"toolgraph/internal/program"
)

func newUpgrade(std program.Streams) *cobra.Command {
	toStdout, file := false, ""
	cmd := &cobra.Command{
		Use:   "upgrade FILE",
		Short: "Rewrite older syntax in a graph file",
		Long: `Rewrite a graph file that uses older syntax: one list of nodes for all tools, entryNode and
exitNode, the type mcp_tool, servers, target, and args that are expressions because they
begin with $. Comments and order are preserved; a file without older syntax is not
changed. The file is replaced atomically.`,
		Example: `  toolgraph upgrade graph.yaml --stdout | diff graph.yaml -
  toolgraph upgrade graph.yaml`,
		Args: program.OnlyGraph,
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
				fmt.Fprintln(std.Err, c)
			}
			if toStdout {
				_, err := std.Out.Write(upgraded)
				return err
			}
			if bytes.Equal(src, upgraded) {
				fmt.Fprintf(std.Err, "%s has no older syntax\n", file)
				return nil
			}
			return files.Write(file, upgraded, 0o600, files.LinksInside) // its own mode stays
		},
	}
	cmd.Flags().BoolVar(&toStdout, "stdout", false, "print the result without changing the file")
	return program.TakesGraph(cmd, &file)
}
