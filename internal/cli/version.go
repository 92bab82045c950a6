package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"toolgraph/docs"
	"toolgraph/internal/program"
)

func newVersion(std program.Streams) *cobra.Command {
	var format string
	var licenses bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  program.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if licenses {
				_, err := fmt.Fprint(std.Out, docs.Notices)
				return err
			}
			if format == "json" {
				return program.WriteEscaped(std.Out, map[string]string{"version": program.VersionText(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}, "  ")
			}
			_, err := fmt.Fprintf(std.Out, "toolgraph %s %s %s/%s\n", program.VersionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	program.FormatFlag(cmd, &format)
	cmd.Flags().BoolVar(&licenses, "licenses", false, "print the licences of the program and of all modules in it")
	return cmd
}
