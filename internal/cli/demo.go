package cli

import (
	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/demo"
	"toolgraph/internal/observe"
)

func newDemoServer(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "demo-server [DIRECTORY]",
		Short: "Serve the files of a directory, as the upstream server of the examples",
		Long: `Serve the files of a directory read-only over stdio, with the tools list_directory,
find_files and read_file. The examples use it as their upstream server, so that they need
no other program.`,
		Args: args(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			directory := "."
			if len(args) == 1 {
				directory = args[0]
			}
			files, err := demo.Open(directory)
			if err != nil {
				return err
			}
			defer files.Close()
			log, err := observe.NewLogger(std.err, "warn", "text", &config.Secrets{})
			if err != nil {
				return err
			}
			out, err := std.protocol("the files of %s", directory)
			if err != nil {
				return err
			}
			return files.Serve(cmd.Context(), std.in, out, log)
		},
	}
}
