package cli

import (
	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/program"
)

func newSchema(std program.Streams) *cobra.Command {
	tests := false
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of graph files or test files, for editors",
		Long: `Print the JSON Schema of graph files, or with --tests of test files. An editor with a YAML
language server completes and checks a graph file whose first line is

  # yaml-language-server: $schema=./toolgraph.schema.json`,
		Example: `  toolgraph schema > toolgraph.schema.json
  toolgraph schema --tests > toolgraph-test.schema.json`,
		Args: program.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := config.Schema()
			if tests {
				text = graphtest.Schema()
			}
			_, err := std.Out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&tests, "tests", false, "print the schema of test files, X.test.yaml")
	return cmd
}
