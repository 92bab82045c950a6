package cli

import (
	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/program"
	"toolgraph/internal/serving/demo"
	"toolgraph/internal/telemetry/observe"
)

func newDemoServer(std program.Streams) *cobra.Command {
	write := false
	cmd := &cobra.Command{
		Use:   "demo-server [DIRECTORY]",
		Short: "Serve the files of a directory, as the upstream server of the examples",
		Long: `Serve the files of a directory over stdio, with the tools list_directory, find_files and
read_file, and with --write also append_line. The examples use it as their upstream server, so
that they need no other program.`,
		Args: program.Args(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			directory := "."
			if len(args) == 1 {
				directory = args[0]
			}
			files, err := demo.Open(directory, write)
			if err != nil {
				return err
			}
			defer files.Close()
			log, err := observe.NewLogger(std.Err, "warn", "text", &config.Secrets{})
			if err != nil {
				return err
			}
			out, err := std.Protocol("the files of %s", directory)
			if err != nil {
				return err
			}
			return files.Serve(cmd.Context(), std.In, out, log)
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "offer append_line too, which adds lines to text files")
	return cmd
}
