package cli

import (
	"github.com/spf13/cobra"

	"toolgraph/config"
)

func newSchema(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of graph files, for editors",
		Long: `Print the JSON Schema of graph files. An editor with a YAML language server completes
and checks a graph whose first line is

  # yaml-language-server: $schema=./toolgraph.schema.json`,
		Example: "  toolgraph schema > toolgraph.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(config.Schema())
			return err
		},
	}
}
